import { AppError } from "../../lib/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { findOrganization, type OrganizationRow } from "../../storage/d1/organization-store.ts";

/** Throws `not_found`. */
export async function requireOrganization(ctx: AppContext, id: string): Promise<OrganizationRow> {
  const organization = await findOrganization(ctx.env.DB, id);
  if (organization === undefined) {
    throw new AppError("not_found", `There is no organisation ${id}.`);
  }
  return organization;
}
