/** A runner in workerd with runs scripted by the test: real consumer, executors, queue and R2. */
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Miniflare } from "miniflare";
import { bundleWorker, type WorkerModule } from "../../../scripts/bundle-worker.ts";
import { loadMiniflare } from "../../../scripts/load-miniflare.ts";
import { loadWorkers } from "../../../scripts/load-workers.ts";
import { readWorkerConfig } from "../../../scripts/read-worker-config.ts";
import type { TaskReport } from "../../../src/contracts/runs/task.ts";
import type { Order, RunLog, Script, ScriptedTask } from "../executor/script.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

export class ScriptedRunner {
  readonly #miniflare: Miniflare;
  #runs = 0;

  private constructor(miniflare: Miniflare) {
    this.#miniflare = miniflare;
  }

  /**
   * Starts a runner and the renderer that it hands tasks to, each from its entry (path below the project's root). The
   * bundles of the deployed Workers come from the cache of `npm run dev`.
   */
  static async start(
    entry: string,
    rendererEntry = "test/support/executor/test-renderer.ts",
    rendererVars: Readonly<Record<string, string>> = {},
  ): Promise<ScriptedRunner> {
    const vars = { ENVIRONMENT: "local", BOOT_ID: "test" };
    const [api, runner, renderer, media] = await Promise.all([
      readWorkerConfig("wrangler.toml", vars),
      readWorkerConfig("queues/wrangler.toml", vars),
      readWorkerConfig("src/workers/renderer/wrangler.toml", vars),
      readWorkerConfig("src/workers/media/wrangler.toml", vars),
    ]);
    const deployed = await loadWorkers(vars);
    const modulesOf = (path: string): Promise<WorkerModule[]> | WorkerModule[] =>
      deployed.find(({ config }) => config.entry === path)?.modules ?? bundleWorker(ROOT + path);
    const { compatibilityDate, compatibilityFlags, r2Buckets, queueProducers, bindings } =
      api.options;
    const miniflare = new (loadMiniflare().Miniflare)({
      cf: false,
      workers: [
        {
          name: api.name,
          compatibilityDate,
          compatibilityFlags,
          r2Buckets,
          queueProducers,
          bindings,
          durableObjects: { RUN: { className: "RunObject", useSQLite: true } },
          modules: await modulesOf("test/support/executor/fake-run-worker.ts"),
        },
        {
          ...runner.options,
          modules: await modulesOf(entry),
        },
        {
          ...renderer.options,
          bindings: { ...bindings, ...rendererVars },
          modules: await modulesOf(rendererEntry),
        },
        { ...media.options, modules: await modulesOf(media.entry) },
      ],
      // Tests cause failures on purpose; their log lines would hide a real one.
      handleRuntimeStdio: (out: Readable, err: Readable) => {
        out.resume();
        err.resume();
      },
    });
    await miniflare.ready;
    return new ScriptedRunner(miniflare);
  }

  stop(): Promise<void> {
    return this.#miniflare.dispose();
  }

  async tell<T = null>(order: Order): Promise<T> {
    const response = await this.#miniflare.dispatchFetch("http://fake/", {
      method: "POST",
      body: JSON.stringify(order),
    });
    if (response.status !== 200) {
      throw new Error(`The scripted run answered ${response.status}: ${await response.text()}`);
    }
    return (await response.json()) as T;
  }

  /** A GET of the runner itself. */
  async get(path: string): Promise<{ status: number; text: string }> {
    const runner = await this.#miniflare.getWorker("edgeloom-runner");
    const response = await runner.fetch(`http://runner${path}`);
    return { status: response.status, text: await response.text() };
  }

  async readFile(key: string): Promise<Uint8Array | undefined> {
    const bucket = await this.#miniflare.getR2Bucket("FILES", "edgeloom-runner");
    const found = await bucket.get(key);
    return found === null ? undefined : new Uint8Array(await found.arrayBuffer());
  }

  async fileKeys(prefix: string): Promise<string[]> {
    const bucket = await this.#miniflare.getR2Bucket("FILES", "edgeloom-runner");
    const { objects } = await bucket.list({ prefix });
    return objects.map(({ key }) => key);
  }

  async writeFile(key: string, text: string): Promise<void> {
    const bucket = await this.#miniflare.getR2Bucket("FILES", "edgeloom-runner");
    await bucket.put(key, text);
  }

  /** A run of a workspace of its own by default. */
  newRun(workspace?: string): ScriptedRun {
    const number = ++this.#runs;
    return new ScriptedRun(this, `run_${number}`, workspace ?? `ws_${number}`);
  }
}

export class ScriptedRun {
  readonly #runner: ScriptedRunner;
  readonly id: string;
  readonly workspace: string;

  constructor(runner: ScriptedRunner, id: string, workspace: string) {
    this.#runner = runner;
    this.id = id;
    this.workspace = workspace;
  }

  script(tasks: readonly ScriptedTask[], more: Partial<Script> = {}): Promise<null> {
    const script = { workspace_id: this.workspace, tasks, ...more };
    return this.#runner.tell({ do: "script", run: this.id, script });
  }

  hint(chunk: number, slot = 0) {
    return { v: 1, workspace_id: this.workspace, run_id: this.id, slot, chunk } as const;
  }

  /** Sends hints and returns their times. */
  send(...chunks: number[]): Promise<number> {
    const messages = chunks.map((chunk) => this.hint(chunk));
    return this.#runner.tell<number>({ do: "send", messages });
  }

  log(): Promise<RunLog> {
    return this.#runner.tell<RunLog>({ do: "log", run: this.id });
  }

  /** Returns the log as soon as it contains the expected entries. Only a failure takes as long as the limit. */
  async until(isThere: (log: RunLog) => boolean, withinMs = 60_000): Promise<RunLog> {
    const endMs = Date.now() + withinMs;
    for (;;) {
      const log = await this.log();
      if (isThere(log)) {
        return log;
      }
      if (Date.now() > endMs) {
        throw new Error(`${this.id} did not get there in ${withinMs} ms: ${JSON.stringify(log)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Returns the reports, by task, as soon as there are this many. */
  async reports(count: number): Promise<TaskReport[]> {
    const log = await this.until(({ reports }) => reports.length >= count);
    return log.reports.map(({ report }) => report).toSorted((a, b) => a.task_id - b.task_id);
  }
}

export function scriptedTask(
  task_id: number,
  node_type: string,
  params: unknown = {},
  more: Partial<ScriptedTask> = {},
): ScriptedTask {
  return { task_id, chunk: 0, node_type, params, ...more };
}

type StoredOutput = [tag: string, payload: { key: string; name: string; sizeBytes: number }];

/** The stored outputs of a successful task, parsed. */
export function storedOutputs({ outcome }: TaskReport): StoredOutput[] {
  if (outcome.kind !== "ok") {
    throw new Error(`The task failed: ${JSON.stringify(outcome)}`);
  }
  return outcome.outputs.map(({ value }) => JSON.parse(value) as StoredOutput);
}
