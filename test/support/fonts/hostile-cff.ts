import { callGlobal, callLocal, cffIndex, type CffSpec, makeCff, TRIANGLE } from "./make-cff.ts";

interface HostileCff {
  readonly name: string;
  readonly says: string;
  readonly cff: () => Uint8Array<ArrayBuffer>;
  /** 2 if omitted. */
  readonly glyphCount?: number;
}

const [RETURN, ENDCHAR, ESCAPE, HINTMASK] = [11, 14, 12, 19];
const GLYPHS_MAX = 65_535;

/** The first glyph is valid, the second runs `program`. */
const program = (
  name: string,
  says: string,
  bytes: readonly number[],
  more: Partial<CffSpec> = {},
) => ({
  name,
  says,
  cff: () => makeCff({ charstrings: [TRIANGLE, bytes], ...more }),
});
const spec = (name: string, says: string, more: Partial<CffSpec>): HostileCff => ({
  name,
  says,
  cff: () => makeCff({ charstrings: [TRIANGLE, TRIANGLE], ...more }),
});
const bytes = (name: string, says: string, patch: (cff: Uint8Array) => void): HostileCff => ({
  name,
  says,
  cff: () => {
    const cff = makeCff({ charstrings: [TRIANGLE, TRIANGLE] });
    patch(cff);
    return cff;
  },
});
const repeat = (count: number, ...values: number[]) =>
  Array.from({ length: count }, () => values).flat();

export const HOSTILE_CFF: readonly HostileCff[] = [
  { name: "an empty CFF", says: "CFF", cff: () => new Uint8Array(0) },
  { name: "a CFF of zeros", says: "header", cff: () => new Uint8Array(100) },
  { name: "a CFF of ones", says: "header", cff: () => new Uint8Array(100).fill(255) },
  bytes("a CFF of version 2", "version 1", (cff) => cff.fill(2, 0, 1)),
  bytes("a CFF header of no bytes", "version 1", (cff) => cff.fill(0, 2, 3)),
  bytes("offsets of no bytes", "offsets of 0 bytes", (cff) => cff.fill(0, 6, 7)),
  bytes("offsets of nine bytes", "offsets of 9 bytes", (cff) => cff.fill(9, 6, 7)),
  bytes("a list whose first offset is not 1", "not in order", (cff) => cff.fill(2, 10, 11)),
  bytes("a list that ends beyond the table", "would end", (cff) => cff.fill(0x7f, 11, 12)),
  spec("two fonts in one", "holds 1 fonts", { names: [[65], [66]] }),
  spec("no fonts", "holds 1 fonts", { names: [] }),
  spec("outlines of type 1", "type 2", { top: [140, ESCAPE, 6] }),
  spec("outlines at no place", "does not state the offset", { charstringsAt: 0 }),
  spec("outlines at a place before the table", "does not state the offset", { charstringsAt: -5 }),
  spec("outlines beyond the table", "CFF", { charstringsAt: 1_000_000 }),
  spec("a dictionary with a reserved byte", "reserved byte 255", { top: [255] }),
  spec("a dictionary with 49 numbers in a row", "too many numbers", { top: repeat(49, 139) }),
  spec("a dictionary with a real number that never ends", "", { top: [30, ...repeat(200, 0x11)] }),
  spec("a private dictionary beyond the table", "private dictionary", { privateSize: 1_000_000 }),
  spec("a private dictionary of negative size", "private dictionary", { privateSize: -1 }),
  spec("names of glyphs in format 9", "format 9", { charset: [9] }),
  spec("ranges of names beyond the table", "CFF", {
    charset: [2],
    charstrings: repeat(2_000, 0).map(() => [ENDCHAR]),
  }),
  {
    name: "fewer outlines than glyphs",
    says: "2 outlines",
    cff: () => makeCff({ charstrings: [TRIANGLE, TRIANGLE] }),
    glyphCount: 3,
  },
  spec("a choice of dictionaries in format 7", "format 7", { fdSelect: [7, 0, 0] }),
  spec("a choice of dictionaries cut off", "choice of font dictionaries", { fdSelect: [0] }),
  spec("a choice of a dictionary that is not there", "missing font dictionary", {
    fdSelect: [0, 0, 1],
  }),
  spec("ranges of dictionaries out of order", "not in order", {
    fdSelect: [3, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2],
  }),
  spec("ranges of dictionaries that leave glyphs out", "does not cover all glyphs", {
    fdSelect: [3, 0, 1, 0, 0, 0, 0, 1],
  }),
  program("a program without an end", "never ends", [139, 139, 21]),
  program("a program of no bytes", "never ends", []),
  program("an operator that does not exist", "operator 2", [2, ENDCHAR]),
  program("an operator that does not exist behind the escape", "operator 12 99", [
    ESCAPE,
    99,
    ENDCHAR,
  ]),
  spec("a number cut off", "cut off", { charstrings: [[28, 1], TRIANGLE] }),
  program("a mask cut off", "cut off", [...repeat(40, 139), HINTMASK, 0]),
  program("514 numbers piled up", "on its stack", [...repeat(514, 139), ENDCHAR]),
  program("arithmetic on nothing", "more numbers than it has", [ESCAPE, 10, ENDCHAR]),
  program("a subroutine that is not there", "calls a missing subroutine", [
    ...callLocal(0),
    ENDCHAR,
  ]),
  program(
    "a subroutine beyond the last",
    "calls a missing subroutine",
    [...callGlobal(1), ENDCHAR],
    {
      globalSubrs: [[RETURN]],
    },
  ),
  program("a subroutine of no number", "calls a missing subroutine", [29, ENDCHAR], {
    globalSubrs: [[RETURN]],
  }),
  program(
    "a subroutine chosen by arithmetic",
    "calls a missing subroutine",
    [ESCAPE, 23, 29, ENDCHAR],
    {
      globalSubrs: [[RETURN]],
    },
  ),
  program("a subroutine that calls itself", "deep", [...callLocal(0), ENDCHAR], {
    localSubrs: [[...callLocal(0), RETURN]],
  }),
  program("two subroutines that call each other", "deep", [...callGlobal(0), ENDCHAR], {
    globalSubrs: [
      [...callGlobal(1), RETURN],
      [...callGlobal(0), RETURN],
    ],
  }),
  program("subroutines that double ten times over", "10000 steps", [...callGlobal(0), ENDCHAR], {
    globalSubrs: Array.from({ length: 10 }, (_, i) =>
      i === 9
        ? [...repeat(200, 139, 22), RETURN]
        : [...callGlobal(i + 1), ...callGlobal(i + 1), ...callGlobal(i + 1), RETURN],
    ),
  }),
  program("a program of 10,001 steps", "10000 steps", [...repeat(5_000, 139, 22), 139, ENDCHAR]),
  {
    name: "650 million steps in a file of 700 KB",
    says: "every glyph once",
    cff: () =>
      makeCff({
        charstrings: Array.from({ length: GLYPHS_MAX }, () => [...callGlobal(0), ENDCHAR]),
        globalSubrs: [[...repeat(4_990, 139, 22), RETURN]],
      }),
    glyphCount: GLYPHS_MAX,
  },
  {
    name: "accents on letters in every glyph",
    says: "every glyph once",
    cff: () =>
      makeCff({ charstrings: Array.from({ length: 4_000 }, () => [...repeat(4, 139), ENDCHAR]) }),
    glyphCount: 4_000,
  },
  {
    name: "a list of offsets that go back",
    says: "not in order",
    cff: () => {
      const index = cffIndex([TRIANGLE, TRIANGLE]);
      const cff = makeCff({ charstrings: [TRIANGLE, TRIANGLE] });
      const at = cff.length - index.length;
      cff[at + 3 + 7] = 200;
      return cff;
    },
  },
];
