import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Picture } from "./raster.ts";

/** Drawings come to a hundredth of their pixels at the quickest level. */
const LEVEL = 1;

/**
 * The same picture, its rows deflated and what they came from let go, so that an encoder that holds
 * all pixels has room. Undefined where they take more than `bytesMax`, which no drawing does.
 */
export async function packPicture(
  picture: Picture,
  bytesMax: number,
): Promise<Picture | undefined> {
  const packed: Uint8Array[] = [];
  let bytes = 0;
  for await (const stripe of picture.stripes()) {
    const piece = deflateRawSync(stripe, { level: LEVEL });
    bytes += piece.length;
    if (bytes > bytesMax) {
      return undefined;
    }
    packed.push(piece);
  }
  const { width, height, isOpaque } = picture;
  return {
    width,
    height,
    isOpaque,
    // oxlint-disable-next-line typescript/require-await -- other pictures are awaited
    async *stripes() {
      for (let piece = packed.shift(); piece; piece = packed.shift()) {
        const stripe = inflateRawSync(piece);
        yield new Uint8ClampedArray(stripe.buffer, stripe.byteOffset, stripe.length);
      }
    },
  };
}
