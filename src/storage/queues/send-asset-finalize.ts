import type { Env } from "../../platform/env.ts";

/** Says on the queue that an assembled upload waits to be validated. */
export async function sendAssetFinalize(
  env: Pick<Env, "ASSET_FINALIZE">,
  uploadId: string,
): Promise<void> {
  await env.ASSET_FINALIZE.send({ v: 1, upload_id: uploadId }, { contentType: "json" });
}
