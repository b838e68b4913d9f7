import type { CallerContext } from "../../platform/context.ts";
import { AssetStore, type Usage } from "../../storage/d1/asset-store.ts";
import { measureRunFiles } from "../../storage/r2/measure-run-files.ts";

/** Files of runs are counted by listing them, so not for every question. */
const MEASURED_FOR_MS = 60_000;

/** What fills the quota: files and fonts, open upload sessions, and what runs have stored. */
export function storedBytes(usage: Usage): number {
  return usage.asset_bytes + usage.session_bytes + usage.output_bytes;
}

/** All that a workspace stores and holds; files of runs as they were at most a minute ago. */
export async function currentUsage(ctx: CallerContext): Promise<Usage> {
  const { workspaceId } = ctx.principal;
  const store = new AssetStore(ctx.env, workspaceId);
  const usage = await store.usage();
  const nowMs = ctx.nowMs();
  if (nowMs - usage.outputs_measured_at_ms < MEASURED_FOR_MS) {
    return usage;
  }
  const { bytes, files } = await measureRunFiles(ctx.env.FILES, workspaceId);
  await store.putOutputUsage(bytes, files, nowMs);
  return { ...usage, output_bytes: bytes, output_count: files, outputs_measured_at_ms: nowMs };
}
