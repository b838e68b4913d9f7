/** Workbooks damaged as archives, as XML and as sheets; and the XML scanner compared with saxes. */
import { SaxesParser } from "saxes";
import { expect, test } from "vitest";
import type { DatasetProfile } from "../../../src/contracts/dataset.ts";
import { DatasetError } from "../../../src/datasets/dataset-error.ts";
import { XmlProblem, XmlScanner } from "../../../src/datasets/xlsx/xml-scanner.ts";
import { inspectBytes } from "../../support/datasets/inspect-bytes.ts";
import { liveBytes } from "../../support/datasets/live-bytes.ts";
import { workbookParts } from "../../support/datasets/make-workbook.ts";
import {
  makeZip,
  type Claims,
  type ZipClaims,
  type ZipPart,
} from "../../support/datasets/make-zip.ts";
import { testInProof } from "../../support/in-proof.ts";
import { executionsOf } from "../../support/sizes.ts";
import { fuzzReader, type ReaderFuzz } from "../../support/fuzz/fuzz-reader.ts";
import { heap, mutate } from "../../support/fuzz/mutate.ts";
import type { SeededRandom } from "../../simulation/seeded-random.ts";

const SEED = 20_261_120;
const PARTS = workbookParts({
  rows:
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>b</t></is></c><c r="C1" t="str"><v>c</v></c></row>' +
    '<row r="2"><c r="A2"><v>1.5</v></c><c r="B2" s="1"><v>45000.25</v></c><c r="C2" t="b"><v>1</v></c></row>' +
    '<row r="4"><c r="A4" t="e"><v>#N/A</v></c><c r="B4" t="s"><f>A1</f><v>1</v></c></row>',
  sharedStrings:
    '<si><t>a</t></si><si><r><t>rich &amp; </t></r><r><t xml:space="preserve"> _x000D_</t></r></si>',
  styles:
    '<numFmts><numFmt numFmtId="164" formatCode="yyyy-mm-dd"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs>',
  after: '<mergeCells><mergeCell ref="A1:B1"/></mergeCells>',
});
const XML_WORDS = [
  "<",
  ">",
  "/>",
  "</",
  "<c>",
  "</c>",
  "<v>",
  "</v>",
  "<row r='9'>",
  "</row>",
  "<x:c ",
  ' r="XFD1048576"',
  ' r="A0"',
  ' t="s"',
  ' t="d"',
  ' s="999999"',
  ' s="-1"',
  "&amp;",
  "&#x41;",
  "&#0;",
  "&x;",
  "<![CDATA[",
  "]]>",
  "<!--",
  "-->",
  "<?p?>",
  "<!DOCTYPE a>",
  '"',
  "'",
  "=",
  "\ufeff",
  "1e999",
  "-0",
  "NaN",
  "4294967296",
  "999999999",
  "é漢🎉",
  "\r\n",
  "\r",
  "\u0001",
  'xmlns="u"',
  " a='<'",
  "x".repeat(2_000),
];
const FIGURES = [0, 1, 7, 0xff, 0xffff, 0x10000, 0x7fffffff, 0xfffffffe, 0xffffffff];

function claims(random: SeededRandom): Claims {
  const some = <T>(value: T) => (random.chance(0.25) ? value : undefined);
  const drawn = {
    expandedBytes: some(random.pick(FIGURES)),
    compressedBytes: some(random.pick(FIGURES)),
    flags: some(random.pick([1, 8, 0x40, 0x800, 0x2000])),
    method: some(random.pick([0, 8, 9, 12, 99])),
    crc32: some(random.pick(FIGURES)),
    name: some(
      random.pick(["", "../x", "/xl/workbook.xml", "XL\\WORKBOOK.XML", "x".repeat(300), "\0"]),
    ),
    extra: some(Uint8Array.from({ length: random.below(40) }, () => random.below(256))),
  };
  return Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== undefined));
}

interface Workbook {
  readonly bytes: Uint8Array;
  readonly how: string;
}

function draw(random: SeededRandom): Workbook {
  const hit = random.below(PARTS.length);
  const one = (change: (part: ZipPart) => ZipPart) =>
    PARTS.map((part, index) => (index === hit ? change(part) : part));
  switch (random.below(4)) {
    case 0:
      return {
        how: "bytes",
        bytes: mutate(random, makeZip(PARTS), ["PK\u0001\u0002", "PK\u0005\u0006"]),
      };
    case 1: {
      // The archive is valid, its content is not.
      const parts = one((part) => ({
        ...part,
        data: mutate(random, Buffer.from(part.data as string), XML_WORDS),
      }));
      return { how: "xml", bytes: makeZip(parts) };
    }
    case 2: {
      const end: ZipClaims = {
        ...(random.chance(0.3) ? { entries: random.pick(FIGURES) & 0xffff } : {}),
        ...(random.chance(0.2) ? { offset: random.pick(FIGURES) } : {}),
        ...(random.chance(0.2) ? { comment: "PK\u0005\u0006".repeat(random.int(1, 9)) } : {}),
        ...(random.chance(0.4)
          ? {
              wide: random.chance(0.5)
                ? {}
                : { at: random.pick(FIGURES), entries: random.pick([7, 2 ** 40]) },
            }
          : {}),
      };
      return {
        how: "claims",
        bytes: makeZip(
          one((part) => ({ ...part, claims: claims(random), own: claims(random) })),
          end,
        ),
      };
    }
    default:
      return {
        how: "honest",
        bytes: makeZip(
          PARTS.map((part) => ({
            ...part,
            isStored: random.chance(0.3),
            isStreamed: random.chance(0.4),
            isWide: random.chance(0.3),
          })),
          random.chance(0.3) ? { wide: {} } : {},
        ),
      };
  }
}

type ReadWorkbook = (bytes: Uint8Array) => Promise<DatasetProfile>;
const readWhole: ReadWorkbook = (bytes) => inspectBytes(bytes, "d.xlsx");

const workbookFuzz = (
  read: ReadWorkbook,
  executions: number,
): ReaderFuzz<Workbook, DatasetProfile> => ({
  name: "workbooks",
  seed: SEED,
  executions,
  draw,
  read: ({ bytes }) => read(bytes),
  isRefusal: (error) => error instanceof DatasetError,
  liveBytes,
  show: ({ how, bytes }) => `${how}: ${Buffer.from(bytes).toString("base64").slice(0, 4_000)}`,
  judge({ how }, profile) {
    if (how !== "honest") {
      return undefined;
    }
    return profile?.row_count === 2 ? undefined : `an honest file has ${profile?.row_count} rows`;
  },
});

test("a workbook", async () => {
  const report = await fuzzReader(workbookFuzz(readWhole, executionsOf(600)));
  process.stderr.write(`${report.text}\n`);
  expect(report.findings).toEqual([]);
  expect(Math.min(report.accepted, report.refused)).toBeGreaterThan(report.executions / 20);
}, 600_000);

interface Xml {
  readonly text: string;
  readonly pieceChars: number;
}
/** Starts with attributes, joined texts, ends: one line each. */
type ReadXml = (xml: Xml) => string;

const told = () => {
  const lines: string[] = [];
  return {
    lines,
    text: (text: string) => {
      const last = lines.at(-1);
      if (last?.startsWith("T") === true) {
        lines[lines.length - 1] = last + text;
      } else if (text !== "") {
        lines.push(`T${text}`);
      }
    },
  };
};

const scan: ReadXml = ({ text, pieceChars }) => {
  const { lines, text: addText } = told();
  const scanner = new XmlScanner({
    open: (name, attributes) => {
      const all = Array.from({ length: attributes.count }, (_, i) => [
        attributes.name(i),
        attributes.value(i),
      ]);
      lines.push(`O${name} ${JSON.stringify(all)}`);
    },
    text: addText,
    close: (name) => lines.push(`C${name}`),
  });
  for (let at = 0; at < text.length; at += pieceChars) {
    scanner.write(text.slice(at, at + pieceChars));
  }
  scanner.finish();
  return lines.join("\n");
};

/** The same by saxes; undefined if it rejects the text. */
function bySaxes(text: string): string | undefined {
  const { lines, text: addText } = told();
  const parser = new SaxesParser({ xmlns: false, position: false });
  let problem: Error | undefined;
  parser.on("error", (error) => {
    problem ??= error;
  });
  parser.on("doctype", () => {
    problem ??= new Error("doctype");
  });
  let depth = 0;
  const local = (name: string) => name.slice(name.indexOf(":") + 1);
  parser.on("opentag", ({ name, attributes }) => {
    depth++;
    lines.push(`O${local(name)} ${JSON.stringify(Object.entries(attributes))}`);
  });
  const inside = (given: string) => {
    if (depth > 0) {
      addText(given);
    }
  };
  parser.on("text", inside);
  parser.on("cdata", inside);
  parser.on("closetag", ({ name }) => {
    depth--;
    lines.push(`C${local(name)}`);
  });
  parser.write(text).close();
  return problem === undefined ? lines.join("\n") : undefined;
}

/**
 * Rejected by saxes but accepted here: names with unusual characters, unused declarations, `]]>` in
 * a text, `--` in a comment.
 */
const TAKEN_BESIDES = /[^\x20-\x7e\s]|<\?|]]>|--|:|xmlns|x{100}/;

const xmlFuzz = (read: ReadXml): ReaderFuzz<Xml, string> => ({
  name: "xml",
  seed: SEED,
  executions: executionsOf(4_000),
  draw(random) {
    const part = PARTS[random.below(PARTS.length)]!.data as string;
    const text = random.chance(0.3)
      ? `<a>${heap(random, [...XML_WORDS, "<a>", "</a>", "<b c='d'/>", "text"], 12)}</a>`
      : new TextDecoder().decode(mutate(random, Buffer.from(part), XML_WORDS));
    return { text: text.replaceAll(/\r(?!\n)/g, ""), pieceChars: random.pick([1, 3, 64, 1 << 20]) };
  },
  read,
  isRefusal: (error) => error instanceof XmlProblem,
  judge({ text }, ours) {
    const theirs = bySaxes(text);
    if (theirs !== undefined && ours === undefined) {
      return `saxes takes it: ${theirs.slice(0, 300)}`;
    }
    if (theirs === undefined) {
      return ours === undefined || TAKEN_BESIDES.test(text) ? undefined : "saxes refuses it";
    }
    return theirs === ours
      ? undefined
      : `we read ${String(ours).slice(0, 300)}, saxes ${theirs.slice(0, 300)}`;
  },
});

test("XML, compared with saxes", async () => {
  // `readXml` joins a CRLF that is split between pieces before the scanner sees it.
  const report = await fuzzReader(
    xmlFuzz(({ text, pieceChars }) => scan({ text: text.replaceAll("\r\n", "\n"), pieceChars })),
  );
  process.stderr.write(`${report.text}\n`);
  expect(report.findings).toEqual([]);
  expect(Math.min(report.accepted, report.refused)).toBeGreaterThan(report.executions / 20);
}, 600_000);

testInProof(
  "the fuzzers find planted faults",
  async () => {
    const crashing = await fuzzReader(
      workbookFuzz((bytes) => {
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        // Uses the directory's offset without checking the length of the file.
        view.getUint32(view.getUint32(bytes.length - 6, true), true);
        return readWhole(bytes);
      }, 200),
    );
    expect(crashing.findings[0]?.problem).toMatch(/threw RangeError/);

    const narrow = await fuzzReader(
      workbookFuzz((bytes) => {
        if (Buffer.from(bytes).includes("PK\u0006\u0006")) {
          throw new DatasetError("invalid_data", "Zip64 is not read.");
        }
        return readWhole(bytes);
      }, 200),
    );
    expect(narrow.findings[0]?.problem).toMatch(/an honest file has undefined rows/);

    const lenient = await fuzzReader({
      ...xmlFuzz((xml) =>
        scan({ ...xml, text: xml.text.replaceAll("<v>", "<v >").replaceAll("&x;", "") }),
      ),
      executions: 2_000,
    });
    expect(lenient.findings.map(({ problem }) => problem).join()).toMatch(
      /saxes refuses it|we read/,
    );
  },
  120_000,
);
