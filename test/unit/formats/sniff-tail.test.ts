import { describe, expect, it } from "vitest";
import { detectType } from "../../../src/formats/detect-type.ts";
import { inspectPieces } from "../../../src/domain/assets/inspect-pieces.ts";
import { RequestMemory } from "../../../src/platform/request-memory.ts";
import { AppError } from "../../../src/lib/errors/errors.ts";
import {
  avifFile,
  gifFile,
  jpegFile,
  orientedJpeg,
  pngFile,
  progressiveJpegFile,
  rustWebpFile,
  samplePicture,
  webpFile,
} from "../../support/images/sample-files.ts";
import { SeededRandom } from "../../simulation/seeded-random.ts";
import {
  bytesOf,
  FOREIGN_TAILS,
  HARMLESS_TAILS,
  POLYGLOTS,
  WHOLE_FILES,
  zipOf,
} from "../../support/polyglots/polyglot-files.ts";

/** The result of the shared inspection for a file in pieces of this size. */
async function refusal(
  extension: string,
  bytes: Uint8Array,
  pieceBytes = 50_000,
): Promise<string | undefined> {
  async function* pieces() {
    const shared = new Uint8Array(pieceBytes);
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const piece = bytes.subarray(at, at + pieceBytes);
      // A piece is valid until the next is requested.
      shared.set(piece);
      yield shared.subarray(0, piece.length);
    }
  }
  try {
    let size = 0;
    for await (const piece of inspectPieces(
      {
        pieces: pieces(),
        extension,
        sizeBytes: undefined,
        memory: new RequestMemory(),
        detectType,
      },
      "invalid_content",
    )) {
      size += piece.byteLength;
    }
    expect(size).toBe(bytes.length);
    return undefined;
  } catch (error) {
    return error instanceof AppError && error.code === "invalid_content"
      ? error.message
      : Promise.reject(error as Error);
  }
}

const small = samplePicture(40, 30, true);
const large = samplePicture(700, 500);
const noise = samplePicture(300, 300);
const random = new SeededRandom(20_261_120);
noise.rgba.forEach((_value, at, all) => {
  all[at] = random.below(256);
});

/** Pictures of other sources, smaller and larger than the inspected parts. */
const PICTURES: readonly (readonly [string, string, Uint8Array])[] = [
  ["a small PNG", "png", pngFile(small)],
  ["a PNG of noise", "png", pngFile(noise)],
  ["a small JPEG", "jpg", jpegFile(small)],
  ["a large JPEG", "jpg", jpegFile(large, 100)],
  ["a progressive JPEG", "jpeg", progressiveJpegFile(large, 100)],
  ["a turned JPEG", "jpg", orientedJpeg(jpegFile(small), 6)],
  ["a small WebP", "webp", webpFile(small)],
  ["a lossless WebP", "webp", webpFile(noise, true)],
  ["a WebP of another hand", "webp", rustWebpFile(noise)],
  ["a small AVIF", "avif", avifFile(small)],
  ["an AVIF of noise", "avif", avifFile(noise)],
  ["a small GIF", "gif", gifFile(small)],
  ["a GIF of noise", "gif", gifFile(noise, 3)],
];

describe("the inspection of a whole file", () => {
  it("covers pictures smaller and larger than the inspected parts", () => {
    for (const extension of ["png", "jpg", "webp", "avif", "gif"]) {
      const sizes = PICTURES.filter(([, of]) => of === extension).map(([, , { length }]) => length);
      expect([Math.min(...sizes) < 60_000, Math.max(...sizes) > 70_000], extension).toEqual([
        true,
        true,
      ]);
    }
  });

  it.each(PICTURES)("accepts %s with harmless data after it", async (_of, extension, own) => {
    for (const [title, tail] of HARMLESS_TAILS) {
      expect(await refusal(extension, bytesOf(own, tail)), title).toBeUndefined();
    }
  });

  it.each(PICTURES)("rejects %s that is also of another format", async (_of, extension, own) => {
    for (const [title, tail] of FOREIGN_TAILS) {
      const said = await refusal(extension, bytesOf(own, tail));
      expect(said, title).toMatch(
        /does not match its extension \.\w+\. .*(?:ZIP archive|web page|RAR archive)/,
      );
    }
  });

  it("accepts the smallest file of each format, in pieces of any size", async () => {
    for (const [extension, whole] of Object.entries(WHOLE_FILES)) {
      for (const pieceBytes of [1, 7, 100_000]) {
        expect(await refusal(extension, whole, pieceBytes), extension).toBeUndefined();
      }
    }
  });

  it.each(POLYGLOTS)("rejects $title", async ({ extension, bytes }) => {
    for (const pieceBytes of [997, 65_536, 300_000]) {
      expect(await refusal(extension, bytes, pieceBytes)).toBeTypeOf("string");
    }
  });

  it("accepts a JPEG whose profiles are larger than the inspected part", async () => {
    const profile = bytesOf([0xff, 0xe2, 0xff, 0xff], new Uint8Array(65_533));
    const own = jpegFile(large, 90);
    const whole = bytesOf(own.subarray(0, 2), profile, profile, profile, own.subarray(2));
    expect(await refusal("jpg", whole)).toBeUndefined();
  });

  it("accepts text about pages in places where a picture has text", async () => {
    const words = "Made of <html><script> by hand";
    const chunk = bytesOf([0, 0, 0, words.length + 2], "tEXt", "a\0", words, [0, 0, 0, 0]);
    const own = pngFile(small);
    const end = own.length - 12;
    const png = bytesOf(own.subarray(0, end), chunk, own.subarray(end));
    expect(await refusal("png", png)).toBeUndefined();
    const comment = bytesOf([0xff, 0xfe, 0, words.length + 2], words);
    const jpeg = jpegFile(small);
    const noted = bytesOf(jpeg.subarray(0, 2), comment, jpeg.subarray(2));
    expect(await refusal("jpg", noted)).toBeUndefined();
  });

  it("accepts a PDF with updates, and with a workbook and a page in it", async () => {
    const pdf = WHOLE_FILES["pdf"]!;
    const update = "2 0 obj\n<< /Length 9 >>\nstream\n";
    const closing = "\nendstream\nendobj\nxref\n0 1\ntrailer\n<< >>\nstartxref\n9\n%%EOF\r\n\r\n";
    for (const inside of [
      zipOf("xl/workbook.xml", "<x/>"),
      bytesOf("<html><script>1</script></html>"),
      pdf,
      new Uint8Array(100_000),
    ]) {
      expect(await refusal("pdf", bytesOf(pdf, update, inside, closing))).toBeUndefined();
    }
    const cut = bytesOf(pdf.subarray(0, -7), update, new Uint8Array(100));
    expect(await refusal("pdf", cut)).toBeUndefined();
  });

  it("accepts a workbook and a scene, which are ZIP archives", async () => {
    expect(await refusal("xlsx", zipOf("xl/workbook.xml", "<x/>"))).toBeUndefined();
    expect(await refusal("usdz", zipOf("scene.usdc", "data"))).toBeUndefined();
  });
});
