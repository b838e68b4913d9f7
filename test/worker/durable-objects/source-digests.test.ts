/** Outputs of runs from before digests were kept get them when the run is the source of a retry. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { withDigests } from "../../../durable-objects/run/retry/source-digests.ts";
import { canonicalKey } from "../../../src/engine/values/canonical-json.ts";
import { joinOutputs, readOutputs } from "../../../src/engine/values/cell-outputs.ts";
import { encodeSpilled, encodeValue, isSpilled } from "../../../src/engine/values.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import { parseJson } from "../../../src/lib/json/exact-json.ts";
import { sha256HexOfBytes } from "../../../src/lib/sha256.ts";

const OLD = { name: "old", contentType: "application/json", sizeBytes: 13 };
const TEXT = '{"b":1.0,"a":2}';

async function digestsOf(outputs: readonly (readonly [port: string, value: string])[]) {
  const body = joinOutputs(outputs.map(([port, value]) => [port, value]));
  const made = await withDigests(env.FILES, body);
  return {
    isSame: made === body,
    digests: [...readOutputs(made)].map(([port, value]) => {
      const file = isSpilled(value) ? value.spilled : value;
      return [port, file instanceof FileRef ? (file.canonical ?? file.sha256 ?? null) : "json"];
    }),
  };
}

test("a stored value gets the digest of its content, a file that of its bytes, in the same outputs", async () => {
  const key = (name: string) => `ws_old/runs/run_1/${crypto.randomUUID()}/${name}`;
  const [value, file] = [key("value"), key("file")];
  await env.FILES.put(value, TEXT);
  await env.FILES.put(file, "png");
  const { isSame, digests } = await digestsOf([
    ["json", encodeSpilled(new FileRef({ ...OLD, key: value }))],
    ["image", encodeValue(new FileRef({ ...OLD, key: file, contentType: "image/png" }))],
    ["row", encodeValue(7)],
    ["gone", encodeValue(new FileRef({ ...OLD, key: key("gone") }))],
    ["lost", encodeSpilled(new FileRef({ ...OLD, key: key("lost") }))],
  ]);
  expect(isSame).toBe(false);
  expect(digests).toEqual([
    // By value: another notation has the same.
    ["json", canonicalKey(parseJson('{"a":2,"b":1}'))],
    ["image", await sha256HexOfBytes(new TextEncoder().encode("png"))],
    ["row", "json"],
    // Without their bytes they equal nothing.
    ["gone", null],
    ["lost", null],
  ]);
});

test("outputs that have digests are not read", async () => {
  const { isSame, digests } = await digestsOf([
    ["json", encodeSpilled(new FileRef({ ...OLD, key: "ws/none", canonical: "known" }))],
    ["image", encodeValue(new FileRef({ ...OLD, key: "ws/none", sha256: "aa" }))],
  ]);
  expect([isSame, digests]).toEqual([
    true,
    [
      ["json", "known"],
      ["image", "aa"],
    ],
  ]);
});
