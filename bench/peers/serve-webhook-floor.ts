/**
 * Serves the floor of webhook deliveries from a Miniflare of the service's version, with its state on disk, until
 * SIGTERM.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Log, LogLevel, Miniflare } from "miniflare";
import { bundleWorker } from "../../scripts/bundle-worker.ts";
import { onStopSignal } from "../../scripts/on-stop-signal.ts";

const { values } = parseArgs({
  options: { port: { type: "string" }, persist: { type: "string" } },
});
const miniflare = new Miniflare({
  host: "127.0.0.1",
  // The Worker has its own address, like the service.
  port: 0,
  unsafeDirectSockets: [{ host: "127.0.0.1", port: Number(values.port) }],
  cf: false,
  logRequests: false,
  log: new Log(LogLevel.ERROR),
  compatibilityDate: "2026-07-01",
  compatibilityFlags: ["nodejs_compat"],
  name: "webhook-floor",
  modules: [
    ...(await bundleWorker(fileURLToPath(new URL("webhook-floor-worker.ts", import.meta.url)))),
  ],
  durableObjects: { FLOOR: { className: "FloorObject", useSQLite: true } },
  durableObjectsPersist: join(values.persist ?? "", "objects"),
  queueProducers: { QUEUE: "floor" },
  queueConsumers: { floor: { maxBatchSize: 100, maxBatchTimeout: 0 } },
});
await miniflare.ready;
onStopSignal(() => miniflare.dispose());
console.log("ready");
