import { describe, expect, test } from "vitest";
import { readPathData } from "../../../../src/templates/geometry/read-path-data.ts";

function segmentsOf(text: string) {
  const result = readPathData(text);
  if (!result.ok) {
    throw new Error(`${text}: ${result.problem.reason}`);
  }
  return result.path.segments.map((segment) =>
    segment.map((part) => (typeof part === "number" ? Math.round(part * 1e6) / 1e6 : part)),
  );
}

describe("path data", () => {
  test.each([
    [
      "M1 2L3 4",
      [
        ["M", 1, 2],
        ["L", 3, 4],
      ],
    ],
    [
      "m1 2 3 4",
      [
        ["M", 1, 2],
        ["L", 4, 6],
      ],
    ],
    [
      "M1,2 3,4",
      [
        ["M", 1, 2],
        ["L", 3, 4],
      ],
    ],
    [
      "M.5.5-1-1",
      [
        ["M", 0.5, 0.5],
        ["L", -1, -1],
      ],
    ],
    [
      "M1e1 2E-1h5V0",
      [
        ["M", 10, 0.2],
        ["L", 15, 0.2],
        ["L", 15, 0],
      ],
    ],
    ["M0 0 1 0zL5 5", [["M", 0, 0], ["L", 1, 0], ["Z"], ["M", 0, 0], ["L", 5, 5]]],
    [
      "M0 0C1 1 2 2 3 3s1 1 2 2",
      [
        ["M", 0, 0],
        ["C", 1, 1, 2, 2, 3, 3],
        ["C", 4, 4, 4, 4, 5, 5],
      ],
    ],
    [
      "M0 0S1 1 2 2",
      [
        ["M", 0, 0],
        ["C", 0, 0, 1, 1, 2, 2],
      ],
    ],
    [
      "M0 0Q3 3 6 0T12 0",
      [
        ["M", 0, 0],
        ["C", 2, 2, 4, 2, 6, 0],
        ["C", 8, -2, 10, -2, 12, 0],
      ],
    ],
    ["M0 0A5 5 0 0 1 0 0", [["M", 0, 0]]],
    [
      "M0 0A0 5 0 0 1 7 0",
      [
        ["M", 0, 0],
        ["L", 7, 0],
      ],
    ],
  ])("reads %s", (text, expected) => {
    expect(segmentsOf(text)).toEqual(expected);
  });

  test("arcs stay on their ellipse, with flags written without spaces", () => {
    const segments = segmentsOf("M10 0a10 10 0 01-20 0a10 10 0 01 20 0z");
    expect(segments.filter(([kind]) => kind === "C")).toHaveLength(4);
    let from: (string | number | undefined)[] = [10, 0];
    for (const [kind, x1, y1, x2, y2, x, y] of segments) {
      if (kind === "C") {
        for (const t of [0.25, 0.5, 0.75, 1]) {
          const at = (a: unknown, b: unknown, c: unknown, d: unknown) =>
            (1 - t) ** 3 * Number(a) +
            3 * (1 - t) ** 2 * t * Number(b) +
            3 * (1 - t) * t ** 2 * Number(c) +
            t ** 3 * Number(d);
          expect(Math.hypot(at(from[0], x1, x2, x), at(from[1], y1, y2, y))).toBeCloseTo(10, 1);
        }
        from = [x, y];
      }
    }
    expect(from.map(Number)).toEqual([10, 0]);
  });

  test.each([
    ["", 0],
    ["   ", 0],
    ["L 1 1", 0],
    ["M 0", 3],
    ["M NaN 0", 2],
    ["M 0 0 L Infinity 0", 8],
    ["M 0 0 L -infinity 0", 8],
    ["M 0 0 L 1e999 0", 8],
    ["M 0 0 L 0x10 0", 9],
    ["M 0 0 L 1 1,", 11],
    ["M 0 0 X", 6],
    ["M 0 0 A 1 1 0 2 0 5 5", 14],
    ["M 0 0 ſ 1 1", 6],
    ["M 0 0 L 1;1", 9],
    ["none", 0],
    ["M 900000 0 l 900000 0", 21],
  ])("refuses %j and says where", (text, at) => {
    const result = readPathData(text);
    expect(result).toMatchObject({ ok: false, problem: { at } });
  });

  test("100,000 commands take time linear in their number and no stack", () => {
    const result = readPathData(`M0 0${"z".repeat(50_000)}${"h1".repeat(50_000)}`);
    expect(result.ok && result.path.segments.length).toBe(50_003);
  });
});
