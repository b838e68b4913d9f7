/** The layout equals a slow second implementation: regions, lists in lists, output pages and pages that fit their content. */
import { describe, expect, it } from "vitest";
import { buildEdited } from "../../../simulation/planted/build-edited.ts";
import { testInProof } from "../../../support/in-proof.ts";
import { sizeOf } from "../../../support/sizes.ts";
import { compareLayouts } from "../../../support/templates/layout-world.ts";

const WORLDS = sizeOf("layoutWorlds");
/** Of those that pause after every text, which lay out each page once for each of its texts. */
const WORLDS_WITH_PAUSES = Math.max(5, WORLDS / 20);
/** Worlds in which each planted fault must show. */
const WORLDS_OF_FAULTS = 1_500;

const REGION = "src/templates/layout/elements/lay-region.ts";
const ROWS = "src/templates/layout/elements/row-flow.ts";
const PAGE = "src/templates/layout/pages/lay-page.ts";

const FAULTS = [
  {
    name: "the first child of a region has a gap",
    file: REGION,
    from: "    const at = kept.length === 0 ? 0 : used + gap;\n    const sized = alignItems",
    to: "    const at = used + gap;\n    const sized = alignItems",
  },
  {
    name: "the first child across has a gap",
    file: REGION,
    from: "    const at = kept.length === 0 ? 0 : used + gap;\n    // The height",
    to: "    const at = used + gap;\n    // The height",
  },
  {
    name: "a grid's row is as high as its last child",
    file: REGION,
    from: "row.height = Math.max(row.height, laid.height);",
    to: "row.height = laid.height;",
  },
  {
    name: "a child that does not fit ends the region",
    file: REGION,
    from: "if (at + laid.height > limit + ROUNDING) {\n      leftOut += 1;\n      continue;",
    to: "if (at + laid.height > limit + ROUNDING) {\n      leftOut += 1;\n      break;",
  },
  {
    name: "space between is shared by the children",
    file: REGION,
    from: "between: count > 1 ? free / (count - 1) : 0",
    to: "between: count > 1 ? free / count : 0",
  },
  {
    name: "the rows of a grid ignore the region's free height",
    file: REGION,
    from: "y: spread.start + index * spread.between + top + alignedAt",
    to: "y: spread.start + top + alignedAt",
  },
  {
    name: "a list's first row has a gap",
    file: ROWS,
    from: "const at = placed.length === 0 ? 0 : used + gap;",
    to: "const at = used + gap;",
  },
  {
    name: "a header takes room on pages without it",
    file: ROWS,
    from: "const top = hasHeader ? region.headerHeight : 0;",
    to: "const top = region.headerHeight;",
  },
  {
    name: "a row that is too high for any box ends the list",
    file: ROWS,
    from: "        continue;\n      }\n      rows.push(row);",
    to: "        break;\n      }\n      rows.push(row);",
  },
  {
    name: "elements of the last page print on every one",
    file: PAGE,
    from: 'case "last":\n      return isLast;',
    to: 'case "last":\n      return true;',
  },
  {
    name: "a page that fits its content is never lower than authored",
    file: PAGE,
    from: "Math.max(lowest, HEIGHT_MIN)",
    to: "Math.max(lowest, page.height)",
  },
] as const;

const FAULTS_OF_PAUSES = [
  {
    name: "rows that were filled before a pause are not taken back",
    file: PAGE,
    from: "const undo = [pass.mark(), rows?.mark()];",
    to: "const undo = [pass.mark()];",
  },
  {
    name: "a part takes the texts of the part before it",
    file: "src/templates/layout/slices.ts",
    from: "        this.#laid = [];\n        this.#printed = 0;",
    to: "        this.#printed = 0;",
  },
] as const;

describe("the layout", () => {
  it("is that of the slow reference", () => {
    const met = { pages: 0, fittedPages: 0, nestedLists: 0, regions: 0, leftOut: 0, rows: 0 };
    for (let seed = 1; seed <= WORLDS; seed += 1) {
      const { found, expected, shows } = compareLayouts(seed);
      expect({ seed, ...found }).toEqual({ seed, ...expected });
      met.pages += shows.pages > 2 ? 1 : 0;
      met.fittedPages += shows.fittedPages;
      met.nestedLists += shows.nestedLists;
      met.regions += shows.regions;
      met.leftOut += expected.elementsLeftOut > 0 ? 1 : 0;
      met.rows += expected.rowsPrinted > 0 && expected.rowsLeftOut > 0 ? 1 : 0;
    }
    expect(Math.min(...Object.values(met)), JSON.stringify(met)).toBeGreaterThan(WORLDS / 20);
  });

  it("is the same if it pauses after every text", () => {
    for (let seed = 1; seed <= WORLDS_WITH_PAUSES; seed += 1) {
      const { found, expected } = compareLayouts(seed, 1);
      expect({ seed, ...found }).toEqual({ seed, ...expected });
    }
  });

  testInProof.each(FAULTS)("is not if $name", async (fault) => {
    const edited = await buildEdited<typeof import("../../../support/templates/layout-world.ts")>(
      "test/support/templates/layout-world.ts",
      fault,
    );
    let finding = 0;
    for (let seed = 1; seed <= WORLDS_OF_FAULTS && finding === 0; seed += 1) {
      finding = isSame(edited.compareLayouts(seed)) ? 0 : seed;
    }
    expect(finding).toBeGreaterThan(0);
  });

  testInProof.each(FAULTS_OF_PAUSES)("is not with pauses if $name", async (fault) => {
    const edited = await buildEdited<typeof import("../../../support/templates/layout-world.ts")>(
      "test/support/templates/layout-world.ts",
      fault,
    );
    const differs = (seed: number) => !isSame(edited.compareLayouts(seed, 1));
    expect(Array.from({ length: 100 }, (_, seed) => seed + 1).some(differs)).toBe(true);
  });
});

function isSame({ found, expected }: ReturnType<typeof compareLayouts>): boolean {
  return JSON.stringify(found) === JSON.stringify(expected);
}
