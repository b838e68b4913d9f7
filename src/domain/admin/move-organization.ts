import type { OrganizationMove } from "../../contracts/workspaces/organization-move.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { requireOrganization } from "./require-tenant.ts";

/** Begins to move an organization to a shard. Throws `not_found`, `validation_error` or `conflict`. */
export async function moveOrganization(
  ctx: AppContext,
  id: string,
  shard: number,
): Promise<OrganizationMove> {
  await requireOrganization(ctx, id);
  const begun = await ctx.env.ORGANIZATION_MOVES.start({ v: 1, organization_id: id, shard });
  if ("code" in begun) {
    const { code, message } = begun;
    throw code === "conflict"
      ? new AppError(code, message)
      : new AppError(code, `shard: ${message}`, { errors: [{ field: "shard", message }] });
  }
  return begun;
}

/** The last move of an organization. Throws `not_found`. */
export async function readMove(ctx: AppContext, id: string): Promise<OrganizationMove> {
  await requireOrganization(ctx, id);
  return await ctx.env.ORGANIZATION_MOVES.read({ v: 1, organization_id: id });
}
