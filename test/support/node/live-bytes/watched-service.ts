/** A whole service under the debugger, and the memory of its Workers while they process something. */
import { rm } from "node:fs/promises";
import { expect } from "vitest";
import { ApiClient } from "../../../../scripts/api-client.ts";
import { freePort } from "../../../../scripts/free-port.ts";
import { publish } from "../../../../scripts/provision.ts";
import { submitRun, waitForRun } from "../../../../scripts/run-workflow.ts";
import type { Execution } from "../../../../src/contracts/runs/run.ts";
import { newWorkspaceKey } from "../new-workspace-token.ts";
import { type RunningService, startService } from "../start-service.ts";
import { uploadStream } from "../upload-stream.ts";
import { expectFound } from "./expect-found.ts";
import {
  LIVE_BYTES_MAX,
  type LiveBytes,
  LiveBytesWatch,
  type Pauses,
  type PlantedFault,
  type WatchPoint,
} from "./live-bytes-watch.ts";

const MB = 1024 * 1024;

/** Longest time of a run whose isolate is stopped again and again to be measured. */
const RUN_MAX_MS = 600_000;

/** The Workers, with their names in the inspector. */
const WORKERS = {
  api: "edgeloom",
  runner: "edgeloom-runner",
  renderer: "edgeloom-renderer",
  media: "edgeloom-media",
} as const;
type Worker = keyof typeof WORKERS;
/** Those that most tests watch: each one that is watched takes time. */
const USUAL: readonly Worker[] = ["api", "runner"];

type Watches = ReadonlyMap<Worker, LiveBytesWatch>;

interface WatchOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly workers?: readonly Worker[];
  readonly points?: Readonly<Partial<Record<Worker, readonly WatchPoint[]>>>;
  readonly faults?: Readonly<Partial<Record<Worker, readonly PlantedFault[]>>>;
  readonly pauses?: Pauses;
}

type Inputs = Readonly<
  Record<string, { readonly value: string } | { readonly asset_path: string }>
>;

export class WatchedService {
  readonly service: RunningService;
  readonly client: ApiClient;
  readonly #watches: Watches;

  private constructor(service: RunningService, watches: Watches, client = service.client) {
    this.service = service;
    this.client = client;
    this.#watches = watches;
  }

  /** The same service, called for a workspace of its own. */
  async newTenant(): Promise<WatchedService> {
    const { service } = this;
    await this.wake();
    const key = await newWorkspaceKey(service);
    return new WatchedService(
      service,
      this.#watches,
      new ApiClient({ ...key, base_url: service.baseUrl }),
    );
  }

  watch(worker: Worker): LiveBytesWatch {
    const watch = this.#watches.get(worker);
    if (watch === undefined) {
      throw new Error(`The ${worker} is not watched.`);
    }
    return watch;
  }

  /** Takes the memory of the Workers after this as their level at rest. */
  static async start({
    env = {},
    workers = USUAL,
    points = {},
    faults = {},
    pauses,
  }: WatchOptions = {}): Promise<WatchedService> {
    const inspectorPort = await freePort();
    const service = await startService({
      inspectorPort,
      env,
    });
    try {
      const watches = await Promise.all(
        workers.map(async (worker) => {
          const name = WORKERS[worker];
          return [
            worker,
            await LiveBytesWatch.open(inspectorPort, name, points[worker], faults[worker], pauses),
          ] as const;
        }),
      );
      return new WatchedService(service, new Map(watches));
    } catch (error) {
      // Nothing else refers to it yet, so nothing would stop it.
      await service.stop();
      throw error;
    }
  }

  /** Checks that the Workers stay within the budget while `act` runs, and that every point in `met` was reached. */
  async expectFlat(act: () => Promise<unknown>, met: readonly WatchPoint[] = []): Promise<void> {
    const lives = await this.#during(act);
    for (const [worker, { peak, at, samples }] of lives) {
      expect(samples, worker).toBeGreaterThan(0);
      expect(peak, `bytes in use of the ${worker}, ${at}`).toBeLessThan(LIVE_BYTES_MAX);
    }
    const missed = met.filter(({ name }) =>
      [...lives.values()].every((live) => !live.met.has(name)),
    );
    expect(missed.map(({ name }) => name)).toEqual([]);
  }

  /** Checks the guard itself: with the planted fault, the budget of that Worker is exceeded. */
  async expectCaught(
    worker: Worker,
    fault: PlantedFault,
    act: () => Promise<unknown>,
  ): Promise<void> {
    const { peak } = await this.watch(worker).duringFault(fault, act);
    expectFound(expect.getState().currentTestName ?? "", peak, LIVE_BYTES_MAX);
  }

  async #during(act: () => Promise<unknown>): Promise<ReadonlyMap<Worker, LiveBytes>> {
    const lives = new Map<Worker, LiveBytes>();
    // Each watch measures while those after it do.
    await [...this.#watches].reduceRight<() => Promise<unknown>>(
      (inner, [worker, watch]) =>
        async () => {
          lives.set(worker, await watch.during(inner));
        },
      act,
    )();
    for (const [worker, { peak, held, at, samples }] of lives) {
      const [all, heap, buffers, wasm] = [peak, held.heap, held.buffers, held.wasm].map((bytes) =>
        (bytes / MB).toFixed(1),
      );
      process.stderr.write(
        `live bytes: ${expect.getState().currentTestName}: ${worker} ${all} MB over rest (heap ${heap}, buffers ${buffers}, wasm ${wasm}), ${at}, ${samples} samples\n`,
      );
    }
    return lives;
  }

  /** Uploads a file that is never in memory as a whole; returns its path. */
  upload(name: string, body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
    return uploadStream(this.client, name, body);
  }

  /** A service that was busy has closed kept-alive connections, and resets requests on them. */
  async wake(): Promise<void> {
    const ask = () => this.client.send("GET", "/api/v1/assets?limit=1");
    await ask().catch(ask);
  }

  /** Calls the API on an open connection. */
  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    await this.wake();
    return this.client.call<T>(method, path, body === undefined ? {} : { body });
  }

  async remove(path: string): Promise<void> {
    await this.wake();
    await this.client.send("DELETE", `/api/v1/assets?path=${encodeURIComponent(path)}`);
  }

  /** Publishes a workflow of these nodes; a link has the form `node.port > node.port`. */
  publish(
    name: string,
    nodes: readonly { id: string; type: string; label?: string; parameters?: object }[],
    links: readonly string[],
  ): Promise<string> {
    const end = (text = "") => {
      const [node, port] = text.split(".");
      return { node, port };
    };
    const connections = links.map((link) => {
      const [from, to] = link.split(" > ");
      return { from: end(from), to: end(to) };
    });
    return publish(this.client, { name, definition: { nodes, connections } });
  }

  /** Runs it to its end, which must be a success. */
  async run(workflow: string, inputs: Inputs = {}): Promise<Execution> {
    await this.wake();
    const id = await submitRun(this.client, { workflow, inputs });
    return await this.ended(id);
  }

  /** The end of a run, which must be a success. */
  async ended(id: string): Promise<Execution> {
    const execution = await this.#ended(id);
    expect(execution, JSON.stringify(execution)).toMatchObject({ status: "completed" });
    return execution;
  }

  /** Polls again after a reset: see `wake`. */
  async #ended(id: string): Promise<Execution> {
    const deadline = performance.now() + RUN_MAX_MS;
    for (;;) {
      try {
        return await waitForRun(this.client, id, { timeoutMs: deadline - performance.now() });
      } catch (error) {
        if (!(error instanceof TypeError) || performance.now() > deadline) {
          throw error;
        }
      }
    }
  }

  async stop(): Promise<void> {
    for (const watch of this.#watches.values()) {
      watch.close();
    }
    await this.service.stop();
    await rm(this.service.directory, { recursive: true, force: true });
  }
}
