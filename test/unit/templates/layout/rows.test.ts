import { describe, expect, test } from "vitest";
import { SeededRandom } from "../../../simulation/seeded-random.ts";
import { documentOf, draw, field, render } from "../../../support/templates/layout-kit.ts";
import {
  placeRowsSlowly,
  type RowPlace,
  type RowsCase,
} from "../../../support/templates/reference-rows.ts";

const WORLDS = 150;

function randomCase(random: SeededRandom, isFixed: boolean): RowsCase {
  const count = random.int(0, 30);
  const fixed = random.int(1, 12) * 5;
  return {
    heights: Array.from({ length: count }, () => (isFixed ? fixed : random.int(1, 7) * 10)),
    height: random.int(4, 12) * 10,
    headerHeight: random.pick([0, 0, 10, 25]),
    repeatHeader: random.chance(0.5),
    columns: random.pick([1, 1, 2, 3]),
    gap: random.pick([0, 0, 3, 10]),
    goesOn: random.chance(0.7),
  };
}

/** The same by the layout: a row prints its index as often as it is lines high. */
function placeRows(rows: RowsCase, isFixed: boolean) {
  const region = {
    $type: "repeat_region",
    width: 300,
    height: rows.height,
    itemHeight: isFixed ? (rows.heights[0] ?? 10) : 10,
    fitItemHeight: !isFixed,
    direction: rows.columns === 1 ? "vertical" : "grid",
    columns: rows.columns,
    gap: rows.columns === 1 ? rows.gap : 0,
    rowGap: rows.gap,
    headerHeight: rows.headerHeight,
    repeatHeader: rows.repeatHeader,
    overflowMode: rows.goesOn ? "continue" : "clip",
    placeholder: field("rows", "list"),
    children: [
      {
        $type: "text",
        width: 15,
        height: 10,
        fontSize: 10,
        lineHeight: 1,
        fixedHeight: isFixed,
        placeholder: field("k", "text"),
      },
    ],
  };
  const values = {
    rows: rows.heights.map((height, i) => ({
      k: String(i)
        .padStart(3, "0")
        .repeat(isFixed ? 1 : height / 10),
    })),
  };
  const { pages, facts } = render(documentOf([[region]]), { values });
  const places = pages.flatMap((page, index) => {
    const seen = new Map<number, RowPlace>();
    for (const line of draw(page)) {
      const [, text, x, y] = /text "(\d+)" 10 at ([\d.]+),([\d.]+)/.exec(line) ?? [];
      const row = Number(text);
      const column = Math.round(Number(x) / (300 / rows.columns));
      if (!seen.has(row)) {
        seen.set(row, { row, page: index, column, y: Number(y) - 10 });
      }
    }
    return [...seen.values()];
  });
  return { places, leftOut: facts.rows_left_out, pages: pages.length, facts };
}

describe("rows", () => {
  test.each([true, false])(
    "of fixed height (%s) stand where the plain rules put them",
    (isFixed) => {
      let goneOn = 0;
      let leftOut = 0;
      for (let seed = 1; seed <= WORLDS; seed += 1) {
        const rows = randomCase(new SeededRandom(seed), isFixed);
        const { facts, ...found } = placeRows(rows, isFixed);
        const expected = placeRowsSlowly(rows);
        expect({ seed, ...found }).toEqual({ seed, ...expected });
        expect(facts.rows_printed + facts.rows_left_out).toBe(rows.heights.length);
        goneOn += expected.pages > 1 ? 1 : 0;
        leftOut += expected.leftOut > 0 ? 1 : 0;
      }
      // The worlds show something.
      expect(Math.min(goneOn, leftOut)).toBeGreaterThan(WORLDS / 10);
    },
  );
});
