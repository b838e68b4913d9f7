import { expect, test } from "vitest";
import { TaskInputs } from "../../../../durable-objects/executor/task-inputs.ts";
import { encodeSpilled, encodeValue } from "../../../../src/engine/values.ts";
import { FileRef } from "../../../../src/lib/files/file-ref.ts";

const MB = 1024 * 1024;

/** Inputs with one value stored in R2 as this text, and the bucket. */
function spilled(text: string) {
  const bytes = new TextEncoder().encode(text);
  const file = new FileRef({
    key: "ws/v.json",
    name: "value.json",
    contentType: "application/json",
    sizeBytes: bytes.byteLength,
  });
  const bucket = {
    get: () => Promise.resolve({ arrayBuffer: () => Promise.resolve(bytes.buffer) }),
  } as unknown as R2Bucket;
  return { inputs: new TaskInputs([{ port: "json", value: encodeSpilled(file) }]), bucket };
}

test("a stored value of words keeps memory for three times its length when the length is known", async () => {
  const { inputs, bucket } = spilled(`"${"x".repeat(MB - 2)}"`);
  expect(inputs.bytes).toBe(12 * MB);
  const loaded = await inputs.load(bucket, "ws");
  expect(loaded.text("json")).toHaveLength(MB - 2);
  expect(inputs.bytes).toBe(3 * MB);
});

test("a stored value of small parts keeps all the memory taken for it", async () => {
  const { inputs, bucket } = spilled(`[${"[],".repeat(300_000)}[]]`);
  const before = inputs.bytes;
  await inputs.load(bucket, "ws");
  expect(inputs.bytes).toBe(before);
});

test("several values together take no more than the limit of a task", () => {
  const { inputs } = spilled(`"${"x".repeat(8 * MB)}"`);
  expect(inputs.bytes).toBe(64 * MB);
});

test("a list knows the places of its values among the connections, and runs of older code count those present", async () => {
  const value = [encodeValue("x"), encodeValue("y")];
  const load = async (places?: readonly number[]) => {
    const inputs = new TaskInputs([{ port: "many", value, ...(places && { places }) }]);
    const loaded = await inputs.load(spilled("").bucket, "ws");
    expect(loaded.list("many")).toEqual(["x", "y"]);
    return { places: loaded.places("many"), digest: inputs.digest };
  };
  const [whole, lacking] = [await load(), await load([1, 4])];
  expect(whole.places).toEqual([0, 1]);
  expect(lacking.places).toEqual([1, 4]);
  // The same values at other places may give another result.
  expect(lacking.digest).not.toBe(whole.digest);
});
