/** Tests that read documents of media nodes hold them to their contracts (`test/support/node/read-outputs.ts`). */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NODE_TYPES } from "../../../src/nodes/registry.ts";
import { contractsOfPorts } from "../../support/results/contract-faults.ts";

const FOLDER = join(import.meta.dirname, "../../e2e");

/** Types of sound and film whose outputs have contracts. */
const TYPES = NODE_TYPES.filter(
  (type) =>
    contractsOfPorts(type).size > 0 &&
    /^(?:audio|video)\/|audio_timeline$|dubbing_manifest$/.test(type.type),
).map(({ type }) => type);

const namesOne = (text: string) => TYPES.some((type) => text.includes(`"${type}"`));
const readsUnheld = (text: string) => /\breadResult\(/.test(text);

test("no test of a media node reads a result without holding it to the contracts", () => {
  const files = readdirSync(FOLDER)
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => ({ name, text: readFileSync(join(FOLDER, name), "utf8") }));
  const wrong = files.filter(({ text }) => namesOne(text) && readsUnheld(text));
  expect(wrong.map(({ name }) => name)).toEqual([]);
  const held = files.filter(({ text }) => /\breadOutputs\(|\brunPublished\(/.test(text));
  expect(held.filter(({ text }) => namesOne(text)).length).toBeGreaterThan(3);
});

test("one that does is found", () => {
  expect(TYPES.length).toBeGreaterThan(7);
  const planted = `node("made", "audio/mix"); await readResult(client, id);`;
  expect(namesOne(planted) && readsUnheld(planted)).toBe(true);
});
