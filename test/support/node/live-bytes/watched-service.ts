/** A whole service under the debugger, and the memory of its Workers while they process something. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { expect } from "vitest";
import { ApiClient, type Credentials } from "../../../../scripts/api-client.ts";
import type { BundledWorker } from "../../../../scripts/bundle-workers.ts";
import { freePort } from "../../../../scripts/free-port.ts";
import { loadWorkers } from "../../../../scripts/load-workers.ts";
import { type LocalService, startLocalService } from "../../../../scripts/local-service.ts";
import { publish } from "../../../../scripts/provision.ts";
import { submitRun, waitForRun } from "../../../../scripts/run-workflow.ts";
import type { Execution } from "../../../../src/contracts/runs/run.ts";
import { newWorkspaceKey } from "../new-workspace-token.ts";
import { startedServices } from "../started-services.ts";
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
import { WatchedCode } from "./watched-code.ts";

const MB = 1024 * 1024;

/** Longest time of a run whose work is stopped again and again to be measured. */
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

/** Of the workerd that Miniflare starts; the watch collects garbage by V8's own function. */
const V8_FLAGS = "MINIFLARE_WORKERD_V8_FLAGS";

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

/** The service that is watched. */
interface Watched {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly client: ApiClient;
  stop(): Promise<void>;
}

export class WatchedService {
  readonly service: Watched;
  readonly client: ApiClient;
  readonly #watches: Watches;

  private constructor(service: Watched, watches: Watches, client = service.client) {
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

  /**
   * Starts the service in this process, with the statements of the watch in its Workers. Takes their memory after this as their level at
   * rest. Throws unless each point and fault occurs exactly once in its Worker's code.
   */
  static async start({
    env = {},
    workers = USUAL,
    points = {},
    faults = {},
    pauses,
  }: WatchOptions = {}): Promise<WatchedService> {
    const inspectorPort = await freePort();
    const codes = new Map<string, WatchedCode>();
    const service = await startInside(env, inspectorPort, (name, source) => {
      const worker = workers.find((one) => WORKERS[one] === name);
      if (worker === undefined) {
        return source;
      }
      const code = new WatchedCode(source);
      points[worker]?.forEach((point) => {
        code.stopAt(point);
      });
      faults[worker]?.forEach((fault) => {
        code.plant(fault);
      });
      codes.set(name, code);
      return code.text;
    });
    try {
      const watches = await Promise.all(
        workers.map(async (worker) => {
          const name = WORKERS[worker];
          const watch = await LiveBytesWatch.open(
            inspectorPort,
            name,
            codes.get(name)?.names,
            pauses,
          );
          return [worker, watch] as const;
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
  }
}

/** The service of `npm run dev` in this process, with the code of each Worker as `edit` returns it. */
async function startInside(
  env: Readonly<Record<string, string>>,
  inspectorPort: number,
  edit: (worker: string, source: string) => string,
): Promise<Watched> {
  const directory = await mkdtemp(join(tmpdir(), "edgeloom-test-"));
  const edited = ({ config, modules }: BundledWorker): BundledWorker => ({
    config,
    modules: modules.map((module, at) =>
      at === 0 && module.type === "ESModule"
        ? { ...module, contents: edit(config.name, module.contents) }
        : module,
    ),
  });
  let service: LocalService;
  const flags = process.env[V8_FLAGS];
  Object.assign(process.env, env, { [V8_FLAGS]: `${flags ?? ""} --expose-gc`.trim() });
  try {
    service = await startLocalService({
      port: await freePort(),
      directory,
      inspectorPort,
      logTo: new Writable({
        write: (_chunk, _encoding, done) => {
          done();
        },
      }),
      loadWorkers: async (vars) => (await loadWorkers(vars)).map(edited),
    });
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  } finally {
    for (const name of [...Object.keys(env), V8_FLAGS]) {
      delete process.env[name];
    }
    if (flags !== undefined) {
      process.env[V8_FLAGS] = flags;
    }
  }
  const { baseUrl, credentials } = service;
  startedServices.add(new URL(baseUrl).origin);
  return {
    baseUrl,
    credentials,
    client: new ApiClient(credentials),
    async stop() {
      await service.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
