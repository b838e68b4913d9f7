/** Serves the peers from one Miniflare of the service's version, with their state on disk, until SIGTERM. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Log, LogLevel, Miniflare } from "miniflare";
import { bundleWorker } from "../../scripts/bundle-worker.ts";
import { readWorkerConfig } from "../../scripts/read-worker-config.ts";
import { onStopSignal } from "../../scripts/on-stop-signal.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string" },
    "workflows-port": { type: "string" },
    "routed-port": { type: "string" },
    persist: { type: "string" },
  },
});
const directory = values.persist ?? "";
const [bare, workflows, routed] = await Promise.all([
  bundleWorker(fileURLToPath(new URL("bare-object-worker.ts", import.meta.url))),
  bundleWorker(fileURLToPath(new URL("workflows-worker.ts", import.meta.url))),
  bundleWorker(fileURLToPath(new URL("routed-object-worker.ts", import.meta.url))),
]);
const shared = {
  host: "127.0.0.1",
  cf: false as const,
  logRequests: false,
  log: new Log(LogLevel.ERROR),
  durableObjectsPersist: join(directory, "objects"),
  workflowsPersist: join(directory, "workflows"),
};
const worker = { compatibilityDate: "2026-07-01", compatibilityFlags: ["nodejs_compat"] };
// One process each, since each contender has its own.
const instances = [
  new Miniflare({
    ...shared,
    ...listening(Number(values.port)),
    ...worker,
    name: "bare",
    modules: [...bare],
    durableObjects: { BARE: { className: "BareObject", useSQLite: true } },
    r2Buckets: { FILES: "bare-files" },
    r2Persist: join(directory, "files"),
    queueProducers: { TASKS: "bare-tasks" },
    queueConsumers: { "bare-tasks": { maxBatchSize: 100, maxBatchTimeout: 0 } },
  }),
  new Miniflare({
    ...shared,
    ...listening(Number(values["workflows-port"])),
    ...worker,
    name: "workflows",
    modules: [...workflows],
    workflows: { CHAIN: { name: "chain", className: "ChainWorkflow" } },
  }),
  new Miniflare({
    ...shared,
    ...listening(Number(values["routed-port"])),
    ...worker,
    name: "routed",
    modules: [...routed],
    bindings: { BINDINGS: await bindingNames() },
    durableObjects: { ROUTED: { className: "RoutedObject", useSQLite: true } },
  }),
];
await Promise.all(instances.map((instance) => instance.ready));
onStopSignal(async () => {
  await Promise.all(instances.map((instance) => instance.dispose()));
});
console.log("ready");

/** Names of the service's bindings, for the application's check that its deployment is complete. */
async function bindingNames(): Promise<string[]> {
  const { options } = await readWorkerConfig("wrangler.toml", {});
  const { d1Databases, r2Buckets, durableObjects, queueProducers, serviceBindings } = options;
  return [d1Databases, r2Buckets, durableObjects, queueProducers, serviceBindings].flatMap(
    (bound) => Object.keys(bound ?? {}),
  );
}

/** The Worker has its own address, without Miniflare's proxy, like the service. */
function listening(port: number) {
  return { port: 0, unsafeDirectSockets: [{ host: "127.0.0.1", port }] };
}
