/**
 * Two builds of the Workers on one folder: one starts runs and the other finishes them. The second is
 * this code with a few lines changed, bundled like the first.
 */
import { readFileSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import type { Plugin } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ApiClient } from "../../scripts/api-client.ts";
import { bundleWorkers } from "../../scripts/bundle-workers.ts";
import { freePort } from "../../scripts/free-port.ts";
import { type LocalService, startLocalService } from "../../scripts/local-service.ts";
import { type Edit, otherBuild } from "../support/node/other-build.ts";
import { startedServices } from "../support/node/started-services.ts";
import { IS_PROOF } from "../support/sizes.ts";

interface Run {
  readonly id: string;
  readonly status: string;
  readonly credits_used?: number;
  readonly error_code: string | null;
  readonly outputs: readonly { readonly presence: string; readonly url?: string }[];
}
interface Trace {
  readonly nodes: readonly {
    readonly node_id: string;
    readonly iterations: { readonly completed: number };
  }[];
}
interface Entry {
  readonly kind: string;
  readonly run?: string;
  readonly milli_credits: number;
}
const CODE = "src/nodes/image/code.ts";
/** The version that the node has in this build, and the next one of the same number before the point. */
const [VERSION = "", MAJOR = "", MINOR = ""] =
  /version: "(\d+)\.(\d+)"/.exec(readFileSync(CODE, "utf8")) ?? [];
/** Too many to be drawn before the service is stopped, on any machine. */
const ROWS = 500;
const MILLI_EACH = 20;

/** One code for each row, and two nodes whose order among the others the compiler chooses. */
const DEFINITION = {
  nodes: [
    {
      id: "rows",
      type: "input/json",
      label: "rows",
      parameters: {
        jsonConfig: { properties: [{ path: "$", outputPort: "text", outputType: "text" }] },
      },
    },
    { id: "codes", type: "image/code", parameters: { symbology: "qr", size: 64 } },
    { id: "pictures", type: "output/image", parameters: { key: "pictures" } },
    { id: "name", type: "input/text", label: "name", parameters: {} },
    {
      id: "hello",
      type: "text/template",
      parameters: { template: "Hello [who]", placeholders: [{ inputPort: "who" }] },
    },
    { id: "said", type: "output/text", parameters: { key: "said" } },
  ],
  connections: [
    { from: { node: "rows", port: "text" }, to: { node: "codes", port: "text" } },
    { from: { node: "codes", port: "image" }, to: { node: "pictures", port: "image" } },
    { from: { node: "name", port: "text" }, to: { node: "hello", port: "who" } },
    { from: { node: "hello", port: "text" }, to: { node: "said", port: "text" } },
  ],
};

const inputs = (rows: number) => ({
  rows: { value: JSON.stringify(Array.from({ length: rows }, (_, i) => `row ${String(i)}`)) },
  name: { value: JSON.stringify("Ann") },
});

let folder: string;
let port: number;
let ended: string;
let live: string;
let before: Awaited<ReturnType<typeof readEverything>>;
let copies = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "edgeloom-deploys-"));
  port = await freePort();
  const service = await start(join(folder, "first"));
  try {
    const client = new ApiClient(service.credentials);
    const { id: workflow } = await client.call<{ id: string }>("POST", "/api/v1/workflows", {
      body: { name: "Deployed", definition: DEFINITION },
    });
    await client.call("POST", `/api/v1/workflows/${workflow}/publish`);
    const submit = (rows: number) =>
      client.call<Run>("POST", "/api/v1/executions", { body: { workflow, inputs: inputs(rows) } });
    ended = (await submit(3)).id;
    expect(await untilEnded(client, ended)).toMatchObject({ status: "completed" });
    await client.call("POST", `/api/v1/executions/${ended}/zip`);
    before = await readEverything(client, ended);
    live = (await submit(ROWS)).id;
    await until("the first charge", async () => ((await read(client, live)).credits_used ?? 0) > 0);
  } finally {
    await service.stop();
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

interface Build {
  readonly what: string;
  readonly edits: readonly Edit[];
}

describe("a build that", () => {
  /** Each test boots a build of its own: `npm test` tries one of each group, the proof all of them. */
  const ENDING: readonly Build[] = [
    {
      what: "has no such node any more",
      edits: [
        {
          file: "src/nodes/registry.ts",
          from: "NODE_TYPES.map((node) =>",
          to: 'NODE_TYPES.filter(({ type }) => type !== "image/code").map((node) =>',
        },
      ],
    },
    {
      what: "puts nodes in another order",
      edits: [
        {
          file: "src/engine/compile/order-nodes.ts",
          from: "const next = [...waiting].find(",
          to: "const next = [...waiting].findLast(",
        },
      ],
    },
    {
      what: "runs a node elsewhere",
      edits: [
        {
          file: "src/nodes/text/template.ts",
          from: 'placement: "inline"',
          to: 'placement: "task"',
        },
      ],
    },
    {
      what: "draws otherwise, and says so in the node's version",
      edits: [{ file: CODE, from: VERSION, to: `version: "${Number(MAJOR) + 1}.0"` }],
    },
  ];

  test.each(IS_PROOF ? ENDING : ENDING.slice(0, 1))(
    "$what ends the run as incompatible, charged for what it did, and can read runs that ended before",
    async ({ edits }) => {
      await onBuild(edits, async (client, service) => {
        const run = await untilEnded(client, live);
        expect(run).toMatchObject({
          status: "partial_success",
          error_code: "DEFINITION_INCOMPATIBLE",
        });
        const { nodes } = await client.call<Trace>("GET", `/api/v1/executions/${live}/trace`);
        const made = nodes.find(({ node_id }) => node_id === "codes")?.iterations.completed ?? 0;
        expect(made).toBeGreaterThan(0);
        expect(made).toBeLessThan(ROWS);
        expect(run.credits_used).toBe((made * MILLI_EACH) / 1000);
        const sums = await settledSums(service, live);
        expect(sums.settle).toBe(made * MILLI_EACH);
        expect(sums.reserve).toBe(sums.settle + sums.release);
        const kept = run.outputs.find(({ presence }) => presence === "present");
        const file = await fetch(new URL(kept!.url!, service.baseUrl));
        expect(file.headers.get("content-type")).toBe("image/png");
        expect(await readEverything(client, ended)).toEqual(before);
      });
    },
    300_000,
  );

  const GOING_ON: readonly Build[] = [
    {
      what: "changed nothing that matters",
      edits: [
        { file: CODE, from: 'name: "QR Code and Barcode"', to: 'name: "Codes of all kinds"' },
        { file: CODE, from: VERSION, to: `version: "${MAJOR}.${Number(MINOR) + 1}"` },
      ],
    },
    {
      what: "asks another price",
      edits: [{ file: CODE, from: "milliCredits: 20 }", to: "milliCredits: 37 }" }],
    },
  ];

  test.each(IS_PROOF ? GOING_ON : [])(
    "$what continues the run to its end, at the price that was reserved",
    async ({ edits }) => {
      await onBuild(edits, async (client, service) => {
        expect(await untilEnded(client, live)).toMatchObject({
          status: "completed",
          error_code: null,
          credits_used: (ROWS * MILLI_EACH) / 1000,
        });
        expect(await settledSums(service, live)).toEqual({
          reserve: ROWS * MILLI_EACH,
          settle: ROWS * MILLI_EACH,
          release: 0,
        });
        expect(await readEverything(client, ended)).toEqual(before);
      });
    },
    300_000,
  );
});

/** Boots a copy of the first build's data under this code with these edits. */
async function onBuild(
  edits: readonly Edit[],
  look: (client: ApiClient, service: LocalService) => Promise<void>,
): Promise<void> {
  copies += 1;
  const directory = join(folder, `copy-${String(copies)}`);
  await cp(join(folder, "first"), directory, { recursive: true });
  const missing = new Set(edits);
  const service = await start(directory, [otherBuild(edits, missing)]);
  try {
    expect([...missing], "an edit was not in the build").toEqual([]);
    await look(new ApiClient(service.credentials), service);
  } finally {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function start(directory: string, plugins?: readonly Plugin[]): Promise<LocalService> {
  const service = await startLocalService({
    port,
    directory,
    logTo: process.env["DEPLOY_LOG"] === undefined ? discarded() : process.stderr,
    ...(plugins !== undefined && { loadWorkers: (vars) => bundleWorkers(vars, plugins) }),
  });
  startedServices.add(new URL(service.baseUrl).origin);
  return service;
}

/** A log of its own for each service: the pipes of all of them would add listeners to one stream. */
function discarded(): Writable {
  return new Writable({
    write(_chunk, _encoding, done) {
      done();
    },
  });
}

const read = (client: ApiClient, id: string) => client.call<Run>("GET", `/api/v1/executions/${id}`);

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 240_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) {
      throw new Error(`${what} did not come`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function untilEnded(client: ApiClient, id: string): Promise<Run> {
  const live = ["pending", "running", "cancelling"];
  await until("the run's end", async () => !live.includes((await read(client, id)).status));
  return read(client, id);
}

/** Every view of an ended run, as text. */
async function readEverything(client: ApiClient, id: string): Promise<Record<string, string>> {
  const base = `/api/v1/executions/${id}`;
  const views = {
    execution: base,
    result: `${base}/result`,
    outputs: `${base}/outputs`,
    trace: `${base}/trace`,
    iterations: `${base}/trace/nodes/codes/iterations`,
    events: `${base}/events`,
  };
  const texts: Record<string, string> = {};
  for (const [name, path] of Object.entries(views)) {
    const response = await client.send("GET", path);
    expect(response.status, name).toBe(200);
    texts[name] = await response.text();
  }
  await until("the export", async () => {
    texts["zip"] = JSON.stringify(await client.call("GET", `${base}/zip/status`));
    return texts["zip"].includes('"completed"');
  });
  const { outputs } = JSON.parse(texts["execution"]!) as Run;
  const pictures = outputs.flatMap(({ url }) => (url === undefined ? [] : [url]));
  expect(pictures).toHaveLength(3);
  const file = await fetch(new URL(pictures[0]!, client.baseUrl));
  texts["file"] = Buffer.from(await file.arrayBuffer()).toString("base64");
  return texts;
}

/** The ledger entries of a run, once it is closed. */
async function settledSums({ baseUrl, credentials }: LocalService, id: string) {
  const sums = { reserve: 0, settle: 0, release: 0 };
  await until("the run's close", async () => {
    let cursor: string | null = null;
    Object.assign(sums, { reserve: 0, settle: 0, release: 0 });
    do {
      const page: string = cursor === null ? "" : `&starting_after=${cursor}`;
      const response = await fetch(
        `${baseUrl}/admin/v1/workspaces/${credentials.workspace_id}/ledger?limit=100${page}`,
        { headers: { authorization: `Bearer ${credentials.admin_token}` } },
      );
      const body = (await response.json()) as { data: Entry[]; next_cursor: string | null };
      for (const { kind, run, milli_credits } of body.data) {
        if (run === id && kind in sums) {
          sums[kind as keyof typeof sums] += milli_credits;
        }
      }
      cursor = body.next_cursor;
    } while (cursor !== null);
    return sums.reserve === sums.settle + sums.release;
  });
  return sums;
}
