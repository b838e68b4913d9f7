/** The one cache of compiled plans: by weight, least recently used first, for requests and for run objects. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RunMetadata } from "../../../../durable-objects/run/live-run.ts";
import { planOf } from "../../../../durable-objects/run/wake-run.ts";
import { CACHE_LIMITS } from "../../../../src/domain/cache-limits.ts";
import {
  compileVersion,
  knownVersion,
  type VersionKey,
} from "../../../../src/domain/workflows/versions/compiled-versions.ts";
import { loadVersion } from "../../../../src/domain/workflows/versions/load-version.ts";
import { isolateMemory, WORK_BYTES_MAX } from "../../../../src/lib/memory/memory-budget.ts";

const { charsMax, each, bytesOfChar } = CACHE_LIMITS.definitions;
const WORKSPACE = "ws_cache";

const TEXT = JSON.stringify({
  nodes: [
    { id: "word", type: "input/text" },
    { id: "code", type: "image/code", parameters: { symbology: "qr", size: 512 } },
    { id: "picture", type: "output/image", parameters: { key: "picture" } },
  ],
  connections: [
    { from: { node: "word", port: "text" }, to: { node: "code", port: "text" } },
    { from: { node: "code", port: "image" }, to: { node: "picture", port: "image" } },
  ],
});
/** The same definition in a text that weighs so much. */
const weighing = (chars: number) => TEXT.padEnd(chars - each);

const keyOf = (workflowId: string): VersionKey => ({
  workspaceId: WORKSPACE,
  workflowId,
  version: 1,
});

function compiled(workflowId: string, text: string) {
  const made = compileVersion(keyOf(workflowId), text);
  if ("issues" in made) {
    throw new Error(JSON.stringify(made.issues));
  }
  return made.version;
}

const metadataOf = (workflowId: string, size?: number) =>
  ({
    workspace_id: WORKSPACE,
    workflow_id: workflowId,
    workflow_version: 1,
    parameter_overrides:
      size === undefined ? [] : [{ node_id: "code", parameter: "size", value_json: String(size) }],
  }) as unknown as RunMetadata;

const sizeIn = (plan: ReturnType<typeof planOf>) =>
  plan.nodes.flatMap(({ id, params }) =>
    id === "code" ? [(params as { size: number }).size] : [],
  )[0];

/** A request without a database: it finds a version in the cache, or fails. */
const requested = (workflowId: string) =>
  loadVersion({ env: {}, principal: { workspaceId: WORKSPACE } } as never, workflowId, 1);

const unread = () => {
  throw new Error("The run reads its definition again.");
};

/** Others need all of the isolate's memory. */
function dropAll(): void {
  const holder = isolateMemory.holder();
  isolateMemory.tryTake(isolateMemory.join(holder, WORK_BYTES_MAX), 0)?.release();
}

// Other files in this process keep values in the same budget, and those may be dropped while a test counts.
beforeEach(dropAll);
afterEach(dropAll);

test("plans are kept by weight, and the least recently used is removed first", () => {
  const weight = Math.floor(charsMax / 2);
  compiled("a", weighing(weight));
  const b = compiled("b", weighing(weight));
  expect(isolateMemory.keptBytes).toBe(2 * weight * bytesOfChar);
  const a = knownVersion(keyOf("a"));
  expect(a).toBeDefined();
  const c = compiled("c", TEXT);
  expect([a, b, c].map((_, i) => knownVersion(keyOf("abc"[i]!)))).toEqual([a, undefined, c]);
});

test("plans are dropped when others need the memory", () => {
  compiled("a", weighing(1_000_000));
  dropAll();
  expect(knownVersion(keyOf("a"))).toBeUndefined();
  expect(isolateMemory.keptBytes).toBe(0);
});

test("a run finds the plan that a request has compiled, and a request that of a run", async () => {
  const { plan } = compiled("of-a-request", TEXT);
  expect(planOf(metadataOf("of-a-request"), unread)).toBe(plan);

  const ofRun = planOf(metadataOf("of-a-run"), () => TEXT);
  expect((await requested("of-a-run")).plan).toBe(ofRun);
  await expect(requested("of-nobody")).rejects.toThrow();
});

test("what an interface sets is applied to the plan that was found, which stays as it is", () => {
  const version = compiled("a", TEXT);
  const [small, large] = [64, 2_048].map((size) => planOf(metadataOf("a", size), unread));
  expect([small!, large!, version.plan].map(sizeIn)).toEqual([64, 2_048, 512]);
  // Every other node is the same.
  expect(large!.nodes.filter((node) => !version.plan.nodes.includes(node))).toHaveLength(1);
  expect(knownVersion(keyOf("a"))).toBe(version);
  expect(planOf(metadataOf("a"), unread)).toBe(version.plan);
});
