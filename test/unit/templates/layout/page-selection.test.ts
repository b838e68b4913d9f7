import { describe, expect, test } from "vitest";
import {
  parsePageSelection,
  selectedPages,
} from "../../../../src/templates/layout/pages/page-selection.ts";

function select(text: string, pageCount: number): number[] | null {
  const selection = parsePageSelection(text);
  return selection === null ? null : selectedPages(selection, pageCount);
}

describe("a page selection", () => {
  test.each([
    ["all", [1, 2, 3, 4, 5]],
    ["1", [1]],
    ["2-4", [2, 3, 4]],
    ["1,3-5", [1, 3, 4, 5]],
    ["5,1-2,2", [1, 2, 5]],
    ["3-3", [3]],
    ["05", [5]],
  ])("%s gives its pages once and in order", (text, pages) => {
    expect(select(text, 5)).toStrictEqual(pages);
  });

  test.each([
    "",
    "0",
    "0-2",
    "3-1",
    "1,",
    ",1",
    "1 ,2",
    "-2",
    "1-",
    "1-2-3",
    "ALL",
    "all,1",
    "1.5",
    "१",
    "1".repeat(10),
    "1,".repeat(2000) + "1",
  ])("'%s' is refused", (text) => {
    expect(parsePageSelection(text)).toBeNull();
  });

  test.each(["6", "5-6", "1,6"])("%s of five pages is refused", (text) => {
    expect(select(text, 5)).toBeNull();
  });
});
