import { CHARACTER_ROWS, CHARACTER_RUNS } from "./character-data.ts";

/** Line break classes of UAX 14 after its rule LB1, but SA. */
export const LB = {
  AK: 0,
  AL: 1,
  AP: 2,
  AS: 3,
  B2: 4,
  BA: 5,
  BB: 6,
  BK: 7,
  CB: 8,
  CL: 9,
  CM: 10,
  CP: 11,
  CR: 12,
  EB: 13,
  EM: 14,
  EX: 15,
  GL: 16,
  H2: 17,
  H3: 18,
  HH: 19,
  HL: 20,
  HY: 21,
  ID: 22,
  IN: 23,
  IS: 24,
  JL: 25,
  JT: 26,
  JV: 27,
  LF: 28,
  NL: 29,
  NS: 30,
  NU: 31,
  OP: 32,
  PO: 33,
  PR: 34,
  QU: 35,
  RI: 36,
  SA: 37,
  SP: 38,
  SY: 39,
  VF: 40,
  VI: 41,
  WJ: 42,
  ZW: 43,
  ZWJ: 44,
} as const;

/** Grapheme cluster breaks of UAX 29. */
export const GCB = {
  Other: 0,
  CR: 1,
  LF: 2,
  Control: 3,
  Extend: 4,
  ZWJ: 5,
  Regional_Indicator: 6,
  Prepend: 7,
  SpacingMark: 8,
  L: 9,
  V: 10,
  T: 11,
  LV: 12,
  LVT: 13,
} as const;

/** East Asian width W, F or H. */
export const EAST_ASIAN = 1;
export const INITIAL_QUOTE = 2;
export const FINAL_QUOTE = 4;
export const PICTOGRAPHIC = 8;
export const UNASSIGNED = 16;
/** General category Mn or Mc. */
export const MARK = 32;
/** Indic conjunct break of UAX 29. */
export const CONJUNCT_CONSONANT = 64;
export const CONJUNCT_LINKER = 128;
export const CONJUNCT_EXTEND = 256;
/** Default ignorable: nothing is missing if a font has no glyph for it. */
export const IGNORABLE = 512;

const BLOCK_BITS = 7;
const BLOCK = 1 << BLOCK_BITS;

interface Tables {
  /** Number of the row, by block and position in it. */
  readonly blocks: Uint16Array;
  readonly rows: Uint16Array;
  readonly lineBreaks: Uint8Array;
  readonly clusters: Uint8Array;
  readonly scripts: readonly string[];
  readonly flags: Uint16Array;
}

let tables: Tables | undefined;

function load(): Tables {
  const names = CHARACTER_ROWS.split("|").map((row) => row.split(" "));
  const all = new Uint16Array(0x11_0000);
  let at = 0;
  for (const [, length, high, low] of CHARACTER_RUNS.matchAll(/([0-9a-z]*)([A-Z])([A-Z])/g)) {
    const count = length === "" ? 1 : Number.parseInt(length ?? "", 36);
    const row = ((high ?? "").charCodeAt(0) - 65) * 26 + (low ?? "").charCodeAt(0) - 65;
    all.fill(row, at, at + count);
    at += count;
  }
  // Equal blocks are stored once: most code points are unassigned, or of one script.
  const blocks = new Uint16Array(all.length >> BLOCK_BITS);
  const kept: Uint16Array[] = [];
  const numbers = new Map<string, number>();
  for (let block = 0; block < blocks.length; block++) {
    const rows = all.subarray(block << BLOCK_BITS, (block + 1) << BLOCK_BITS);
    const name = rows.join();
    const number = numbers.get(name) ?? kept.length;
    if (number === kept.length) {
      numbers.set(name, number);
      kept.push(rows);
    }
    blocks[block] = number;
  }
  const rows = new Uint16Array(kept.length << BLOCK_BITS);
  kept.forEach((block, i) => rows.set(block, i << BLOCK_BITS));
  return {
    blocks,
    rows,
    lineBreaks: Uint8Array.from(names, ([name = ""]) => LB[name as keyof typeof LB]),
    clusters: Uint8Array.from(names, ([, name = ""]) => GCB[name as keyof typeof GCB]),
    scripts: names.map(([, , name = ""]) => name),
    flags: Uint16Array.from(names, ([, , , value]) => Number(value)),
  };
}

/** A number that stands for all classes of a code point together; the functions below take it. */
export function classOf(codePoint: number): number {
  const { blocks, rows } = (tables ??= load());
  const block = blocks[codePoint >> BLOCK_BITS] ?? 0;
  return rows[(block << BLOCK_BITS) | (codePoint & (BLOCK - 1))] ?? 0;
}

export function lineBreakOf(classes: number): number {
  return (tables ??= load()).lineBreaks[classes] ?? LB.AL;
}

export function clusterBreakOf(classes: number): number {
  return (tables ??= load()).clusters[classes] ?? GCB.Other;
}

/** ISO 15924: `Zyyy` for what all scripts use, `Zinh` for marks that take the script before them, `Zzzz` if unknown. */
export function scriptOf(classes: number): string {
  return (tables ??= load()).scripts[classes] ?? "Zzzz";
}

/** The bits above. */
export function flagsOf(classes: number): number {
  return (tables ??= load()).flags[classes] ?? 0;
}
