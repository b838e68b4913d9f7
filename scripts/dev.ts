/** `npm run dev`: runs the whole service on this machine until Ctrl-C (docs/contract/local-service.md#start). */
import { flushCompileCache } from "node:module";
import { parseArgs } from "node:util";
import { freePort } from "./free-port.ts";
import { startLocalService } from "./local-service.ts";
import { onStopSignal } from "./on-stop-signal.ts";

const USAGE = `Usage: npm run dev -- [--port N] [--persist DIR] [--shards N] [--inspector-port N] [--without-runner]
  --port N            port on 127.0.0.1 (default 8787; 0 selects a free port)
  --persist DIR       data folder (default .edgeloom)
  --shards N          number of databases, from 1 to 16 (default 1, or EDGELOOM_SHARDS); a folder keeps
                      its number, and may get more
  --inspector-port N  also serve the debugger protocol on this port
  --without-runner    start the API Worker alone: tasks wait; for measurements
The first start creates an organization, a workspace and a key, publishes the workflows of
samples/, and writes DIR/credentials.json. Log lines go to stderr.`;

// V8 may otherwise wait forever for a helper thread, and the service would not respond any more
// (docs/decisions/single-threaded-gc.md). The sizes, in MB, make short pauses (docs/decisions/local-heap.md).
process.env["MINIFLARE_WORKERD_V8_FLAGS"] ??=
  "--single-threaded-gc --max-semi-space-size=4 --initial-old-space-size=256";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "8787" },
      persist: { type: "string", default: ".edgeloom" },
      shards: { type: "string" },
      "inspector-port": { type: "string" },
      "without-runner": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const port = parsePort("--port", values.port);
  const inspectorPort = values["inspector-port"];
  const service = await startLocalService({
    port: port === 0 ? await freePort() : port,
    directory: values.persist,
    logTo: process.stderr,
    hasRunner: !values["without-runner"],
    ...(values.shards !== undefined && { shards: values.shards }),
    ...(inspectorPort === undefined
      ? {}
      : { inspectorPort: parsePort("--inspector-port", inspectorPort) }),
  });
  onStopSignal(() => service.stop());
  console.log(`ready on ${service.baseUrl}`);
  // The cache now contains all code of a start; by the end of a long session V8 may have dropped some of it.
  flushCompileCache();
}

function parsePort(flag: string, text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`${flag} is "${text}"; must be a whole number from 0 to 65535.`);
  }
  return port;
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
