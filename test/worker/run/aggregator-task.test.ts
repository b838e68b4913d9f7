/** [E33] The tasks of aggregators, on the real run object; the test is the executor that reads their elements. */
import { createHash } from "node:crypto";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { ElementInputs, LeasedTask } from "../../../src/contracts/runs/task.ts";
import { RunStore } from "../../../durable-objects/run/state/run-store.ts";
import { defineNode } from "../../../src/nodes/define-node.ts";
import { addNodes } from "../../support/with-test-nodes.ts";
import { definitionJson, report, RunFixture, UNAVAILABLE } from "./run-fixture.ts";

const gather = defineNode({
  type: "test/gather",
  version: "1.0",
  name: "Gather",
  description: "Closes axes in a task.",
  whenToUse: "In tests.",
  status: "stable",
  icon: "test",
  color: "#000000",
  inputs: [
    { name: "item", type: "any" },
    { name: "title", type: "text", required: false, once: true },
  ],
  outputs: [{ name: "text", type: "text" }],
  params: z.strictObject({ collapse: z.enum(["all", "innermost"]).default("all") }),
  cost: { unit: "request", milliCredits: 30 },
  role: "aggregator",
  placement: "task",
  collapse: ({ collapse }) => collapse,
  onFailedItems: () => "skip",
  combine: () => {
    throw new Error("The test is the executor.");
  },
});

const COLLECTED = definitionJson({
  nodes: [
    { id: "rows", type: "input/json", label: "Rows" },
    { id: "title", type: "input/text", label: "Title" },
    { id: "all", type: "test/gather" },
    { id: "out", type: "output/text", label: "Out" },
  ],
  links: ["rows.item > all.item", "title.text > all.title", "all.text > out.text"],
});

/** Reads texts only: other values fail their element [E13]. */
const gatherTexts = defineNode({
  ...gather,
  type: "test/gather_texts",
  inputs: [{ name: "item", type: "text" }],
});

const TEXTS = definitionJson({
  nodes: [
    { id: "rows", type: "input/json", label: "Rows" },
    { id: "all", type: "test/gather_texts" },
    { id: "out", type: "output/text", label: "Out" },
  ],
  links: ["rows.item > all.item", "all.text > out.text"],
});

/** A list of rows in each group; a result for each group. */
const GROUPED = definitionJson({
  nodes: [
    { id: "groups", type: "input/json", label: "Groups" },
    { id: "each", type: "enumerate/json" },
    { id: "all", type: "test/gather", parameters: { collapse: "innermost" } },
    { id: "out", type: "output/text", label: "Out" },
  ],
  links: ["groups.item > each.json", "each.item > all.item", "all.text > out.text"],
});

const made = (task: LeasedTask, text: string) => ({
  ...report(task, {
    kind: "ok",
    outputs: [{ port: "text", value: `["j",${JSON.stringify(text)}]` }],
  }),
  digests: { inputs: "i".repeat(24), outputs: "o".repeat(24) },
});

/** What the task reads, with the number of its pages. */
async function read(run: RunFixture, { task_id, fence }: LeasedTask) {
  const elements: ElementInputs[] = [];
  let pages = 0;
  for (let from: number | null = 0; from !== null; pages++) {
    const page = await run.api.elements({ v: 1, task_id, fence, from });
    if (page === null) {
      return null;
    }
    elements.push(...page.elements);
    from = page.next;
  }
  return { elements, pages };
}

const values = (elements: readonly ElementInputs[]) =>
  elements.map(([input]) => JSON.parse(input!.value as string) as [string, unknown]);

describe("an aggregator that is a task", () => {
  let remove: () => void;
  beforeAll(() => {
    remove = addNodes([gather, gatherTexts]);
  });
  afterAll(() => {
    remove();
  });

  it("[E33] is one task, whose elements come by pages of bounded size, long values as references", async () => {
    const rows = Array.from({ length: 600 }, (_, at) => `${at} ${"x".repeat(1_000)}`);
    const long = "y".repeat(200_000);
    const run = new RunFixture();
    await run.start(COLLECTED, { rows: [...rows, long, "last"], title: "T" });
    const { tasks } = await run.claim();
    expect(tasks).toMatchObject([
      { node_id: "all", indices: [], inputs: [{ port: "title", value: '["j","T"]' }] },
    ]);
    const found = await read(run, tasks[0]!);
    expect(found!.pages).toBeGreaterThan(2);
    const all = values(found!.elements);
    expect(all.slice(0, 600)).toEqual(rows.map((row) => ["j", row]));
    // [E28] The digest of the value as the run object stored it.
    const sha256 = createHash("sha256").update(JSON.stringify(long)).digest("hex");
    expect(all[600]).toMatchObject(["s", { sizeBytes: long.length + 2, sha256 }]);
    expect(all.slice(601)).toEqual([["j", "last"]]);
    // The same after a crash of the object.
    await evictDurableObject(run.stub);
    expect(await read(run, tasks[0]!)).toEqual(found);

    await run.api.report({ v: 1, reports: [made(tasks[0]!, "done")] });
    expect(await run.ended()).toMatchObject({ status: "completed", credits_used: 0.03 });
    expect(await run.result()).toMatchObject({ result: { by_key: { out: { value: "done" } } } });
    await runInDurableObject(run.stub, (_object, { storage }) => {
      const [cell] = new RunStore(storage, Date.now).settledBetween(2, 0, 1);
      expect(cell?.digests).toEqual(made(tasks[0]!, "done").digests);
    });
  });

  it("[E33] gives each group a task of its own, and a page only to the fence that holds the lease", async () => {
    const run = new RunFixture();
    await run.start(GROUPED, { groups: [["a", "b"], [], ["c"]] });
    const { tasks } = await run.claim();
    expect(tasks.map(({ indices }) => indices)).toEqual([[0], [1], [2]]);
    const read3 = async () =>
      Promise.all(tasks.map(async (task) => values((await read(run, task))?.elements ?? [])));
    expect(await read3()).toEqual([
      [
        ["j", "a"],
        ["j", "b"],
      ],
      [],
      [["j", "c"]],
    ]);
    const [first, ...others] = tasks;
    expect(await read(run, { ...first!, fence: first!.fence + 1 })).toBeNull();
    expect(await read(run, { ...first!, task_id: 4_711 })).toBeNull();
    // A transient failure is tried again, under the next fence only.
    const reports = [report(first!, UNAVAILABLE), ...others.map((task) => made(task, "x"))];
    await run.api.report({ v: 1, reports });
    expect(await read(run, first!)).toBeNull();
    const { tasks: again } = await run.claim(2);
    expect(again).toMatchObject([{ attempt: 2, key: first!.key, indices: [0] }]);
    expect((await read(run, again[0]!))?.elements).toHaveLength(2);
    await run.api.report({ v: 1, reports: [made(again[0]!, "x")] });
    expect(await run.ended()).toMatchObject({ status: "completed", credits_used: 0.09 });
  });

  it("[E33] is given pages of which each looks at a bounded number of elements, and none beyond the end", async () => {
    const run = new RunFixture();
    const rows = [...Array.from({ length: 4_500 }, () => [1]), "last"];
    await run.start(TEXTS, { rows });
    const { tasks } = await run.claim();
    const [task] = tasks;
    const { task_id, fence } = task!;
    const page = (from: number) => run.api.elements({ v: 1, task_id, fence, from });
    // [E13] A list is not a text, so its element counts as failed.
    expect(await page(0)).toEqual({ elements: [], places: [], failed: 2_000, next: 2_000 });
    const found = await read(run, task!);
    expect(found!.pages).toBe(3);
    expect(values(found!.elements)).toEqual([["j", "last"]]);
    for (const from of [4_501, 1_000_000_000]) {
      expect(await page(from)).toEqual({ elements: [], places: [], failed: 0, next: null });
    }
    await run.api.report({ v: 1, reports: [made(task!, "last")] });
    await run.ended();
  });

  it("[E33] is told of a cancel, and costs nothing then", async () => {
    const run = new RunFixture();
    await run.start(COLLECTED, { rows: ["a"], title: "T" });
    const { tasks } = await run.claim();
    await run.api.cancel(run.request);
    expect(await run.api.heartbeat({ v: 1, tasks })).toMatchObject({ cancel: true });
    const failed = { kind: "failed", code: "CANCELLED", message: "", retryable: false } as const;
    await run.api.report({
      v: 1,
      reports: [report(tasks[0]!, { ...failed, retry_after_ms: null })],
    });
    expect(await run.ended()).toMatchObject({ status: "cancelled", credits_used: 0 });
    expect(await read(run, tasks[0]!)).toBeNull();
  });
});
