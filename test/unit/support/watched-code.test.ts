/** The statements that the memory watch adds to a Worker's code, and the places that it refuses. */
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import {
  REMOVE_FAULT,
  plantFault,
  WatchedCode,
} from "../../support/node/live-bytes/watched-code.ts";

const SOURCE = `const kept = [];
function add(part) {
  kept.push(part);
  if (part > 2) kept.pop();
  return kept.length;
}
`;

describe("the code of a watched Worker", () => {
  it("has each statement before its place, on lines that are there", () => {
    const code = new WatchedCode(SOURCE);
    code.stopAt({ name: "a part", before: /kept\.push\(/, every: 2 });
    code.plant({ before: /return kept\d*\.length/, holds: "part" });
    expect(code.text.split("\n")).toHaveLength(SOURCE.split("\n").length);
    expect([...code.names]).toEqual([[2, "a part"]]);
    expect(code.text).toContain('isDue("a part", 2)) debugger; kept.push(part);');
  });

  it("keeps what a fault holds while it is active, and nothing otherwise", () => {
    const code = new WatchedCode(SOURCE);
    const fault = { before: /kept\.push\((part\d*)\)/, holds: "[$1]" };
    code.plant(fault);
    const planted = runInNewContext(`${code.text}
      add(1);
      ${plantFault(fault.holds, "undefined")};
      add(2);
      const during = JSON.stringify(globalThis.planted);
      ${REMOVE_FAULT};
      add(3);
      [during, globalThis.planted];`) as readonly unknown[];
    expect([...planted]).toEqual(["[[2]]", undefined]);
  });

  it.each([
    ["a place that occurs twice", /kept\./, "is 3 times"],
    ["a place that is not there", /nothing/, "is 0 times"],
    ["a statement that depends on a condition", /kept\.pop/, "beginning of a statement"],
  ])("refuses %s", (_, before, reason) => {
    expect(() => {
      new WatchedCode(SOURCE).stopAt({ name: "x", before });
    }).toThrow(reason);
  });
});
