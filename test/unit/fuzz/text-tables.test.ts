/**
 * CSV, TSV, JSON and NDJSON of random bytes: rejected or read, with the same result in pieces of
 * any size.
 */
import { expect, test } from "vitest";
import type { DatasetOptions, DatasetProfile } from "../../../src/contracts/dataset.ts";
import { DatasetError } from "../../../src/datasets/dataset-error.ts";
import { inspectBytes } from "../../support/datasets/inspect-bytes.ts";
import { liveBytes } from "../../support/datasets/live-bytes.ts";
import { executionsOf, IS_PROOF } from "../../support/sizes.ts";
import { fuzzReader, type ReaderFuzz } from "../../support/fuzz/fuzz-reader.ts";
import { heap, mutate } from "../../support/fuzz/mutate.ts";
import type { SeededRandom } from "../../simulation/seeded-random.ts";

interface Input {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly options: Partial<DatasetOptions>;
  readonly pieceBytes: number;
}
type Read = (input: Input) => Promise<DatasetProfile>;

const readPieces: Read = ({ bytes, name, options, pieceBytes }) =>
  inspectBytes(bytes, name, options, pieceBytes);

const outcome = async (read: Read, input: Input) => {
  try {
    return JSON.stringify(await read(input));
  } catch (error) {
    return error instanceof DatasetError ? error.code : `threw ${String(error)}`;
  }
};

/** The same bytes in one piece must have the same result. */
const alikeInOnePiece =
  (read: Read) =>
  async (input: Input): Promise<string | undefined> => {
    const [cut, whole] = [
      await outcome(read, input),
      await outcome(read, { ...input, pieceBytes: 1 << 20 }),
    ];
    return cut === whole ? undefined : `in pieces ${cut}, in one ${whole}`;
  };

const show = ({ bytes, name, options, pieceBytes }: Input) =>
  `${name} ${JSON.stringify(options)} pieces of ${pieceBytes}: ${JSON.stringify(Buffer.from(bytes).toString("latin1").slice(0, 300))}`;

const fuzzOf = (
  name: string,
  draw: (random: SeededRandom) => Input,
  judge: ReaderFuzz<Input, DatasetProfile>["judge"],
  read = readPieces,
): ReaderFuzz<Input, DatasetProfile> => ({
  name,
  seed: 20_261_120,
  executions: executionsOf(500),
  draw,
  read,
  judge: async (input, output) =>
    (await judge?.(input, output)) ?? (await alikeInOnePiece(read)(input)),
  isRefusal: (error) => error instanceof DatasetError,
  liveBytes,
  show,
});

const CSV_PIECES = [
  ",",
  ";",
  "\t",
  "|",
  '"',
  '""',
  "\n",
  "\r\n",
  "\r",
  " ",
  "a",
  "b,c",
  "1",
  "-1.50",
  "1.234,5",
  "007",
  "true",
  "FALSE",
  "2024-02-29",
  "2024-02-30",
  "é",
  "漢",
  "🎉",
  "\ufeff",
  "\0",
  "__proto__",
  "=1+1",
  "NaN",
  "1e5",
  "x".repeat(300),
  '"q,\n""q"',
  "99999999999999999999",
  "'",
];

/** Rows as a writer creates them, usually. */
function table(random: SeededRandom): string {
  const delimiter = random.pick([",", ",", ";", "\t", "|"]);
  const line = random.pick(["\n", "\r\n", "\r"]);
  const columns = random.int(1, 5);
  const row = (cell: (column: number) => string) =>
    Array.from({ length: columns }, (_, column) => cell(column)).join(delimiter) + line;
  let text = row((column) => `c${column}`);
  for (let rows = random.below(10); rows > 0; rows--) {
    text += row(() => {
      const value = random.pick(CSV_PIECES);
      const isQuoted = /[\s"]|[,;|\t]/.test(value) || random.chance(0.2);
      return isQuoted ? `"${value.replaceAll('"', '""')}"` : value;
    });
  }
  return text;
}

const drawCsv = (random: SeededRandom): Input => {
  const text = random.chance(0.7) ? table(random) : heap(random, CSV_PIECES, 60);
  const bytes = new TextEncoder().encode(text);
  return {
    bytes: random.chance(0.3) ? mutate(random, bytes, CSV_PIECES) : bytes,
    name: random.pick(["d.csv", "d.tsv", "d.txt"]),
    options: {
      headerRow: random.pick([1, 1, 1, 1, 2, 5]),
      delimiter: random.pick([null, null, null, null, ",", ";", "\t", "|"]),
      locale: random.pick(["invariant", "en-US", "de-DE", "fr-FR", "en-IN"]),
      sampleRows: random.pick([0, 20, 100]),
      maxRows: random.pick([null, null, null, null, 3]),
      formulaPolicy: "cached_value",
    },
    pieceBytes: random.int(1, 40),
  };
};

/** An accepted table has at least the rows of its sample, and cells only for its own columns. */
const plausible = (_input: Input, profile: DatasetProfile | undefined) => {
  if (profile === undefined) {
    return undefined;
  }
  const names = profile.columns.map(({ name }) => name);
  const isWrong =
    profile.sample.length > profile.row_count ||
    new Set(names.map((name) => name.trim().toLowerCase())).size !== names.length ||
    profile.sample.some((row) => Object.keys(row).length !== names.length);
  return isWrong ? `implausible: ${JSON.stringify(profile).slice(0, 500)}` : undefined;
};

test("CSV and TSV", async () => {
  const report = await fuzzReader(fuzzOf("csv", drawCsv, plausible));
  process.stderr.write(`${report.text}\n`);
  expect(report.findings).toEqual([]);
  expect(Math.min(report.accepted, report.refused)).toBeGreaterThan(report.executions / 20);
}, 600_000);

const JSON_PIECES = [
  "[",
  "]",
  "{",
  "}",
  ",",
  ":",
  '"a"',
  '"b":1',
  '{"a":1}',
  '{"a":1,"b":[2]}',
  "null",
  "true",
  "1.50",
  "-0",
  "1e999",
  "01",
  '"\\u12',
  '"\\ud800"',
  '"é"',
  "\n",
  " ",
  '{"__proto__":1}',
  '"',
  "\\",
  "tru",
  "9007199254740993",
  "\ufeff",
  "[[[[",
  "]]]]",
  '{"a":{"b":{"c":[]}}}',
];

const drawJson = (random: SeededRandom): Input => {
  const rows = Array.from({ length: random.int(0, 6) }, (_, i) => ({
    a: random.pick([i, null, "x", 1.5, [1], { b: "]" }]),
    'b"': random.pick(["}", "\\", "é漢", true]),
  }));
  const isWhole = random.chance(0.6);
  const whole = JSON.stringify(random.chance(0.5) ? rows : { k: { rows }, other: [1, 2] });
  const text = isWhole ? whole : heap(random, JSON_PIECES, 25);
  const bytes = new TextEncoder().encode(text);
  return {
    bytes: random.chance(0.6) ? mutate(random, bytes, JSON_PIECES) : bytes,
    name: "d.json",
    options: { table: random.pick([null, null, "$", "$.k.rows", "k.rows", '$.k["rows"]']) },
    pieceBytes: random.int(1, 40),
  };
};

function parsed(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
}

/** Accepted text is JSON, and has as many rows as JSON.parse finds in an array at the root. */
const isJson = ({ bytes }: Input, profile: DatasetProfile | undefined) => {
  if (profile === undefined) {
    return undefined;
  }
  try {
    const value = parsed(bytes);
    const isSame =
      profile.table !== "$" || (Array.isArray(value) && value.length === profile.row_count);
    return isSame ? undefined : `it counts ${profile.row_count} rows`;
  } catch (error) {
    return `JSON.parse refuses it: ${String(error)}`;
  }
};

test("JSON", async () => {
  const report = await fuzzReader(fuzzOf("json", drawJson, isJson));
  process.stderr.write(`${report.text}\n`);
  expect(report.findings).toEqual([]);
  expect(Math.min(report.accepted, report.refused)).toBeGreaterThan(report.executions / 20);
}, 600_000);

const drawLines = (random: SeededRandom): Input => {
  const line = () =>
    random.chance(0.9)
      ? JSON.stringify({ a: random.pick([1, "x", null]), [random.pick(["b", "c"])]: [{}] })
      : heap(random, JSON_PIECES, 5);
  const text = Array.from({ length: random.int(0, 8) }, line).join(
    random.pick(["\n", "\r\n", "\n\n"]),
  );
  const bytes = new TextEncoder().encode(text);
  return {
    bytes: random.chance(0.4) ? mutate(random, bytes, [...JSON_PIECES, "\n"]) : bytes,
    name: random.pick(["d.ndjson", "d.jsonl"]),
    options: {},
    pieceBytes: random.int(1, 40),
  };
};

const isLines = ({ bytes }: Input, profile: DatasetProfile | undefined) => {
  if (profile === undefined) {
    return undefined;
  }
  const lines = new TextDecoder().decode(bytes).split("\n");
  try {
    const rows = lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line));
    return rows.length === profile.row_count ? undefined : `it counts ${profile.row_count} rows`;
  } catch (error) {
    return `JSON.parse refuses a line: ${String(error)}`;
  }
};

test("NDJSON", async () => {
  const report = await fuzzReader(fuzzOf("ndjson", drawLines, isLines));
  process.stderr.write(`${report.text}\n`);
  expect(report.findings).toEqual([]);
  expect(Math.min(report.accepted, report.refused)).toBeGreaterThan(report.executions / 20);
}, 600_000);

const kept: Uint8Array[] = [];

const FAULTS: readonly [string, ReaderFuzz<Input, DatasetProfile>, RegExp][] = [
  [
    "a reader that loses a row where a piece ends in the middle of it",
    fuzzOf("planted", drawCsv, plausible, async (input) => {
      const profile = await readPieces(input);
      const isCut = input.pieceBytes < 12 && profile.row_count > 2;
      return { ...profile, row_count: profile.row_count - (isCut ? 1 : 0) };
    }),
    /in pieces .*, in one /,
  ],
  [
    "a reader that throws an error other than a rejection",
    fuzzOf("planted", drawCsv, plausible, (input) => {
      if (input.bytes.includes(0)) {
        throw new TypeError("Cannot read properties of undefined");
      }
      return readPieces(input);
    }),
    /threw TypeError/,
  ],
  [
    "a reader that counts a bracket in a text as an element's end",
    fuzzOf("planted", drawJson, isJson, async (input) => {
      const profile = await readPieces(input);
      const isFooled = Buffer.from(input.bytes).includes('"}"');
      return { ...profile, row_count: profile.row_count + (isFooled ? 1 : 0) };
    }),
    /it counts \d+ rows/,
  ],
  [
    "a reader that never answers",
    {
      ...fuzzOf("planted", drawLines, undefined, (input) =>
        input.bytes.length % 97 === 3 ? new Promise(() => undefined) : readPieces(input),
      ),
      judge: () => undefined,
      hangMs: 200,
    },
    /no answer within/,
  ],
  [
    "a reader that keeps what it read",
    fuzzOf("planted", drawLines, isLines, async (input) => {
      kept.push(new Uint8Array(1024 * 1024).fill(1));
      return readPieces(input);
    }),
    /bytes are in use/,
  ],
];

// The last one takes as long as the others together.
test.each(IS_PROOF ? FAULTS : FAULTS.slice(0, -1))(
  "the fuzzer finds %s",
  async (_name, fuzz, problem) => {
    const { findings } = await fuzzReader({ ...fuzz, executions: 300 });
    kept.length = 0;
    expect(findings.map((finding) => finding.problem).join("\n")).toMatch(problem);
  },
  120_000,
);
