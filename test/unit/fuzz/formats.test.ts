/** Uploads other than tables: forms, files of any type by their first bytes, SVGs. */
import { expect, test } from "vitest";
import { ASSET_TYPES } from "../../../src/contracts/files/asset-types.ts";
import { FormError } from "../../../src/formats/form-error.ts";
import { formBoundary, readFormFile } from "../../../src/formats/form-file-reader.ts";
import { detectType } from "../../../src/formats/detect-type.ts";
import { type FileHead, SNIFF_BYTES, sniffFile } from "../../../src/formats/sniff-file.ts";
import { sniffTail } from "../../../src/formats/sniff-tail.ts";
import { cleanSvg } from "../../../src/formats/svg/clean-svg.ts";
import { SvgMalformedError } from "../../../src/formats/svg/svg-malformed-error.ts";
import { liveBytes } from "../../support/datasets/live-bytes.ts";
import { testInProof } from "../../support/in-proof.ts";
import { executionsOf } from "../../support/sizes.ts";
import { fuzzReader, type ReaderFuzz } from "../../support/fuzz/fuzz-reader.ts";
import { heap, mutate } from "../../support/fuzz/mutate.ts";
import type { SeededRandom } from "../../simulation/seeded-random.ts";
import { HARMLESS_SVGS } from "../formats/svg/harmless-svgs.ts";
import { HOSTILE_SVGS, MALFORMED_SVGS } from "../formats/svg/hostile-svgs.ts";

const SEED = 20_261_120;
const latin = (bytes: Uint8Array) =>
  JSON.stringify(Buffer.from(bytes).toString("latin1").slice(0, 400));

interface Form {
  readonly body: Uint8Array;
  readonly contentType: string;
  readonly sizes: readonly number[];
}
type ReadForm = (form: Form) => Promise<string | undefined>;

const FORM_WORDS = [
  "\r\n--b",
  "\r\n--b--",
  "--b\r\n",
  "--",
  "\r\n\r\n",
  "\r\n",
  "\n",
  "Content-Disposition: form-data; ",
  'name="file"',
  'filename="a.txt"',
  "filename=",
  'filename="\\""',
  "%22",
  "b",
  "x".repeat(20_000),
  "\0",
];

function drawForm(random: SeededRandom): Form {
  const content = heap(random, ["x", "\r\n", "--b", "\r\n--", "\r\n--bb", "é", "\0"], 20);
  const field = `--b\r\nContent-Disposition: form-data; name="other"\r\n\r\nvalue\r\n`;
  const whole = Buffer.from(
    `${random.chance(0.3) ? "preamble\r\n" : ""}${field.repeat(random.int(0, 2))}--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n${content}\r\n--b--\r\n`,
  );
  return {
    body: random.chance(0.6) ? mutate(random, whole, FORM_WORDS) : whole,
    contentType: random.chance(0.95)
      ? "multipart/form-data; boundary=b"
      : `multipart/form-data; ${heap(random, ["boundary=", '"', "b", ";", " ", "é", "=", "x".repeat(80)], 6)}`,
    sizes: Array.from({ length: random.int(1, 5) }, () => random.int(1, 60)),
  };
}

/** Name and bytes of the file; undefined if the form has none. */
const readForm: ReadForm = async ({ body, contentType, sizes }) => {
  const boundary = formBoundary(contentType);
  let [at, turn] = [0, 0];
  // One buffer that is reused, like in the runtime.
  const buffer = new Uint8Array(Math.max(...sizes));
  const read = () => {
    if (at >= body.length) {
      return Promise.resolve(undefined);
    }
    const size = Math.min(sizes[turn++ % sizes.length]!, body.length - at);
    buffer.fill(0x21).set(body.subarray(at, at + size));
    at += size;
    return Promise.resolve(buffer.subarray(0, size));
  };
  const file = await readFormFile(read, boundary ?? "none", "file");
  if (file === undefined) {
    return undefined;
  }
  const pieces: Buffer[] = [];
  for await (const piece of file.bytes) {
    pieces.push(Buffer.from(piece));
  }
  return JSON.stringify([file.name, Buffer.concat(pieces).toString("base64")]);
};

const formFuzz = (read: ReadForm): ReaderFuzz<Form, string | undefined> => ({
  name: "forms",
  seed: SEED,
  executions: executionsOf(2_000),
  draw: drawForm,
  read,
  isRefusal: (error) => error instanceof FormError,
  liveBytes,
  show: ({ body, contentType, sizes }) => `${contentType} ${sizes.join()} ${latin(body)}`,
  async judge(form) {
    const outcome = (sizes: readonly number[]) =>
      read({ ...form, sizes }).catch((error: unknown) =>
        error instanceof FormError ? "refused" : String(error),
      );
    const [cut, whole] = [await outcome(form.sizes), await outcome([1 << 20])];
    return cut === whole ? undefined : `in pieces ${cut}, in one ${whole}`;
  },
});

test("a form", async () => {
  const report = await fuzzReader(formFuzz(readForm));
  process.stderr.write(`${report.text}\n`);
  expect(report.findings).toEqual([]);
  expect(Math.min(report.accepted, report.refused)).toBeGreaterThan(report.executions / 20);
}, 600_000);

interface Head {
  readonly extension: string;
  readonly bytes: Uint8Array;
  readonly sizeBytes: number | undefined;
}

const MAGIC = [
  "\u0089PNG\r\n\u001a\n",
  "\u00ff\u00d8\u00ff\u00e0",
  "RIFF\u0010\0\0\0WEBPVP8 ",
  "GIF89a",
  "\0\0\0\u001cftypavif",
  "\0\0\0\u0018ftypisom",
  "\0\0\0\u0014ftypqt  ",
  "\u001aE\u00df\u00a3",
  "ID3\u0003\0\0\0\0\u000f\u007f",
  "RIFF\u0004\0\0\0WAVEfmt ",
  "fLaC\0\0\0\u0022",
  "OggS\0\u0002",
  "OpusHead",
  "\u00ff\u00f1\u0050\u0080",
  "%PDF-1.7\n",
  "PK\u0003\u0004",
  "PK\u0005\u0006",
  "PK\u0005\u0006\0\0\0\0\u0001\0\u0001\0\u0030\0\0\0\0\0\0\0\0\0",
  "\0\0\0\0IEND\u00aeB`\u0082",
  "%%EOF\n",
  "[Content_Types].xml",
  "mimetypeapplication/",
  "glTF\u0002\0\0\0",
  "solid x\nfacet ",
  "acsp",
  "<svg ",
  "<?xml ",
  "{",
  "[",
  "WEBVTT\n",
  "1\n00:00:00,000 --> ",
  "\u00d0\u00cf\u0011\u00e0",
  "MZ",
  "\u007fELF",
  "\u001f\u008b",
  "moov",
  "mdat",
  "IHDR",
  "IDAT",
  "acTL",
];

const EXTENSIONS = [...ASSET_TYPES.keys()];

function drawHead(random: SeededRandom): Head {
  const start = Buffer.from(random.pick(MAGIC), "latin1");
  const words = heap(
    random,
    [...MAGIC, "\0", "\0\0\0\0", "\u00ff\u00ff\u00ff\u00ff", "text\n", "\u007f"],
    30,
  );
  const whole = new Uint8Array(Buffer.concat([start, Buffer.from(words, "latin1")]));
  const bytes = mutate(random, whole).subarray(0, SNIFF_BYTES);
  return {
    extension: random.pick(EXTENSIONS),
    bytes,
    sizeBytes: random.chance(0.25) ? undefined : random.pick([bytes.length, 0xffffffff]),
  };
}

/** With the detector itself. */
const sniff = (extension: string, head: FileHead) => sniffFile(extension, head, detectType);

const headFuzz = (read: typeof sniff): ReaderFuzz<Head, string | undefined> => ({
  name: "sniffing",
  seed: SEED,
  executions: executionsOf(5_000),
  draw: drawHead,
  read: ({ extension, bytes, sizeBytes }) => read(extension, { bytes, sizeBytes }),
  isRefusal: () => false,
  liveBytes,
  show: ({ extension, bytes, sizeBytes }) => `.${extension} of ${sizeBytes}: ${latin(bytes)}`,
  judge({ extension, bytes }, problem) {
    // An executable and a compressed stream are of no type, whatever the file name is.
    const start = Buffer.from(bytes.subarray(0, 4)).toString("latin1");
    // Deflate is gzip's only method; without it, the two bytes may be the length of a video's first
    // part.
    const isForeign = start.startsWith("\u007fELF") || start.startsWith("\u001f\u008b\b");
    const isText = ["csv", "tsv", "txt"].includes(extension);
    return isForeign &&
      problem === undefined &&
      !isText &&
      extension !== "stl" &&
      extension !== "svg"
      ? `takes ${JSON.stringify(start)} for a .${extension}`
      : undefined;
  },
});

test("a file's last bytes", async () => {
  const report = await fuzzReader({
    ...headFuzz((extension, { bytes, sizeBytes = bytes.length }) =>
      Promise.resolve(sniffTail(extension, { head: bytes, tail: bytes, sizeBytes })),
    ),
    name: "sniffing at the end",
    // A file's beginning does not affect it.
    judge: () => undefined,
  });
  process.stderr.write(`${report.text}\n`);
  expect(report.findings).toEqual([]);
}, 600_000);

test("a file's first bytes", async () => {
  const report = await fuzzReader(headFuzz(sniff));
  process.stderr.write(`${report.text}\n`);
  expect(report.findings).toEqual([]);
}, 600_000);

const SVG_WORDS = [
  "<script>",
  "</script>",
  "<g>",
  "</g>",
  "<style>",
  "</style>",
  "<![CDATA[",
  "]]>",
  "<!--",
  "-->",
  "<a href='",
  "javascript:x",
  " onload='x'",
  "url(#a)",
  "url(//evil.example)",
  "@import 'x';",
  "&#60;",
  "&lt;",
  "&amp;",
  "<foreignObject>",
  "<use href='#a'/>",
  " xlink:href='#a'",
  " xmlns:xlink='http://www.w3.org/1999/xlink'",
  "<animate/>",
  "<image href='data:image/png;base64,iVBORw0KGgo='/>",
  " style='fill:red'",
  "/*",
  "*/",
  "\\",
  "expression(",
  "<title>",
  "</title>",
  "<x:g xmlns:x='http://www.w3.org/2000/svg'/>",
];
const SVG_WHOLE = [
  "<script>alert(1)</script>",
  "<g onload='x'/>",
  "<a href='javascript:x'><path d='M0 0h9v9z'/></a>",
  "<style>a{fill:url(//evil.example)}</style>",
  "<style>@import 'x'; b{fill:red}</style>",
  "<style><![CDATA[</style><script>]]></style>",
  "<!-- c -->",
  "<?p i?>",
  "<text>a&lt;b</text>",
  "<title>&#60;script&#62;</title>",
  "<g/>",
  "<animate attributeName='x'/>",
  "<use href='#a'/>",
  "<image href='http://evil.example/a.png'/>",
  "<x:g xmlns:x='http://www.w3.org/2000/svg'><x:path d='M0 0'/></x:g>",
  "<foreignObject><p/></foreignObject>",
  "<g style='fill:expression(1)'/>",
];
const SVGS = [...HARMLESS_SVGS, ...HOSTILE_SVGS, ...MALFORMED_SVGS].map(([, svg]) =>
  new TextEncoder().encode(svg),
);
/** As markup without the values of attributes, which contain text. */
const FORBIDDEN_MARKUP =
  /<(?:\w+:)?(?:script|foreignObject|iframe|animate\w*|set|handler)\b|<[^>]*\son\w+\s*=|<!|<\?/i;
const FORBIDDEN_VALUE = /href="\s*javascript:|\sstyle="[^"]*@import|url\(\s*["']?(?!#)/i;

/** A file of the corpus with well-formed parts inserted between its tags, usually. */
function stuffed(random: SeededRandom): Uint8Array {
  const places = new TextDecoder().decode(random.pick(SVGS)).split("><");
  const text = places.reduce((before, after) => {
    const between = random.chance(0.3) ? random.pick(SVG_WHOLE) : "";
    return `${before}>${between}<${after}`;
  });
  return new TextEncoder().encode(text);
}

const svgFuzz = (clean: (bytes: Uint8Array) => Uint8Array): ReaderFuzz<Uint8Array, Uint8Array> => ({
  name: "svg",
  seed: SEED,
  executions: executionsOf(3_000),
  draw: (random) =>
    random.chance(0.4) ? mutate(random, random.pick(SVGS), SVG_WORDS) : stuffed(random),
  read: clean,
  isRefusal: (error) => error instanceof SvgMalformedError,
  liveBytes,
  show: (bytes) => Buffer.from(bytes).toString("utf8").slice(0, 600),
  judge(_input, cleaned) {
    if (cleaned === undefined) {
      return undefined;
    }
    const text = new TextDecoder().decode(cleaned);
    const tags = text.replaceAll(/>[^<]*</g, "><");
    const left = (
      FORBIDDEN_MARKUP.exec(tags.replaceAll(/="[^"]*"/g, '=""')) ?? FORBIDDEN_VALUE.exec(tags)
    )?.[0];
    if (left !== undefined) {
      return `${left} is left in ${text.slice(0, 500)}`;
    }
    const again = new TextDecoder().decode(clean(cleaned));
    return again === text ? undefined : `cleaning again makes ${again.slice(0, 500)}`;
  },
});

test("an SVG", async () => {
  const report = await fuzzReader(svgFuzz(cleanSvg));
  process.stderr.write(`${report.text}\n`);
  expect(report.findings).toEqual([]);
  expect(Math.min(report.accepted, report.refused)).toBeGreaterThan(report.executions / 20);
}, 600_000);

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const encode = (text: string) => new TextEncoder().encode(text);

testInProof(
  "the fuzzers find planted faults",
  async () => {
    const formsFound = await fuzzReader({
      ...formFuzz(async (form) => {
        const read = await readForm(form);
        // Searches each piece separately for the boundary.
        return form.sizes[0]! < 20 ? read?.slice(0, -3) : read;
      }),
      executions: 300,
    });
    expect(formsFound.findings[0]?.problem).toMatch(/in pieces .*, in one /);

    const sniffed = await fuzzReader({
      ...headFuzz((extension, head) =>
        head.bytes[0] === 0x7f ? Promise.resolve(undefined) : sniff(extension, head),
      ),
      executions: 2_000,
    });
    expect(sniffed.findings[0]?.problem).toMatch(/takes .*ELF/);

    const unbounded = await fuzzReader({
      ...headFuzz((_extension, { bytes }) => {
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        return Promise.resolve(String(view.getUint32(8)));
      }),
      executions: 2_000,
    });
    expect(unbounded.findings[0]?.problem).toMatch(/threw RangeError/);

    const kept = await fuzzReader({
      ...svgFuzz((bytes) => encode(decode(cleanSvg(bytes)).replace(/<g\/>/, "<g onload='x'/>"))),
      executions: 3_000,
    });
    expect(kept.findings[0]?.problem).toMatch(/is left in|cleaning again/);

    const turning = await fuzzReader({
      ...svgFuzz((bytes) => encode(decode(cleanSvg(bytes)).replace(/<\/svg>$/, "<g/></svg>"))),
      executions: 3_000,
    });
    expect(turning.findings[0]?.problem).toMatch(/cleaning again/);
  },
  120_000,
);
