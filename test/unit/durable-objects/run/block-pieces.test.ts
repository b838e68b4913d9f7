import { describe, expect, it } from "vitest";
import { pagesOf } from "../../../../durable-objects/run/blocks/block-pieces.ts";
import {
  type Cell,
  NO_ACCOUNT,
  NO_TAIL,
} from "../../../../durable-objects/run/blocks/block-text.ts";

const cellOf = (head: string, element: number): Cell => ({
  node: 0,
  element,
  status: "ok",
  head,
  tail: NO_TAIL,
  account: NO_ACCOUNT,
  page: -1,
});
const sizes = (text: string, count: number) =>
  pagesOf(Array.from({ length: count }, (_, at) => cellOf(text, at))).map(({ length }) => length);

describe("cells that are sealed", () => {
  it("share a row of at most 500,000 bytes of UTF-8, in whatever language they are", () => {
    expect(sizes("a".repeat(20_000), 32)).toEqual([25, 7]);
    expect(sizes("ä".repeat(20_000), 32)).toEqual([12, 12, 8]);
    expect(sizes("€".repeat(20_000), 32)).toEqual([8, 8, 8, 8]);
    expect(sizes("€".repeat(5_000), 32)).toEqual([32]);
    expect(sizes("€".repeat(5_200), 33)).toEqual([32, 1]);
    expect(sizes("€".repeat(200_000), 2)).toEqual([1, 1]);
    expect(sizes("", 0)).toEqual([]);
  });
});
