/** Files that are valid in two formats, made of the minimum that each format requires. */

export type Part = string | readonly number[] | Uint8Array;

/** Characters are bytes. */
export function bytesOf(...parts: readonly Part[]): Uint8Array<ArrayBuffer> {
  const pieces = parts.map((part) =>
    typeof part === "string" ? Uint8Array.from(part, (char) => char.charCodeAt(0)) : part,
  );
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

const u16le = (value: number) => [value & 255, value >> 8];
const u32le = (value: number) => [...u16le(value & 0xffff), ...u16le(value >>> 16)];
const u32be = (value: number) => u32le(value).toReversed();
const zeros = (count: number) => new Uint8Array(count);

/** A ZIP archive of one stored entry. */
export function zipOf(name: string, content: string, comment: Part = ""): Uint8Array<ArrayBuffer> {
  const sizes = [...u32le(content.length), ...u32le(content.length), ...u16le(name.length), 0, 0];
  const metadata = [20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  const local = bytesOf("PK\u0003\u0004", metadata, sizes, name, content);
  const entry = bytesOf("PK\u0001\u0002", [20, 0], metadata, sizes, zeros(14), name);
  const places = [...u32le(entry.length), ...u32le(local.length)];
  const note = bytesOf(comment);
  const counts = [0, 0, 0, 0, 1, 0, 1, 0];
  return bytesOf(local, entry, "PK\u0005\u0006", counts, places, u16le(note.length), note);
}

const ZIP = zipOf("evil.js", "alert(1)");
const SCRIPT = "<script>alert(1)</script>";
const PAGE = "\n<!DOCTYPE html><html><body onload=alert(1)></html>";

const PNG = Uint8Array.from(
  atob(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  ),
  (char) => char.charCodeAt(0),
);
const JPEG_START = bytesOf([0xff, 0xd8, 0xff, 0xe0, 0, 16], "JFIF\0", zeros(9));
const JPEG_FRAME = [0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0];
const JPEG_SCAN = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x3f, 0xff, 0xd9];
const JPEG = bytesOf(JPEG_START, JPEG_FRAME, JPEG_SCAN);
const GIF = bytesOf(
  "GIF89a",
  [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255],
  [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b],
);
const WEBP_PICTURE = bytesOf("VP8L", u32le(8), [0x2f, 0, 0, 0, 0, 0x88, 0x88, 8]);
const WEBP = bytesOf("RIFF", u32le(4 + WEBP_PICTURE.length), "WEBP", WEBP_PICTURE);
const AVIF = bytesOf(u32be(24), "ftypavif", zeros(4), "mif1avif", u32be(12), "mdat", zeros(4));
const PDF = bytesOf(
  "%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\nxref\n0 1\n0000000000 65535 f \n",
  "trailer\n<< /Root 1 0 R >>\nstartxref\n46\n%%EOF\n",
);

/** The smallest file of each type, by extension. */
export const WHOLE_FILES: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  png: PNG,
  jpg: JPEG,
  jpeg: JPEG,
  gif: GIF,
  webp: WEBP,
  avif: AVIF,
  pdf: PDF,
};

/** Content that makes a polyglot when it is appended to a file. */
export const FOREIGN_TAILS: readonly (readonly [string, Uint8Array<ArrayBuffer>])[] = [
  ["a ZIP archive", ZIP],
  ["a ZIP archive after a line end", bytesOf("\r\n", ZIP)],
  ["a ZIP archive and four bytes", bytesOf(ZIP, "tail")],
  ["a ZIP archive larger than what is inspected", zipOf("a", "x".repeat(80_000))],
  ["a script", bytesOf(SCRIPT)],
  ["a page", bytesOf(PAGE)],
  ["a page after a kilobyte", bytesOf(zeros(1024), PAGE)],
  ["a program for a server", bytesOf("<?php phpinfo(); ?>")],
  ["a RAR archive", bytesOf("Rar!\u001a\u0007\u0001\0", zeros(20))],
];

/** Harmless content that occurs after pictures and documents. */
export const HARMLESS_TAILS: readonly (readonly [string, Uint8Array<ArrayBuffer>])[] = [
  ["nothing", zeros(0)],
  ["a line end", bytesOf("\r\n")],
  ["zeros", zeros(5_000)],
  ["a film", bytesOf(u32be(20), "ftypmp42", zeros(8), u32be(90_000), "mdat", zeros(90_000))],
  ["a second picture", JPEG],
  ["a camera's own data", bytesOf("SEFH", zeros(40), "MotionPhoto_Data", "SEFT")],
  ["what an edit left of a picture", PNG.subarray(40)],
  ["two letters of a ZIP archive's end", bytesOf("PK\u0005\u0006", zeros(2))],
];

export interface Polyglot {
  readonly title: string;
  readonly extension: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const hollow = (title: string, extension: string, ...parts: readonly Part[]): Polyglot => ({
  title,
  extension,
  bytes: bytesOf(...parts),
});

export const POLYGLOTS: readonly Polyglot[] = [
  hollow("a JPEG of four bytes and a tag", "jpg", [0xff, 0xd8, 0xff, 0xe0], "<script>"),
  hollow("a JPEG whose end comes first", "jpeg", [0xff, 0xd8, 0xff, 0xd9], SCRIPT),
  hollow("a JPEG of a comment alone", "jpg", [0xff, 0xd8, 0xff, 0xfe, 0, 27], SCRIPT),
  hollow("a JPEG of text", "jpg", [0xff, 0xd8, 0xff, 0xe0], "alert(1);".repeat(20_000)),
  hollow("a JPEG whose pixels come without a frame", "jpg", JPEG_START, JPEG_SCAN),
  hollow("a PDF without an object, and a ZIP archive", "pdf", "%PDF-1.4\n%%EOF\n", ZIP),
  hollow("a PDF of a page", "pdf", "%PDF-1.4\n<html>", SCRIPT),
  hollow("a PDF with a page before its objects", "pdf", "%PDF-1.4\n%<html>", SCRIPT, PDF),
  hollow("a PDF in whose updates a page stands", "pdf", PDF, SCRIPT, PDF.subarray(9)),
  hollow("a PNG with a PDF after it", "png", PNG, PDF),
  hollow("a PNG that ends a ZIP archive's comment", "png", PNG, zipOf("a", "b", PNG.subarray(-12))),
  hollow("a film with a ZIP archive after it", "mp4", u32be(16), "ftypisom", zeros(90_000), ZIP),
  hollow("a table with a ZIP archive after it", "csv", "a,b\n".repeat(20_000), ZIP),
  ...Object.entries(WHOLE_FILES).flatMap(([extension, whole]) =>
    FOREIGN_TAILS.map(([tail, bytes]) =>
      hollow(`a .${extension} with ${tail} after it`, extension, whole, bytes),
    ),
  ),
];
