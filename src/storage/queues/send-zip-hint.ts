import type { Env } from "../../platform/env.ts";

/** Says on the queue that a run's export has an archive to build. */
export async function sendZipHint(env: Pick<Env, "ZIP_EXPORTS">, runId: string): Promise<void> {
  await env.ZIP_EXPORTS.send({ v: 1, run_id: runId }, { contentType: "json" });
}
