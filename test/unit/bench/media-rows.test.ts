/** docs/media.md has the cost of each node of sound and film from the newest kept rows, so the bench measures each of them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NODE_TYPES } from "../../../src/nodes/registry.ts";

/** It reads documents and the head of a film. */
const UNMEASURED = ["utility/dubbing_manifest"];

const measured = ["sounds", "films"]
  .map((name) =>
    readFileSync(join(import.meta.dirname, `../../../bench/measure-${name}.ts`), "utf8"),
  )
  .join("\n");
const types = NODE_TYPES.filter(
  (node) =>
    node.role !== "input" &&
    node.role !== "output" &&
    "needs" in node &&
    (node.needs as readonly string[]).some((tool) => tool === "audio" || tool === "video"),
).map(({ type }) => type);
const hasRow = (type: string) => new RegExp(`name: ["\`]${type}(?:["\`]|,| )`).test(measured);

test("each node of sound and film has a row in the bench", () => {
  expect(types.length).toBeGreaterThan(15);
  expect(types.filter((type) => !hasRow(type)).toSorted()).toEqual(UNMEASURED);
  expect(hasRow("audio/planted")).toBe(false);
});
