/** Compiled schemas are shared between requests as promises, which is safe only while they settle without I/O. */
import { expect, test } from "vitest";
import { compileSchema } from "../../../src/expressions/json-schema.ts";

test("a schema compiles within the microtasks of the request that asks for it", async () => {
  let turns = 0;
  for (const name of ["a", "b"]) {
    const turn = setImmediate(() => turns++);
    await compileSchema({
      type: "object",
      properties: { [name]: { $ref: "#/$defs/text" } },
      $defs: { text: { type: "string", format: "date" } },
    });
    clearImmediate(turn);
  }
  expect(turns).toBe(0);
});
