import type { OrganizationAccessApi } from "../../contracts/workspaces/organization-access.ts";
import type { Env } from "../../platform/env.ts";

/** The object that knows the keys and the plans of an organization. */
export function organizationAccessObject(
  env: Pick<Env, "ORGANIZATION_ACCESS">,
  organizationId: string,
): OrganizationAccessApi {
  const namespace = env.ORGANIZATION_ACCESS;
  return namespace.get(namespace.idFromName(organizationId));
}

/** The object that knows a plan, whose limits many organizations share. */
export function planAccessObject(
  env: Pick<Env, "ORGANIZATION_ACCESS">,
  code: string,
): OrganizationAccessApi {
  const namespace = env.ORGANIZATION_ACCESS;
  return namespace.get(namespace.idFromName(`plan ${code}`));
}
