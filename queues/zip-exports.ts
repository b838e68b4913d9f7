import { ZipExportsMessage } from "../src/contracts/zip-export.ts";
import type { RunnerEnv } from "../src/platform/env.ts";
import type { QueueHandler } from "./queue-handler.ts";

/** Wakes the builder objects of exports that have an archive to build, one call for each object. */
export const zipExports: QueueHandler<ZipExportsMessage> = {
  queue: "zip-exports",
  message: ZipExportsMessage,
  async deliver(env: RunnerEnv, deliveries) {
    const byRun = Map.groupBy(deliveries, ({ body }) => body.run_id);
    // One object that is down must not send the others' messages round again.
    const calls = await Promise.allSettled(
      [...byRun].map(async ([runId, group]) => {
        const builder = env.ZIP_BUILDER.get(env.ZIP_BUILDER.idFromName(runId));
        await builder.wake({ v: 1, run_id: runId });
        for (const { settle } of group) {
          settle(true);
        }
      }),
    );
    const failed = calls.find((call) => call.status === "rejected");
    if (failed !== undefined) {
      throw failed.reason;
    }
  },
};
