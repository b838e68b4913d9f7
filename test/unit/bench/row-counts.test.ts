import { describe, expect, it } from "vitest";
import {
  readRowCounts,
  renderRowCounts,
  type RowCount,
  strayCounts,
} from "../../../bench/scale/row-counts.ts";

const WRITTEN: readonly RowCount[] = [
  { name: "ten steps", figures: { "rows written": 9.4, "R2 lists": 0 } },
  { name: "a task", figures: { "rows written": 0.23, "R2 lists": 0 } },
];

describe("the table of row counts", () => {
  it("is read back as written", () => {
    expect(readRowCounts(renderRowCounts(WRITTEN))).toEqual(WRITTEN);
  });

  it("accepts a new count within the usual variation", () => {
    const counted = [{ name: "ten steps", figures: { "rows written": 9.6, "R2 lists": 0.01 } }];
    expect(strayCounts(WRITTEN, counted)).toEqual([]);
  });

  it("reports an additional row, a new list, and a line that is missing in the file", () => {
    const counted = [
      { name: "ten steps", figures: { "rows written": 11.4, "R2 lists": 1 } },
      { name: "another", figures: { "rows written": 1 } },
    ];
    expect(strayCounts(WRITTEN, counted)).toEqual([
      "ten steps, rows written: 11.4 instead of 9.4",
      "ten steps, R2 lists: 1 instead of 0",
      "another, rows written: 1 instead of nothing",
    ]);
  });
});
