/** Bodies of batches wait for the memory that their parsed parts need. */
import { describe, expect, test } from "vitest";
import {
  fingerprintBatch,
  readBatchBody,
} from "../../../src/api/batch-executions/read-batch-body.ts";
import { MemoryBudget } from "../../../src/lib/memory/memory-budget.ts";
import { MemoryGate } from "../../../src/lib/memory/memory-gate.ts";
import type { AppContext } from "../../../src/platform/context.ts";
import { RequestMemory } from "../../../src/platform/request-memory.ts";

const WORKFLOW = "wf_0190f3a27c1e70008000000000000000";
const MB = 1024 * 1024;

/** Reads a body in an isolate of which this much memory is in use. */
async function read(body: string, used = 0) {
  const budget = new MemoryBudget(100 * MB);
  const others = await new MemoryGate(budget).takeWithin(used, 5);
  const memory = new RequestMemory(undefined, new MemoryGate(budget), 5);
  const request = new Request("https://svc.test/", {
    method: "POST",
    headers: { "content-type": "application/json", "content-length": String(body.length) },
    body,
  });
  // It reads nothing else of its context.
  const ctx = { memory } as unknown as AppContext;
  try {
    const result = await readBatchBody(ctx, request);
    return { result, taken: budget.takenBytes - used };
  } finally {
    memory.release();
    others?.release();
  }
}

/** A million characters of JSON whose value needs far more memory than its text. */
const LISTS = `[${Array.from({ length: 333_333 }, () => "[]").join(",")}]`;

describe("a large body", () => {
  test.each([
    ["head", `{"workflow":"${WORKFLOW}","common_inputs":{"a":{"value":${LISTS}}},"items":[{}]}`],
    [
      "largest item",
      `{"workflow":"${WORKFLOW}","items":[{},{"inputs":{"a":{"value":${LISTS}}}},{}]}`,
    ],
  ])("takes memory for the value of its %s", async (_part, body) => {
    const { taken } = await read(body);
    expect(taken).toBeGreaterThan(30 * MB);
    await expect(read(body, 80 * MB)).rejects.toMatchObject({ code: "service_unavailable" });
  });

  test("takes memory for one item of many, and one without large parts hardly more than its bytes", async () => {
    const item = JSON.stringify({ inputs: { a: { value: "x".repeat(100_000) } } });
    const many = await read(
      `{"workflow":"${WORKFLOW}","items":[${Array(50).fill(item).join(",")}]}`,
    );
    expect(many.taken).toBeGreaterThan(5_300_000);
    expect(many.taken).toBeLessThan(5_500_000);
    const small = Array(1_000).fill('{"inputs":{"a":{"value":"a short text of an item"}}}');
    const body = `{"workflow":"${WORKFLOW}","items":[${small.join(",")}]}`;
    expect(body.length).toBeLessThan(64 * 1024);
    expect((await read(body)).taken).toBe(0);
  });
});

test("bodies that differ in items that are none have different fingerprints, and one that is not JSON has none", async () => {
  const printOf = async (...items: string[]) => {
    const body = `{"workflow":"${WORKFLOW}","items":[${items.join(",")}]}`;
    return fingerprintBatch((await read(body)).result);
  };
  const known = await printOf("{}", '{"inputs":1}');
  expect(await printOf("{}", '{"inputs":1}')).toBe(known);
  expect(await printOf("{}", '{"inputs":2}')).not.toBe(known);
  await expect(printOf("{}", "nonsense")).rejects.toMatchObject({
    code: "invalid_request",
    message: expect.stringContaining("items[1]"),
  });
  expect(await printOf("{}", "null")).not.toBe(known);
});
