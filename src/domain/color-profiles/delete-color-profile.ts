import type { CallerContext } from "../../platform/context.ts";
import { ColorProfileStore } from "../../storage/d1/color-profile-store.ts";
import { requireColorProfile } from "./require-color-profile.ts";

/**
 * Hides a profile. Published versions and runs that name it keep its bytes
 * (docs/contract/templates.md#color-profiles). Throws `not_found`, `forbidden`.
 */
export async function deleteColorProfile(ctx: CallerContext, guid: string): Promise<void> {
  await requireColorProfile(ctx, guid);
  await new ColorProfileStore(ctx.env, ctx.principal.workspaceId).markDeleted(guid, ctx.nowMs());
}
