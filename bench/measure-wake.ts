import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import type { Plugin } from "esbuild";
import { ApiClient } from "../scripts/api-client.ts";
import { bundleWorkers } from "../scripts/bundle-workers.ts";
import { freePort } from "../scripts/free-port.ts";
import { type LocalService, startLocalService } from "../scripts/local-service.ts";
import { type Edit, otherBuild } from "../test/support/node/other-build.ts";
import { atMost, type Figure } from "./figure.ts";
import { median, spread } from "./statistics.ts";

/** Elements of a run: its result consists of as many rows and texts. */
const ROWS = 200;
/** Runs woken after each start. */
const READS = 24;
/** The first ones are not counted: they open connections and warm up the code of both. */
const WARM_UP = 4;
const ROUNDS = 4;

const BUILDS = ["same", "other"] as const;
type Build = (typeof BUILDS)[number];

/** A node of the run has another meaning, so no run with it could continue under this build. */
const EDITS: readonly Edit[] = [
  { file: "src/nodes/text/template.ts", from: 'version: "1.0"', to: 'version: "2.0"' },
];

const DEFINITION = {
  nodes: [
    { id: "rows", type: "input/json", label: "rows", parameters: {} },
    {
      id: "hello",
      type: "text/template",
      parameters: { template: "Hello [who]", placeholders: [{ inputPort: "who" }] },
    },
    { id: "said", type: "output/text", parameters: { key: "said" } },
  ],
  connections: [
    { from: { node: "rows", port: "item" }, to: { node: "hello", port: "who" } },
    { from: { node: "hello", port: "text" }, to: { node: "said", port: "text" } },
  ],
};

/**
 * The first read of an ended run's result after a start of the service, when its object has nothing in memory: under
 * another build of both Workers than the run's own, beside the same build. Both start on copies of one folder, and the
 * reads alternate.
 */
export async function measureWake(directory: string): Promise<Figure> {
  const prepared = join(directory, "prepared");
  await mkdir(prepared, { recursive: true });
  const ports = { same: await freePort(), other: await freePort() };
  const runs = await prepare(prepared, ports.same);
  const samples: Record<Build, number[]> = { same: [], other: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const services: Partial<Record<Build, LocalService>> = {};
    try {
      for (const name of BUILDS) {
        const copy = join(directory, `${name}-${round}`);
        await cp(prepared, copy, { recursive: true });
        const missing = new Set(EDITS);
        const plugins = name === "same" ? [] : [otherBuild(EDITS, missing)];
        services[name] = await start(copy, ports[name], plugins);
        if (name === "other" && missing.size > 0) {
          throw new Error("The other build is the same as this one.");
        }
      }
      const clients = BUILDS.map((name) => {
        const { credentials, baseUrl } = services[name]!;
        return { name, client: new ApiClient({ ...credentials, base_url: baseUrl }) };
      });
      for (const [index, { id, result }] of runs.entries()) {
        // The order rotates, so that neither is always read after the other.
        for (const { name, client } of index % 2 === 0 ? clients : clients.toReversed()) {
          const begunAt = performance.now();
          const answer = await client.send("GET", `/api/v1/executions/${id}/result`);
          const text = await answer.text();
          const ms = performance.now() - begunAt;
          if (text !== result) {
            throw new Error(`The result of ${id} differs under the ${name} build.`);
          }
          if (index >= WARM_UP) {
            samples[name].push(ms);
          }
        }
      }
    } finally {
      await Promise.all(Object.values(services).map((service) => service.stop()));
    }
  }
  const ratio = median(samples.other) / median(samples.same);
  return {
    workload: "sustained",
    name: `first read of an ended run's result (${ROWS} elements) after a deploy of another build`,
    unit: "ms",
    ours: spread(samples.other),
    beside: [{ name: "after a restart of the same build", value: spread(samples.same) }],
    targets: [atMost("≤ 1.1 × without a deploy", ratio, 1.1)],
  };
}

/** Ended runs and their expected results. */
async function prepare(directory: string, port: number) {
  const service = await start(directory, port);
  try {
    const client = new ApiClient(service.credentials);
    const { id: workflow } = await client.call<{ id: string }>("POST", "/api/v1/workflows", {
      body: { name: "Woken", definition: DEFINITION },
    });
    await client.call("POST", `/api/v1/workflows/${workflow}/publish`);
    const rows = JSON.stringify(Array.from({ length: ROWS }, (_, index) => `row ${index}`));
    const inputs = { rows: { value: rows } };
    const runs: { readonly id: string; readonly result: string }[] = [];
    for (let made = 0; made < READS; made++) {
      const { id } = await client.call<{ id: string }>("POST", "/api/v1/executions", {
        body: { workflow, inputs },
      });
      const run = await client.call<{ status: string }>("GET", `/api/v1/executions/${id}`, {
        headers: { prefer: "wait=60" },
      });
      if (run.status !== "completed") {
        throw new Error(`The run to wake has status ${run.status}.`);
      }
      const answer = await client.send("GET", `/api/v1/executions/${id}/result`);
      runs.push({ id, result: await answer.text() });
    }
    return runs;
  } finally {
    await service.stop();
  }
}

const nowhere = () =>
  new Writable({
    write(_chunk, _encoding, done) {
      done();
    },
  });

function start(
  directory: string,
  port: number,
  plugins: readonly Plugin[] = [],
): Promise<LocalService> {
  return startLocalService({
    port,
    directory,
    logTo: nowhere(),
    loadWorkers: (vars) => bundleWorkers(vars, plugins),
  });
}
