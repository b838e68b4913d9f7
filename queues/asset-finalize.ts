import { AssetFinalizeMessage } from "../src/contracts/upload.ts";
import type { RunnerEnv } from "../src/platform/env.ts";
import type { QueueHandler } from "./queue-handler.ts";

/** Wakes the upload objects whose bytes are assembled; they validate and publish by themselves. */
export const assetFinalize: QueueHandler<AssetFinalizeMessage> = {
  queue: "asset-finalize",
  message: AssetFinalizeMessage,
  async deliver(env: RunnerEnv, deliveries) {
    const calls = await Promise.allSettled(
      deliveries.map(async ({ body, settle }) => {
        await env.UPLOAD.get(env.UPLOAD.idFromName(body.upload_id)).process({ v: 1 });
        settle(true);
      }),
    );
    const failed = calls.find((call) => call.status === "rejected");
    if (failed !== undefined) {
      throw failed.reason;
    }
  },
};
