/** A value of too many parts is refused where it is made, by executors and by run objects, and is stored nowhere. */
import { expect, test } from "vitest";
import { encodeOutputs } from "../../../durable-objects/executor/encode-outputs.ts";
import { createRunHost } from "../../../durable-objects/run/run-host.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";

/** 5 MiB of text, estimated at 160 MB. */
const VALUE: JsonValue = Array.from({ length: 1_750_000 }, () => []);
const tooLarge = expect.objectContaining({ code: "VALUE_TOO_LARGE" }) as Error;
/** No bucket: whatever stored to it would throw a TypeError. */
const BUCKET = undefined as never;

test("by a task", async () => {
  const encoding = encodeOutputs(new Map([["x", VALUE]]), BUCKET, "ws", "p/", undefined as never);
  await expect(encoding).rejects.toThrow(tooLarge);
});

test("by an inline node", async () => {
  const host = createRunHost({ files: BUCKET, workspaceId: "ws", runId: "r", seed: "s" } as never);
  const node = { id: "n", index: 0, type: { type: "aggregate/json" } } as never;
  await expect(async () => host.store(node, 0, "x", VALUE)).rejects.toThrow(tooLarge);
});
