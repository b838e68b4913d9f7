/** docs/contract/cache.md#equal-elements on the whole service: its executors, its queue and its models. */
import { beforeAll, describe, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import type { Trace } from "../../src/contracts/runs/trace.ts";
import { CODES } from "../support/paid-definitions.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";

interface Iteration {
  readonly credits: number;
  readonly attempt_count: number;
  readonly reused: { readonly by: string; readonly execution: string } | null;
}

const ROWS = 1_000;
/** Of different lengths, which the sample model counts. */
const TOPICS = Array.from({ length: 10 }, (_, at) => `A${" very".repeat(at)} high kite`);
const node = (id: string, type: string, more: object = {}) => ({
  id,
  type,
  label: id,
  parameters: {},
  ...more,
});
const link = (from: string, port: string, to: string, toPort: string) => ({
  from: { node: from, port },
  to: { node: to, port: toPort },
});

/** Each row is written about by a model; how many lines came is one result. */
const WRITES = {
  nodes: [
    ...CODES.nodes.filter(({ id }) => id === "rows"),
    node("write", "ai/text_generation", { cache: { mode: "read" } }),
    node("lines", "output/text", { parameters: { key: "line" } }),
  ],
  connections: [link("rows", "text", "write", "prompt"), link("write", "text", "lines", "text")],
};

let service: SharedService;
let writes: string;
let codes: string;

beforeAll(async () => {
  service = await sharedService();
  writes = await publish(service.client, { name: "Writes", definition: WRITES } as never);
  codes = await publish(service.client, { name: "Codes", definition: CODES } as never);
});

async function ended(workflow: string, rows: readonly string[], cache?: object) {
  const { client } = service;
  const inputs = { rows: { value: JSON.stringify(rows) } };
  const id = await submitRun(client, { workflow, inputs, ...(cache && { cache }) } as never);
  const run = await waitForRun(client, id);
  const trace = await client.call<Trace>("GET", `/api/v1/executions/${id}/trace`);
  const iterations = async (of: string) => {
    const found: Iteration[] = [];
    for (let after = ""; ;) {
      const page = await client.call<{
        readonly data: readonly Iteration[];
        readonly next_cursor: string | null;
      }>("GET", `/api/v1/executions/${id}/trace/nodes/${of}/iterations?page_size=500${after}`);
      found.push(...page.data);
      if (page.next_cursor === null) {
        return found;
      }
      after = `&after=${page.next_cursor}`;
    }
  };
  return { id, run, trace, iterations };
}

describe("a run of equal rows", () => {
  it("asks a model once for each of ten contents of a thousand rows, and is charged for ten", async () => {
    const one = await ended(writes, TOPICS.slice(0, 1));
    const price = one.run.credits_used ?? 0;
    expect(price).toBeGreaterThan(0);
    const ten = await ended(writes, TOPICS);
    const all = Array.from({ length: ROWS }, (_, at) => TOPICS[at % TOPICS.length] ?? "");
    const { id, run, trace, iterations } = await ended(writes, all);
    expect(run).toMatchObject({
      status: "completed",
      outputs_total: ROWS,
      reused_iterations: ROWS - TOPICS.length,
      credits_used: ten.run.credits_used,
    });
    const calls = trace.nodes.flatMap(({ models }) => models ?? []).map((model) => model.calls);
    expect(calls).toEqual([TOPICS.length]);
    const elements = await iterations("write");
    expect(elements).toHaveLength(ROWS);
    const worked = elements.filter(({ reused }) => reused === null);
    expect(worked).toHaveLength(TOPICS.length);
    for (const { reused, credits, attempt_count: attempts } of elements) {
      if (reused !== null) {
        expect({ ...reused, credits, attempts }).toEqual({
          by: "cache",
          execution: id,
          credits: 0,
          attempts: 0,
        });
      }
    }
    const texts = (run.outputs ?? []).map(({ value }) => value);
    const expected = (ten.run.outputs ?? []).map(({ value }) => value);
    expect(new Set(expected).size).toBe(TOPICS.length);
    expect(texts).toEqual(texts.map((_, at) => expected[at % TOPICS.length]));
    expect(texts.length).toBeGreaterThan(TOPICS.length);
  });

  it("that asks without a cache asks for every row", async () => {
    const { run, trace } = await ended(writes, [TOPICS[0]!, TOPICS[0]!, TOPICS[0]!], {
      mode: "off",
    });
    expect(run).toMatchObject({ status: "completed", reused_iterations: 0 });
    expect(trace.nodes.flatMap(({ models }) => models ?? [])).toMatchObject([{ calls: 3 }]);
  });

  it("of which the first fails works each of the others out by itself, and none is charged or marked", async () => {
    // More than a code holds.
    const tooLong = "x".repeat(4_000);
    const rows = [...Array.from({ length: 20 }, () => tooLong), "short", "short"];
    const { run, iterations } = await ended(codes, rows, { mode: "read_write" });
    expect(run).toMatchObject({
      status: "partial_success",
      credits_used: 0.02,
      reused_iterations: 1,
    });
    const elements = await iterations("codes");
    expect(elements.slice(0, 20)).toMatchObject(
      Array.from({ length: 20 }, () => ({ attempt_count: 1, credits: 0, reused: null })),
    );
    expect(elements.slice(20).filter(({ reused }) => reused === null)).toHaveLength(1);
  });
});
