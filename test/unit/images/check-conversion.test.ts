/** Maximum sizes for conversion by format; docs/decisions/pictures.md has the same values. */
import { describe, expect, it } from "vitest";
import {
  checkConversion,
  CONVERSION_BYTES_MAX,
  conversionBytes,
  type Target,
} from "../../../src/images/conversion-bytes.ts";
import { readImageHeader } from "../../../src/images/header/read-image-header.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";
import {
  avifFile,
  gifFile,
  jpegFile,
  orientedJpeg,
  pngFile,
  progressiveJpegFile,
  samplePicture,
  webpFile,
} from "../../support/images/sample-files.ts";
import { encodeJpeg } from "../../support/images/encode-jpeg.ts";

const MB = 1024 * 1024;
const opaque = samplePicture(40, 30);
const clear = samplePicture(40, 30, true);
const TARGETS = ["png", "jpg", "webp"] as const;

/** Megapixels of 4:3 that are accepted with a file of this many MiB, to png, jpg and webp. */
const KINDS: readonly (readonly [string, Uint8Array, number, readonly number[]])[] = [
  ["a JPEG", encodeJpeg(opaque, 80), 4, [67.1, 67.1, 15.2]],
  ["a JPEG that is turned", orientedJpeg(encodeJpeg(opaque, 80), 6), 4, [32.1, 33.4, 13.5]],
  ["a JPEG of whole colors, turned", orientedJpeg(jpegFile(opaque), 6), 4, [16.3, 17, 9.9]],
  ["a progressive JPEG", progressiveJpegFile(opaque, 80), 4, [67.1, 67.1, 15.2]],
  ["a progressive JPEG of whole colors", progressiveJpegFile(opaque, 92), 4, [67.1, 67.1, 15.2]],
  ["a PNG", pngFile(samplePicture(600, 450)), 4, [67.1, 67.1, 15.2]],
  ["a PNG with transparency", pngFile(samplePicture(600, 450, true)), 4, [67.1, 67.1, 10.5]],
  ["a GIF", gifFile(opaque), 4, [45.1, 47.1, 10.5]],
  ["a WebP", webpFile(opaque), 4, [67.1, 67.1, 15.2]],
  ["a WebP with transparency", webpFile(clear), 4, [6.2, 7.6, 5.8]],
  ["a lossless WebP", webpFile(clear, true), 4, [8.1, 10.4, 7.2]],
  ["an AVIF", avifFile(opaque, 60, 1), 1, [18.6, 19.4, 10.6]],
  ["an AVIF of whole colors", avifFile(opaque, 60, 3), 1, [9.3, 11.9, 8]],
  ["an AVIF with transparency", avifFile(clear, 60, 1), 1, [13.1, 13.7, 8.8]],
];

/** The maximum width at 4:3 that is accepted. */
function widest(bytes: Uint8Array, to: Target, megabytes: number): number {
  const header = readImageHeader(bytes);
  for (let width = 9_456; ; width -= 4) {
    const size = { width, height: (width * 3) / 4 };
    if (conversionBytes(header, size, megabytes * MB, to) <= CONVERSION_BYTES_MAX) {
      return width;
    }
  }
}

describe("a conversion", () => {
  it.each(KINDS)(
    "of %s has room for its maximum megapixels, and not for more",
    (_name, bytes, megabytes, megapixels) => {
      const found = TARGETS.map(
        (to) => Math.round((widest(bytes, to, megabytes) ** 2 * 3) / 4 / 1e5) / 10,
      );
      expect(found).toEqual(megapixels);
    },
  );
});

describe("a rejection", () => {
  it("has the size, the kind, the needed and the allowed memory, and a size that fits", () => {
    const header = { ...readImageHeader(webpFile(clear, true)), width: 6_000, height: 4_000 };
    let refusal: unknown;
    try {
      checkConversion(header, 9 * MB, "png");
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(NodeError);
    const { code, message } = refusal as NodeError;
    expect(code).toBe("IMAGE_TOO_LARGE");
    const said =
      /is a lossless WebP of 6000 × 4000 px and 9437184 bytes: to be converted to PNG it would need (\d+) MB of memory; at most 64 are allowed\. Scale it down to (\d+) × (\d+) px, or save it in another format\./.exec(
        message,
      );
    const [taken = 0, width = 0, height = 0] = (said ?? []).slice(1).map(Number);
    expect(taken).toBeGreaterThan(64);
    // Following its suggestion works.
    const factor = (width * height) / (6_000 * 4_000);
    expect(checkConversion({ ...header, width, height }, 9 * MB * factor, "png")).toBeGreaterThan(
      0,
    );
    expect(width / height).toBeCloseTo(1.5, 2);
  });
});
