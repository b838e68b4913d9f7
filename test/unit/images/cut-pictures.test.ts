/** Large pictures that are cut at every 1,000th byte: each is refused with one code, but for an end without pixels. */
import { describe, expect, it } from "vitest";
import { readImageHeader } from "../../../src/images/header/read-image-header.ts";
import { openImage } from "../../../src/images/open-image.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";
import { encodeJpeg } from "../../support/images/encode-jpeg.ts";
import { noise } from "../../support/images/largest-picture.ts";
import {
  avifFile,
  gifFile,
  mozJpegFile,
  orientedJpeg,
  pngFile,
  progressiveJpegFile,
  webpFile,
} from "../../support/images/sample-files.ts";
import { imageCodecs } from "../../support/images/wasm-modules.ts";
import { sizeOf } from "../../support/sizes.ts";

const STRIDE = sizeOf("cutStride");
const BYTES_MAX = 24 * 1024 * 1024;

const grain = noise(400, 300);
const sequential = encodeJpeg(grain, 95);
const progressive = progressiveJpegFile(grain, 90);

const FILES: readonly (readonly [string, Uint8Array])[] = [
  ["a JPEG", sequential],
  ["a JPEG that is turned", orientedJpeg(sequential, 6)],
  ["a JPEG of whole colors", mozJpegFile(grain, { auto_subsample: false, chroma_subsample: 1 })],
  ["a progressive JPEG", progressive],
  ["a progressive JPEG that is turned", orientedJpeg(progressive, 5)],
  ["a WebP", webpFile(noise(400, 300))],
  ["a WebP with transparency", webpFile(noise(300, 200, true))],
  ["a lossless WebP", webpFile(grain, true)],
  ["a PNG", pngFile(grain)],
  ["a GIF", gifFile(grain)],
  ["an AVIF", avifFile(grain, 90, 1)],
  ["an AVIF with transparency", avifFile(noise(300, 200, true), 90, 1)],
];

/** The number of bytes of all rows, "refused", or the code of another refusal; other errors are thrown. */
async function outcomeOf(bytes: Uint8Array): Promise<number | string> {
  try {
    const picture = await openImage(bytes, readImageHeader(bytes), imageCodecs, BYTES_MAX);
    let read = 0;
    for await (const stripe of picture.stripes()) {
      read += stripe.length;
    }
    return read;
  } catch (error) {
    if (error instanceof NodeError) {
      return error.code === "IMAGE_UNREADABLE" ? "refused" : error.code;
    }
    throw error;
  }
}

/** A WebP whose headers state the length that it has, so that only the decoder can find that data are missing. */
function statingItsLength(cut: Uint8Array): Uint8Array {
  const bytes = Uint8Array.from(cut);
  const view = new DataView(bytes.buffer);
  view.setUint32(4, bytes.length - 8, true);
  for (let at = 12; at + 8 <= bytes.length;) {
    const length = view.getUint32(at + 4, true);
    if (at + 8 + length >= bytes.length) {
      view.setUint32(at + 4, bytes.length - at - 8, true);
    }
    at += 8 + length + (length & 1);
  }
  return bytes;
}

describe.each(FILES)("%s", (name, file) => {
  it(`is refused if it is cut at any ${STRIDE}th byte`, { timeout: 600_000 }, async () => {
    expect(await outcomeOf(file)).toBeTypeOf("number");
    let cuts = 0;
    const others: (number | string)[] = [];
    for (let end = STRIDE; end < file.length; end += STRIDE) {
      const cut = file.subarray(0, end);
      cuts += 1;
      for (const bytes of name.includes("WebP") ? [cut, statingItsLength(cut)] : [cut]) {
        const outcome = await outcomeOf(bytes);
        if (outcome !== "refused") {
          others.push(end, outcome);
        }
      }
    }
    expect(cuts).toBeGreaterThanOrEqual(1);
    expect(others).toEqual([]);
  });
});
