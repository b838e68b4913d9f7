/** docs/contract/cache.md on the whole service: its executors, its queue and its cache objects. */
import { beforeAll, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import type { StemReport } from "../../src/contracts/media/sound-reports.ts";
import type { Trace } from "../../src/contracts/runs/trace.ts";
import { wavHeader } from "../../src/providers/sample/sound/wav-writer.ts";
import { readOutputs } from "../support/node/read-outputs.ts";
import { CODES } from "../support/paid-definitions.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";
import { waitUntil } from "../support/wait-until.ts";

interface Run {
  readonly id: string;
  readonly status: string;
  readonly completed_at: string | null;
  readonly credits_used?: number;
  readonly reused_iterations: number;
  readonly outputs: readonly { readonly url?: string; readonly input_indices: readonly number[] }[];
}

const ROWS = 40;
const texts = Array.from({ length: ROWS }, (_, at) => `https://example.com/${at}`);

let one: SharedService;
let other: SharedService;
let asking: SharedService;
const workflows = new Map<SharedService, string>();

beforeAll(async () => {
  [one, other, asking] = await Promise.all([sharedService(), sharedService(), sharedService()]);
  for (const service of [one, other]) {
    const sample = { name: "Codes", description: "", definition: CODES };
    workflows.set(service, await publish(service.client, sample));
  }
});

async function ended(service: SharedService, rows: readonly string[], cache: object): Promise<Run> {
  const { id } = await service.client.call<Run>("POST", "/api/v1/executions", {
    body: {
      workflow: workflows.get(service),
      inputs: { rows: { value: JSON.stringify(rows) } },
      cache,
    },
  });
  return waitUntil(`${id} to end`, async () => {
    const run = await service.client.call<Run>("GET", `/api/v1/executions/${id}`);
    return run.completed_at === null ? undefined : run;
  });
}

async function pictures(run: Run): Promise<string[]> {
  const inOrder = run.outputs.toSorted(
    (a, b) => (a.input_indices[0] ?? 0) - (b.input_indices[0] ?? 0),
  );
  return Promise.all(
    inOrder.map(async ({ url }) => {
      const response = await fetch(url ?? "");
      expect(response.status).toBe(200);
      return Buffer.from(await response.arrayBuffer()).toString("base64");
    }),
  );
}

it("a run costs nothing for what an earlier one of its workspace has kept, and has the same pictures at its own addresses", async () => {
  const first = await ended(one, texts, { mode: "read_write" });
  expect(first).toMatchObject({
    status: "completed",
    credits_used: ROWS * 0.02,
    reused_iterations: 0,
  });
  const rows = [...texts.slice(1), "https://example.com/new"];
  const second = await ended(one, rows, { mode: "read" });
  expect(second).toMatchObject({
    status: "completed",
    credits_used: 0.02,
    reused_iterations: ROWS - 1,
  });
  const [before, after] = [await pictures(first), await pictures(second)];
  expect(after.slice(0, -1)).toEqual(before.slice(1));
  const addresses = new Set(first.outputs.map(({ url }) => url));
  expect(second.outputs.some(({ url }) => addresses.has(url))).toBe(false);
  expect(await one.client.call("GET", "/api/v1/cache")).toMatchObject({
    entries: ROWS,
    hits: ROWS - 1,
    misses: ROWS + 1,
    credits_saved: (ROWS - 1) * 0.02,
  });
});

it("another workspace with equal content works everything out, and keeps its own when the first is cleared", async () => {
  const theirs = await ended(other, texts, { mode: "read_write" });
  expect(theirs).toMatchObject({ credits_used: ROWS * 0.02, reused_iterations: 0 });
  await one.client.call("DELETE", "/api/v1/cache");
  const [mine, again] = await Promise.all([
    ended(one, texts, { mode: "read" }),
    ended(other, texts, { mode: "read" }),
  ]);
  expect(mine.reused_iterations).toBe(0);
  expect(again).toMatchObject({ reused_iterations: ROWS });
  expect(again.credits_used ?? 0).toBe(0);
});

/** Each row is written about and drawn by a model; only the nodes that are named have a cache of their own. */
const asksModels = (...cached: readonly string[]) => {
  const node = (id: string, type: string, parameters: object = {}) => ({
    id,
    type,
    label: id,
    parameters,
    ...(cached.includes(id) && { cache: { mode: "read_write" } }),
  });
  const link = (from: string, port: string, to: string, toPort: string) => ({
    from: { node: from, port },
    to: { node: to, port: toPort },
  });
  return {
    nodes: [
      ...CODES.nodes.filter(({ id }) => id === "rows"),
      node("write", "ai/text_generation"),
      node("draw", "ai/text_to_image", { width: 64, height: 64 }),
      node("line", "output/text", { key: "line" }),
      node("picture", "output/image", { key: "picture" }),
    ],
    connections: [
      link("rows", "text", "write", "prompt"),
      link("rows", "text", "draw", "prompt"),
      link("write", "text", "line", "text"),
      link("draw", "result", "picture", "image"),
    ],
  };
};

const TOPICS = ["A red kite", "A blue boat", "A green hat"];

/** What came of a run of models: its result by key and index, and what its trace says of each node that asks one. */
async function asked(workflow: string, cache?: object) {
  const { client } = asking;
  const id = await submitRun(client, {
    workflow,
    inputs: { rows: { value: JSON.stringify(TOPICS) } },
    ...(cache && { cache }),
  } as never);
  const run = await waitForRun(client, id);
  const contents = await Promise.all(
    (run.outputs ?? []).map(async ({ logical_name: key, input_indices: at, value, url }) => {
      const bytes = url === undefined ? null : await (await fetch(url)).arrayBuffer();
      return [`${key} ${at.join()}`, bytes === null ? value : Buffer.from(bytes).toString("hex")];
    }),
  );
  const { nodes, totals } = await client.call<Trace>("GET", `/api/v1/executions/${id}/trace`);
  const iterationsOf = async (node: string) =>
    (
      await client.call<{ readonly data: readonly object[] }>(
        "GET",
        `/api/v1/executions/${id}/trace/nodes/${node}/iterations`,
      )
    ).data;
  return {
    id,
    run,
    contents: Object.fromEntries(contents) as Record<string, unknown>,
    calls: nodes.flatMap(({ models }) => models ?? []).reduce((sum, { calls }) => sum + calls, 0),
    saved: totals.credits_saved,
    written: await iterationsOf("write"),
    drawn: await iterationsOf("draw"),
  };
}

it("a model is asked once for what it received if its node has a cache of its own: the second run asks none, costs nothing and is marked", async () => {
  const publishing = (...cached: readonly string[]) =>
    publish(asking.client, { name: "Models", definition: asksModels(...cached) } as never);
  const [both, first] = [await publishing("write", "draw"), await publishing("draw")];
  const worked = await asked(both);
  expect(worked.run).toMatchObject({ status: "completed", reused_iterations: 0 });
  const paid = worked.run.credits_used ?? 0;
  expect(paid).toBeGreaterThan(TOPICS.length * 0.1);
  expect(worked.calls).toBe(TOPICS.length * 2);
  expect(Object.keys(worked.contents)).toHaveLength(TOPICS.length * 2);

  const taken = await asked(both);
  expect(taken.run).toMatchObject({
    status: "completed",
    credits_used: 0,
    reused_iterations: TOPICS.length * 2,
  });
  expect(taken.calls).toBe(0);
  expect(taken.saved).toBeCloseTo(paid, 9);
  expect(taken.contents).toEqual(worked.contents);
  const mark = {
    reused: { by: "cache", execution: worked.id },
    attempt_count: 0,
    retry_count: 0,
    credits: 0,
    duration_ms: null,
  };
  expect(taken.written).toMatchObject(TOPICS.map(() => mark));
  expect(taken.drawn).toMatchObject(TOPICS.map(() => mark));

  // The run's mode alone caches no model: of these two nodes only one has its own.
  const half = await asked(first, { mode: "read_write" });
  expect(half.run.reused_iterations).toBe(TOPICS.length);
  expect(half.calls).toBe(TOPICS.length);
  expect(half.written).toMatchObject(TOPICS.map(() => ({ reused: null, attempt_count: 1 })));
  expect(half.drawn).toMatchObject(TOPICS.map(() => mark));
  expect(half.run.credits_used).toBeGreaterThan(0);
  expect(half.run.credits_used).toBeLessThan(paid);

  // A run that turns the cache off asks every model again.
  const off = await asked(both, { mode: "off" });
  expect(off.run).toMatchObject({ reused_iterations: 0, credits_used: paid });
  expect(off.calls).toBe(TOPICS.length * 2);
});

it("stems that a cached manifest alone names count as its files, and its addresses lead to them from a run that has taken it", async () => {
  const { client } = asking;
  const samples = 4_000;
  const tone = Buffer.alloc(samples * 2);
  for (let at = 0; at < samples; at++) {
    tone.writeInt16LE(Math.round(8_000 * Math.sin(at / 7)), at * 2);
  }
  const wav = Buffer.concat([wavHeader("pcm16", 8_000, 1, samples), tone]);
  const path = await uploadAsset(client, "tone.wav", wav);
  const splitting = {
    nodes: [
      { id: "sound", type: "input/audio", label: "sound", parameters: {} },
      {
        id: "split",
        type: "ai/stem_separation",
        parameters: {},
        cache: { mode: "read_write" },
      },
      { id: "out", type: "output/json", parameters: { key: "stems" } },
    ],
    connections: [
      { from: { node: "sound", port: "audio" }, to: { node: "split", port: "audio" } },
      { from: { node: "split", port: "stems_manifest" }, to: { node: "out", port: "json" } },
    ],
  };
  const workflow = await publish(client, { name: "Stems", definition: splitting } as never);
  const bytesOf = async () =>
    (await client.call<{ readonly bytes: number }>("GET", "/api/v1/cache")).bytes;
  const split = async () => {
    const inputs = { sound: { asset_path: path } };
    const run = await waitForRun(client, await submitRun(client, { workflow, inputs } as never));
    const { result } = await readOutputs(client, run.id);
    const report = result.by_key["stems"]?.value as StemReport | undefined;
    return { run, stems: report?.stems ?? [] };
  };
  const before = await bytesOf();
  const worked = await split();
  expect(worked.run).toMatchObject({ status: "completed", reused_iterations: 0 });
  const sizes = worked.stems.reduce((sum, { size_bytes: size }) => sum + size, 0);
  expect(sizes).toBeGreaterThan(4 * samples);
  await waitUntil("the result to be kept", async () => (await bytesOf()) > before);
  expect((await bytesOf()) - before).toBeGreaterThan(sizes);
  const taken = await split();
  expect(taken.run).toMatchObject({
    status: "completed",
    reused_iterations: 1,
    credits_used: 0,
  });
  expect(taken.stems).toEqual(worked.stems);
  const passing = await publish(client, {
    name: "Passing",
    definition: {
      nodes: [
        { id: "address", type: "input/text", label: "address", parameters: {} },
        { id: "fetched", type: "utility/media_from_url", parameters: { media_type: "audio" } },
        { id: "out", type: "output/audio", parameters: { key: "stem" } },
      ],
      connections: [
        { from: { node: "address", port: "text" }, to: { node: "fetched", port: "url" } },
        { from: { node: "fetched", port: "media" }, to: { node: "out", port: "audio" } },
      ],
    },
  } as never);
  const address = { value: JSON.stringify(taken.stems[0]?.storage_ref) };
  const inputs = { address };
  const passed = await waitForRun(client, await submitRun(client, { workflow: passing, inputs }));
  expect(passed).toMatchObject({ status: "completed" });
  const stem = await fetch(passed.outputs?.[0]?.url ?? "");
  expect((await stem.arrayBuffer()).byteLength).toBe(taken.stems[0]?.size_bytes);
});
