/** Picture files with false headers, truncated data or impossible sizes, each with the expected message. */
import { avifFile, gifFile, jpegFile, pngFile, samplePicture, webpFile } from "./sample-files.ts";

type Code = "IMAGE_UNREADABLE" | "IMAGE_TOO_LARGE";

export interface HostileFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly code: Code;
  readonly says: RegExp;
}

const picture = samplePicture(40, 30);
export const PNG = pngFile(picture);
export const JPEG = jpegFile(picture);
export const WEBP = webpFile(picture);
export const WEBP_LOSSLESS = webpFile(picture, true);
export const WEBP_CLEAR = webpFile(samplePicture(40, 30, true));
export const GIF = gifFile(picture);
export const AVIF = avifFile(picture);

/** The file with some bytes overwritten. */
function patched(file: Uint8Array, ...patches: readonly (readonly [number, readonly number[]])[]) {
  const out = file.slice();
  for (const [at, bytes] of patches) {
    out.set(bytes, at);
  }
  return out;
}

const joined = (...parts: readonly (Uint8Array | readonly number[])[]) =>
  new Uint8Array(Buffer.concat(parts.map((part) => Uint8Array.from(part))));
const u32 = (value: number) => [
  value >>> 24,
  (value >>> 16) & 255,
  (value >>> 8) & 255,
  value & 255,
];
const u16 = (value: number) => [value >> 8, value & 255];
const text = (value: string) => [...Buffer.from(value, "latin1")];
const placeOf = (file: Uint8Array, bytes: readonly number[] | string) =>
  Buffer.from(file).indexOf(Buffer.from(typeof bytes === "string" ? text(bytes) : bytes));

/** Its header is whole: only the pixels are not. */
export const JPEG_CUT_IN_SCAN = JPEG.subarray(0, placeOf(JPEG, [0xff, 0xda]) + 60);

const frame = placeOf(JPEG, [0xff, 0xc0]);
const scan = placeOf(JPEG, [0xff, 0xda]);
const ispe = placeOf(AVIF, "ispe") + 8;
const canvas = placeOf(WEBP_CLEAR, "VP8X") + 8;

function file(name: string, bytes: Uint8Array, says: RegExp, code: Code = "IMAGE_UNREADABLE") {
  return { name, bytes, code, says };
}

const tooLarge = (name: string, bytes: Uint8Array, says: RegExp) =>
  file(name, bytes, says, "IMAGE_TOO_LARGE");

/** A JPEG whose scan is repeated many times. */
function scans(count: number): Uint8Array {
  const one = JPEG.subarray(scan, -2);
  return joined(JPEG.subarray(0, scan), ...Array.from({ length: count }, () => one), [0xff, 0xd9]);
}

const NO_PICTURE = /not a PNG, JPEG, WebP, GIF or AVIF/;

export const HOSTILE_FILES: readonly HostileFile[] = [
  file("nothing", new Uint8Array(0), NO_PICTURE),
  file("one byte", Uint8Array.from([0xff]), NO_PICTURE),
  file("a page", Uint8Array.from(text("<html><img src=x></html>")), NO_PICTURE),
  file("a PNG behind a page", joined(text("<html>"), PNG), NO_PICTURE),
  file("a ZIP with a JPEG behind it", joined(text("PK\u0003\u0004"), JPEG), NO_PICTURE),
  file("a TIFF", Uint8Array.from([...text("II*\u0000"), ...u32(8)]), NO_PICTURE),
  file("a WAV", Uint8Array.from([...text("RIFF"), 4, 0, 0, 0, ...text("WAVE")]), NO_PICTURE),
  tooLarge("26 MB", joined(PNG, new Uint8Array(26 * 1024 * 1024)), /at most 26214400 are accepted/),

  file("a PNG's signature", PNG.subarray(0, 8), /not have a complete PNG header/),
  file("half of a PNG header", PNG.subarray(0, 20), /not have a complete PNG header/),
  file("a PNG that is only its header", PNG.subarray(0, 33), /cut short/),
  file("a PNG without its end", PNG.subarray(0, -12), /cut short/),
  file("a PNG without its last byte", PNG.subarray(0, -1), /cut short/),
  file("a PNG without pixels", joined(PNG.subarray(0, 33), PNG.subarray(-12)), /without pixels/),
  file("a PNG of width 0", patched(PNG, [16, u32(0)]), /not have a complete PNG header/),
  file("a PNG of height 0", patched(PNG, [20, u32(0)]), /not have a complete PNG header/),
  file("a PNG whose chunk claims 4 GB", patched(PNG, [33, u32(0xffff_ffff)]), /cut short/),
  file("a PNG whose chunk claims 2 GB", patched(PNG, [33, u32(0x8000_0000)]), /cut short/),
  file(
    "a PNG whose chunk claims a byte more than there is",
    patched(PNG, [PNG.length - 12, u32(1)]),
    /cut short/,
  ),
  file(
    "a PNG whose first chunk is not a header",
    patched(PNG, [12, text("JHDR")]),
    /not have a complete PNG header/,
  ),
  tooLarge(
    "a PNG of 65535 × 65535",
    patched(PNG, [16, [...u32(65_535), ...u32(65_535)]]),
    /65535 × 65535 px/,
  ),
  tooLarge(
    "a PNG of 2^32 - 1 squared",
    patched(PNG, [16, [...u32(0xffff_ffff), ...u32(0xffff_ffff)]]),
    /4294967295/,
  ),
  tooLarge(
    "a PNG of 1 × 20000",
    patched(PNG, [16, [...u32(1), ...u32(20_000)]]),
    /16384 px on each side/,
  ),
  tooLarge(
    "a PNG of 9000 × 8000",
    patched(PNG, [16, [...u32(9_000), ...u32(8_000)]]),
    /at most 67108864 pixels/,
  ),

  file("a JPEG's first mark", JPEG.subarray(0, 2), /cut short/),
  file("a JPEG that ends in a length", JPEG.subarray(0, 5), /cut short/),
  file("a JPEG that ends in its frame", JPEG.subarray(0, frame + 6), /cut short/),
  file("a JPEG that ends before its scan", JPEG.subarray(0, scan), /cut short/),
  file("a JPEG of begin and end", Uint8Array.from([0xff, 0xd8, 0xff, 0xd9]), /without a picture/),
  file(
    "a JPEG of frame and no scan",
    joined(JPEG.subarray(0, scan), [0xff, 0xd9]),
    /without a picture/,
  ),
  file("a JPEG of width 0", patched(JPEG, [frame + 7, u16(0)]), /0 × 30 px/),
  file("a JPEG of height 0", patched(JPEG, [frame + 5, u16(0)]), /40 × 0 px/),
  file("a JPEG segment of length 0", patched(JPEG, [4, u16(0)]), /has length 0/),
  file("a JPEG segment of length 1", patched(JPEG, [4, u16(1)]), /has length 1/),
  file("a JPEG segment that goes past the end", patched(JPEG, [4, u16(65_535)]), /cut short/),
  file(
    "a JPEG with a second, larger frame",
    joined(
      JPEG.subarray(0, scan),
      patched(JPEG.subarray(frame, frame + 19), [5, [255, 255, 255, 255]]),
      JPEG.subarray(scan),
    ),
    /two frames/,
  ),
  file("a lossless JPEG", patched(JPEG, [frame + 1, [0xc3]]), /lossless coding/),
  file("an arithmetic JPEG", patched(JPEG, [frame + 1, [0xc9]]), /arithmetic coding/),
  file("a hierarchical JPEG", patched(JPEG, [frame + 1, [0xc5]]), /layers/),
  file("a JPEG of 12 bits", patched(JPEG, [frame + 4, [12]]), /12 bits/),
  file("a JPEG of 2 components", patched(JPEG, [frame + 9, [2]]), /2 color components/),
  file(
    "a JPEG that claims 200 components",
    patched(JPEG, [frame + 9, [200]]),
    /damaged frame header/,
  ),
  file("a JPEG of 101 scans", scans(101), /more than 100 scans/),
  tooLarge(
    "a JPEG of 65535 × 65535",
    patched(JPEG, [frame + 5, [255, 255, 255, 255]]),
    /65535 × 65535 px/,
  ),
  tooLarge(
    "a JPEG of 9000 × 8000",
    patched(JPEG, [frame + 5, [...u16(8_000), ...u16(9_000)]]),
    /9000 × 8000 px; at most 67108864 pixels/,
  ),
  tooLarge(
    "a progressive JPEG of 9000 × 8000",
    patched(JPEG, [frame + 1, [0xc2]], [frame + 5, [...u16(8_000), ...u16(9_000)]]),
    /at most 67108864 pixels/,
  ),

  file("a WebP's first 12 bytes", WEBP.subarray(0, 12), /cut short/),
  file("a WebP that ends in its chunk", WEBP.subarray(0, 40), /cut short/),
  file("a WebP without its last byte", WEBP.subarray(0, -2), /cut short/),
  file("a WebP that claims 4 GB", patched(WEBP, [4, [255, 255, 255, 255]]), /cut short/),
  file(
    "a WebP whose chunk claims more than the file",
    patched(WEBP, [16, [255, 255, 255, 127]]),
    /extends past the end/,
  ),
  file(
    "a WebP of no chunks",
    Uint8Array.from([...text("RIFF"), 4, 0, 0, 0, ...text("WEBP")]),
    /without a picture/,
  ),
  file("a WebP of unknown chunks", patched(WEBP, [12, text("JUNK")]), /without a picture/),
  file("a WebP without its start code", patched(WEBP, [23, [0]]), /damaged picture/),
  file("a WebP that is not a key frame", patched(WEBP, [20, [1]]), /damaged picture/),
  file("a WebP of width 0", patched(WEBP, [26, [0, 0]]), /damaged picture/),
  file("a lossless WebP without its mark", patched(WEBP_LOSSLESS, [20, [0]]), /damaged picture/),
  file("an animated WebP", patched(WEBP_CLEAR, [canvas, [0x12]]), /animated/),
  file(
    "a WebP whose canvas is larger than its picture",
    patched(WEBP_CLEAR, [canvas + 4, [255, 0]]),
    /states 256 × 30 px but has 40 × 30/,
  ),
  tooLarge(
    "a WebP of 16383 × 16383",
    patched(WEBP, [26, [0xff, 0x3f, 0xff, 0x3f]]),
    /16383 × 16383 px/,
  ),
  tooLarge(
    "a lossless WebP of 16384 × 16384",
    patched(WEBP_LOSSLESS, [21, [255, 255, 255, 0x0f]]),
    /16384 × 16384 px/,
  ),

  file("a GIF's first 6 bytes", GIF.subarray(0, 6), /cut short/),
  file("a GIF that ends in its palette", GIF.subarray(0, 100), /cut short/),
  file("a GIF that ends before its frame", GIF.subarray(0, 13 + 768), /cut short/),
  file("a GIF that ends in its frame", GIF.subarray(0, -20), /cut short/),
  file("a GIF of 0 × 30", patched(GIF, [6, [0, 0]]), /0 × 30 px/),
  file("a GIF whose frame is larger than it", patched(GIF, [6, [10, 0]]), /is not inside of it/),
  file(
    "a GIF without a palette",
    joined(patched(GIF, [10, [0]]).subarray(0, 13), GIF.subarray(13 + 768)),
    /no palette/,
  ),
  file("a GIF that ends at once", joined(GIF.subarray(0, 13 + 768), [0x3b, 0]), /unknown block/),
  file(
    "a GIF of codes of 12 bits",
    patched(GIF, [placeOf(GIF, [0x2c, 0, 0, 0, 0, 40]) + 10, [12]]),
    /smallest code has 12 bits/,
  ),
  tooLarge("a GIF of 65535 × 65535", patched(GIF, [6, [255, 255, 255, 255]]), /65535 × 65535 px/),

  file("an AVIF's first box", AVIF.subarray(0, 32), /without a size|cut short/),
  file("an AVIF that ends in its boxes", AVIF.subarray(0, 120), /cut short or damaged/),
  file(
    "an AVIF whose box claims 4 GB",
    patched(AVIF, [0, u32(0xffff_ffff)]),
    /cut short or damaged/,
  ),
  file("an AVIF whose box has length 7", patched(AVIF, [0, u32(7)]), /cut short or damaged/),
  file(
    "an AVIF whose long box claims 2^63 bytes",
    patched(AVIF, [0, u32(1)], [8, [0x7f, ...Array.from({ length: 7 }, () => 255)]]),
    /cut short or damaged/,
  ),
  file(
    "an AVIF of a thousand boxes and more",
    joined(AVIF, ...Array.from({ length: 2_001 }, () => [...u32(8), ...text("free")])),
    /more than 2000 boxes/,
  ),
  file("an AVIF of width 0", patched(AVIF, [ispe, u32(0)]), /without a size/),
  file(
    "an AVIF without properties",
    patched(AVIF, [placeOf(AVIF, "ipco"), text("free")]),
    /without a size/,
  ),
  tooLarge(
    "an AVIF of 65535 × 65535",
    patched(AVIF, [ispe, [...u32(65_535), ...u32(65_535)]]),
    /65535 × 65535 px/,
  ),
  tooLarge(
    "an AVIF of 9000 × 8000",
    patched(AVIF, [ispe, [...u32(9_000), ...u32(8_000)]]),
    /at most 67108864 pixels/,
  ),
];
