import type { CallerContext } from "../../platform/context.ts";
import type { TaskEnv } from "../../platform/env.ts";
import type { Databases } from "../../storage/d1/databases.ts";
import { AssetStore, type Usage } from "../../storage/d1/asset-store.ts";
import { measureRunFiles } from "../../storage/r2/measure-run-files.ts";

/** Files of runs are counted by listing them, which is too expensive for every call. */
const MEASURED_FOR_MS = 60_000;

/**
 * Everything that counts towards the quota: files and fonts, open upload sessions, and stored files
 * of runs.
 */
export function storedBytes(usage: Usage): number {
  return usage.asset_bytes + usage.session_bytes + usage.output_bytes;
}

/** Everything that a workspace stores and reserves; files of runs at most a minute old. */
export function currentUsage(ctx: CallerContext): Promise<Usage> {
  return usageOf(ctx.env, ctx.principal.workspaceId, ctx.nowMs());
}

/** The same of any workspace. Rethrows errors of the stores. */
export async function usageOf(
  env: Databases & Pick<TaskEnv, "FILES">,
  workspaceId: string,
  nowMs: number,
): Promise<Usage> {
  const store = new AssetStore(env, workspaceId);
  const usage = await store.usage();
  if (nowMs - usage.outputs_measured_at_ms < MEASURED_FOR_MS) {
    return usage;
  }
  const { bytes, files } = await measureRunFiles(env.FILES, workspaceId);
  await store.putOutputUsage(bytes, files, nowMs);
  return { ...usage, output_bytes: bytes, output_count: files, outputs_measured_at_ms: nowMs };
}
