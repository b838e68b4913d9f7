import { describe, expect, it } from "vitest";
import { ASSET_TYPES } from "../../../src/contracts/files/asset-types.ts";
import { detectType } from "../../../src/formats/detect-type.ts";
import { sniffFile } from "../../../src/formats/sniff-file.ts";

const b = (...parts: (string | number[])[]) =>
  Buffer.concat(
    parts.map((part) =>
      typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part),
    ),
  );
const zeros = (count: number) => Array.from({ length: count }, () => 0);
const u32be = (value: number) => [
  (value >>> 24) & 255,
  (value >>> 16) & 255,
  (value >>> 8) & 255,
  value & 255,
];
const u32le = (value: number) => u32be(value).toReversed();
const ftyp = (brand: string, ...others: string[]) =>
  b(u32be(16 + 4 * others.length), "ftyp", brand, zeros(4), others.join(""), zeros(64));
const zip = (name: string, method = 0) =>
  b(
    "PK\u0003\u0004",
    [20, 0, 0, 0],
    [method, 0],
    zeros(4),
    zeros(4),
    u32le(4),
    u32le(4),
    [name.length, 0, 0, 0],
    name,
    "data",
    zeros(32),
  );
const ogg = (codec: string) =>
  b("OggS", [0, 2], zeros(8), zeros(12), [1, codec.length], codec, zeros(40));
const icc = b(u32be(132), "lcms", u32be(0x04300000), "mntrRGB XYZ ", zeros(12), "acsp", zeros(92));
const glb = b("glTF", u32le(2), u32le(20), u32le(0), "JSON");
const stl = b(zeros(80), u32le(1), zeros(50));

const SOF = [0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0];

/** The smallest file of each type. */
const REAL: readonly (readonly [string, Buffer])[] = [
  [
    "png",
    Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    ),
  ],
  ["jpg", b([0xff, 0xd8, 0xff, 0xe0, 0, 16], "JFIF", zeros(10), SOF)],
  ["jpeg", b([0xff, 0xd8, 0xff, 0xe1, 0, 16], "Exif", zeros(10), SOF)],
  ["webp", b("RIFF", u32le(40), "WEBPVP8 ", zeros(40))],
  ["gif", b("GIF89a", [1, 0, 1, 0, 0x80, 0, 0], zeros(6), [0x2c], zeros(20))],
  ["avif", ftyp("avif", "mif1")],
  ["avif", ftyp("mif1", "avif")],
  ["mp4", ftyp("isom", "mp42")],
  ["mp4", ftyp("mp42", "isom")],
  ["mov", ftyp("qt  ")],
  [
    "webm",
    b(
      [
        0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42, 0x86, 0x81, 1, 0x42, 0xf7, 0x81, 1, 0x42, 0xf2, 0x81, 4,
        0x42, 0xf3, 0x81, 8, 0x42, 0x82, 0x84,
      ],
      "webm",
      [0x42, 0x87, 0x81, 4, 0x42, 0x85, 0x81, 2],
      zeros(40),
    ),
  ],
  ["mp3", b([0xff, 0xfb, 0x90, 0x64], zeros(500))],
  ["mp3", b("ID3", [4, 0, 0, 0x7f, 0x7f, 0x7f, 0x7f], zeros(100))],
  ["wav", b("RIFF", u32le(60), "WAVEfmt ", zeros(60))],
  ["wav", b("RF64", u32le(0xffff_ffff), "WAVEds64", zeros(60))],
  ["wav", b("BW64", u32le(0xffff_ffff), "WAVEds64", zeros(60))],
  ["flac", b("fLaC", zeros(60))],
  ["ogg", ogg("\u0001vorbis")],
  ["ogg", ogg("OpusHead")],
  ["opus", ogg("OpusHead")],
  ["m4a", ftyp("M4A ", "isom")],
  ["m4a", ftyp("isom", "mp42")],
  ["aac", b([0xff, 0xf1, 0x50, 0x80, 0x02, 0x1f, 0xfc], zeros(100))],
  ["pdf", b("%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n1 0 obj\n<< >>\nendobj\n")],
  ["txt", Buffer.from("Grüße\n")],
  ["txt", b("caf\u00e9 in Windows-1252")],
  ["srt", Buffer.from("\ufeff1\r\n00:00:01,000 --> 00:00:02,000\r\nHi\r\n")],
  ["vtt", Buffer.from("\ufeffWEBVTT\n\n00:01.000 --> 00:02.000\nHi\n")],
  ["csv", b("name;price\ncaf\u00e9;1,50\n")],
  ["tsv", Buffer.from("a\tb\n1\t2\n")],
  ["json", Buffer.from('\ufeff {"a": [1, 2]}')],
  ["ndjson", Buffer.from('{"a":1}\r\n\r\n{"a":2}\n')],
  ["jsonl", Buffer.from("[1]\n[2]")],
  ["xlsx", zip("[Content_Types].xml", 8)],
  ["xlsx", zip("xl/workbook.xml", 8)],
  ["xlsx", zip("_rels/.rels", 8)],
  ["glb", glb],
  ["gltf", Buffer.from('{"asset":{"version":"2.0"}}')],
  ["obj", Buffer.from("# cube\nmtllib a.mtl\no cube\nv 0 0 0\nvn 0 0 1\nf 1 1 1\n")],
  ["stl", stl],
  ["stl", Buffer.from("solid cube\n facet normal 0 0 1\n  outer loop\n")],
  ["usdz", zip("scene.usdc")],
  ["icc", icc],
];

describe("the inspection of a file's beginning", () => {
  it.each(
    REAL.map(([extension, bytes], at) => [`${extension} (${at})`, extension, bytes] as const),
  )("accepts a real %s", async (_title, extension, bytes) => {
    expect(
      await sniffFile(extension, { bytes, sizeBytes: bytes.byteLength }, detectType),
    ).toBeUndefined();
  });

  it("supports every type that may be stored, except svg, which is cleaned", () => {
    const tested = new Set(REAL.map(([extension]) => extension));
    expect([...ASSET_TYPES.keys()].filter((extension) => !tested.has(extension))).toEqual(["svg"]);
  });

  it("accepts no file as one of another kind", async () => {
    const families = [
      ["jpg", "jpeg"],
      ["ogg", "opus"],
      ["mp4", "m4a"],
      ["ndjson", "jsonl", "json", "gltf"],
      ["txt", "csv", "tsv"],
    ];
    const text = new Set([
      "txt",
      "csv",
      "tsv",
      "json",
      "ndjson",
      "jsonl",
      "gltf",
      "srt",
      "vtt",
      "obj",
    ]);
    const wrong: string[] = [];
    for (const [from, bytes] of REAL) {
      for (const to of ASSET_TYPES.keys()) {
        const isKin =
          from === to ||
          to === "svg" ||
          families.some((family) => family.includes(from) && family.includes(to));
        // Any text is valid text, and may be a table.
        const isText =
          (text.has(from) || (from === "stl" && bytes[0] === 0x73)) &&
          ["txt", "csv", "tsv"].includes(to);
        if (
          !isKin &&
          !isText &&
          (await sniffFile(to, { bytes, sizeBytes: bytes.byteLength }, detectType)) === undefined
        ) {
          wrong.push(`${from} as ${to}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it("reports the actual type of the bytes, and only that", async () => {
    const problem = async (extension: string, bytes: Buffer) =>
      await sniffFile(extension, { bytes, sizeBytes: bytes.byteLength }, detectType);
    const latin1 = Buffer.from("na\u00efve", "latin1");
    for (const [extension, bytes, expected] of [
      ["png", Buffer.from("word"), "The bytes are text"],
      ["png", b([0x89], "PNG\r\n", [0x1a], "\n"), /^The bytes have no known type, or were cut/],
      ["png", latin1, /^The bytes have no known type/],
      ["png", b("GIF89a", [1, 0, 1, 0, 0, 0, 0, 0x2c], zeros(9)), /those of a \.gif file$/],
      ["json", Buffer.from('{"a": [1, }'), /^The text is not valid JSON: .+/],
      ["ndjson", Buffer.from('{"a":1}\n{"b"'), "Line 2 is not JSON"],
      ["csv", Buffer.from("\ufeffa,b\n1,2\n", "utf16le"), /^The text is in UTF-16/],
      ["csv", Buffer.from([0xfe, 0xff, 0, 0x61]), /^The text is in UTF-16/],
      ["csv", Buffer.from("a\u0000"), "The bytes are not text"],
    ] as const) {
      const said = await problem(extension, bytes);
      expect(said, extension).toMatch(expected);
    }
  });

  it("finds files that are shorter than their header states", async () => {
    for (const [extension, bytes] of [
      ["glb", glb],
      ["icc", icc],
      ["stl", stl],
    ] as const) {
      const cut = bytes.subarray(0, bytes.byteLength - 2);
      const problem = await sniffFile(
        extension,
        { bytes: cut, sizeBytes: cut.byteLength },
        detectType,
      );
      expect(problem, extension).toBeTypeOf("string");
    }
  });
});
