/** The service in workerd with counters in their bundles (`peers/counting-worker.ts`). */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { ApiClient } from "../scripts/api-client.ts";
import { applyMigrations } from "../scripts/apply-migrations.ts";
import { buildAssets } from "../scripts/build-assets.ts";
import { bundleWorkers, type BundledWorker } from "../scripts/bundle-workers.ts";
import { freePort } from "../scripts/free-port.ts";
import { shardBindings, withShards } from "../scripts/local-shards.ts";
import { provision } from "../scripts/provision.ts";
import type { Counts } from "./scale/operations.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ADMIN_TOKEN = "the-operator-token-of-the-count";
/** The Workers that are counted; the renderer has counters too, and no counted run uses it. */
const WORKERS = ["edgeloom", "edgeloom-runner"] as const;
/** After this time without a count, all consequences of a run have ended. */
const QUIET_MS = 1_500;

export interface CountingService {
  readonly miniflare: Miniflare;
  readonly client: ApiClient;
  readonly baseUrl: string;
  /** The secret that signs access tokens. */
  readonly jwtSecret: string;
  /** Counts since the last `reset`, by Worker. */
  counts(): Promise<Counts[]>;
  reset(): Promise<void>;
  /** Waits, polling only the counters, until nothing has been counted for a while. */
  settled(): Promise<void>;
  /** Calls a path of the counter in one Worker. Throws if it does not return 200. */
  command(worker: (typeof WORKERS)[number], path: string): Promise<string>;
  /** Moves the clock of both Workers forward. */
  forward(ms: number): Promise<void>;
  /** Number of tasks in each report of the runner; 0 for the real runner. */
  reportBy(tasks: number): Promise<void>;
  stop(): Promise<void>;
}

/** Text of one Worker's bundle that is replaced: to test that a count detects the fault, or to count without a cache. */
export interface PlantedFault {
  readonly worker: (typeof WORKERS)[number];
  readonly from: string | RegExp;
  /** With `$1` and `$&` as in `String.replace`. */
  readonly to: string;
}

export async function startCountingService(
  fault?: PlantedFault,
  shards = 1,
): Promise<CountingService> {
  const folder = await mkdtemp(join(tmpdir(), "edgeloom-count-"));
  const { miniflare, client, baseUrl, jwtSecret } = await start(folder, fault, shards);
  const command: CountingService["command"] = async (name, path) => {
    const response = await (await miniflare.getWorker(name)).fetch(`http://counter${path}`);
    const text = await response.text();
    assert.equal(response.status, 200, `${path}: ${text}`);
    return text;
  };
  const ask = <T>(method: "GET" | "DELETE"): Promise<T[]> =>
    Promise.all(
      WORKERS.map(async (name) => {
        const worker = await miniflare.getWorker(name);
        const response = await worker.fetch("http://counter/__operations", { method });
        return (await response.json()) as T;
      }),
    );
  const counts = () => ask<Counts>("GET");
  return {
    miniflare,
    client,
    baseUrl,
    jwtSecret,
    counts,
    command,
    async reset() {
      await ask("DELETE");
    },
    async settled() {
      const requests = async () =>
        JSON.stringify(
          (await counts()).map(({ objects }) => Object.values(objects).map((o) => o.requests)),
        );
      for (let before = ""; ;) {
        const now = await requests();
        if (now === before) {
          return;
        }
        before = now;
        await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      }
    },
    async forward(ms) {
      for (const worker of WORKERS) {
        await command(worker, `/__forward?ms=${ms}`);
      }
    },
    async reportBy(tasks) {
      await command("edgeloom-runner", `/__report?by=${tasks}`);
    },
    async stop() {
      await miniflare.dispose();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function start(folder: string, fault: PlantedFault | undefined, shards: number) {
  await buildAssets();
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const jwtSecret = randomUUID();
  const workers = await bundleWorkers({
    // Cloudflare's own interval; the local service checks its runs more often.
    ENVIRONMENT: "production",
    BASE_URL: baseUrl,
    BOOT_ID: randomUUID(),
    JWT_SECRET: jwtSecret,
    ADMIN_TOKEN,
  });
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, "bench/peers/counting-worker.ts")],
    bundle: true,
    external: ["cloudflare:workers"],
    format: "esm",
    target: "es2024",
    write: false,
  });
  const [counter] = outputFiles;
  assert.ok(counter !== undefined, "esbuild returned no output");
  const miniflare = new Miniflare({
    host: "127.0.0.1",
    port,
    cf: false,
    d1Persist: join(folder, "d1"),
    r2Persist: join(folder, "r2"),
    durableObjectsPersist: join(folder, "objects"),
    handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
      stdout.resume();
      stderr.resume();
    },
    workers: workers.map(({ config, modules }) => ({
      ...config.options,
      d1Databases: withShards(config.options["d1Databases"], shards),
      modules: countedModules(
        modules,
        counter.text,
        config.options["name"] === fault?.worker ? fault : undefined,
      ),
    })),
  });
  await miniflare.ready;
  for (const binding of shardBindings(shards)) {
    await applyMigrations(
      await miniflare.getD1Database(binding, "edgeloom"),
      join(ROOT, "src/storage/migrations"),
    );
  }
  const client = new ApiClient(await provision(baseUrl, ADMIN_TOKEN));
  return { miniflare, client, baseUrl, jwtSecret };
}

/** The bundle with its platform import redirected to the counter, behind an entry that returns the counts. */
function countedModules(
  modules: BundledWorker["modules"],
  counter: string,
  fault: PlantedFault | undefined,
) {
  const [bundle, ...rest] = modules;
  assert.equal(bundle?.type, "ESModule");
  let contents = String(bundle.contents).replaceAll('"cloudflare:workers"', '"./counter.mjs"');
  assert.notEqual(contents, bundle.contents, "the bundle imports cloudflare:workers");
  if (fault !== undefined) {
    const { from, to } = fault;
    const changed = contents.replace(from, to);
    assert.notEqual(changed, contents, `the bundle has no ${String(from)}`);
    contents = changed;
  }
  return [
    {
      type: "ESModule" as const,
      path: "entry.mjs",
      contents: `import worker from "./worker.mjs";
import { withCounters } from "./counter.mjs";
export * from "./worker.mjs";
export default withCounters(worker);`,
    },
    { type: "ESModule" as const, path: "worker.mjs", contents },
    {
      type: "ESModule" as const,
      path: "counter.mjs",
      contents: `export * from "cloudflare:workers";\n${counter}`,
    },
    ...rest,
  ];
}
