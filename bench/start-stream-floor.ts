import { fileURLToPath } from "node:url";
import { Log, LogLevel, Miniflare } from "miniflare";
import { bundleWorker } from "../scripts/bundle-worker.ts";
import { freePort } from "../scripts/free-port.ts";
import { workerdsOf } from "./child-workerds.ts";

export interface StreamFloor {
  readonly url: string;
  /** Process id of its workerd. */
  readonly pid: number;
  readonly inspectorPort: number;
  stop(): Promise<void>;
}

/** Name of its Worker, as the inspector lists it. */
export const STREAM_FLOOR = "stream-floor";

/** A bare Worker before a bare object, with its own address like the service. */
export async function startStreamFloor(): Promise<StreamFloor> {
  const [port, inspectorPort] = [await freePort(), await freePort()];
  const others = await workerdsOf(process.pid);
  const instance = new Miniflare({
    host: "127.0.0.1",
    port: 0,
    unsafeDirectSockets: [{ host: "127.0.0.1", port }],
    inspectorPort,
    cf: false,
    logRequests: false,
    log: new Log(LogLevel.ERROR),
    compatibilityDate: "2026-07-01",
    compatibilityFlags: ["nodejs_compat"],
    name: STREAM_FLOOR,
    modules: [
      ...(await bundleWorker(
        fileURLToPath(new URL("peers/stream-floor-worker.ts", import.meta.url)),
      )),
    ],
    durableObjects: { FLOOR: { className: "StreamFloorObject", useSQLite: true } },
  });
  await instance.ready;
  const [pid] = (await workerdsOf(process.pid)).filter((other) => !others.includes(other));
  if (pid === undefined) {
    throw new Error("The floor of streams has no workerd.");
  }
  return { url: `http://127.0.0.1:${port}`, pid, inspectorPort, stop: () => instance.dispose() };
}
