import { describeCause } from "../../../lib/errors/describe-cause.ts";
import type { AppContext } from "../../../platform/context.ts";
import { shardsOf } from "../../../storage/d1/databases.ts";
import { enterLinks } from "../../../storage/d1/share-link-entries.ts";
import { enterShareLink } from "../../../storage/r2/share-link-homes.ts";

/** Of each shard. */
const BATCH_MAX = 100;
/** Time between two sweeps (`wrangler.toml`). */
const EVERY_MS = 5 * 60_000;

/**
 * Enters share links of an older release in R2; does nothing with one database. Never throws; a failure is logged and tried
 * again next time. Returns the number of links.
 */
export async function enterShareLinks(ctx: AppContext): Promise<number> {
  return shardsOf(ctx.env).length === 1
    ? 0
    : await enterLinks(
        ctx.env,
        { limit: BATCH_MAX, turn: Math.floor(ctx.nowMs() / EVERY_MS) },
        {
          enter: ({ token_hash, workspace_id: workspaceId, organization_id: organizationId }) =>
            enterShareLink(ctx.env.FILES, token_hash, { workspaceId, organizationId }),
          fail: (error) => {
            ctx.log.error("share_link.not_entered", { reason: describeCause(error) });
          },
        },
      );
}
