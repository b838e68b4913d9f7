import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { findOrganization, type OrganizationRow } from "../../storage/d1/organization-store.ts";
import { findWorkspace, type WorkspaceRow } from "../../storage/d1/workspace-row-store.ts";

/** Throws `not_found`. */
export async function requireOrganization(ctx: AppContext, id: string): Promise<OrganizationRow> {
  const organization = await findOrganization(ctx.env, id);
  if (organization === undefined) {
    throw new AppError("not_found", `There is no organization ${id}.`);
  }
  return organization;
}

/** Throws `not_found`. */
export async function requireWorkspace(ctx: AppContext, id: string): Promise<WorkspaceRow> {
  const workspace = await findWorkspace(ctx.env, id);
  if (workspace === undefined) {
    throw new AppError("not_found", `There is no workspace ${id}.`);
  }
  return workspace;
}
