import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Picture } from "./raster.ts";

/** Drawings shrink to a hundredth of their pixels at the fastest level. */
const LEVEL = 1;

/**
 * The same picture with its rows deflated and its source released, so that an encoder that holds
 * all pixels has room. Undefined if they take more than `bytesMax`, which no drawing does. Its rows can be read once,
 * and are released meanwhile; with `isKept` they can be read again.
 */
export async function packPicture(
  picture: Picture,
  bytesMax: number,
  isKept = false,
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
    // oxlint-disable-next-line typescript/require-await -- other pictures are asynchronous
    async *stripes() {
      for (let at = 0; at < packed.length;) {
        const piece = (isKept ? packed[at++] : packed.shift()) as Uint8Array;
        const stripe = inflateRawSync(piece);
        yield new Uint8ClampedArray(stripe.buffer, stripe.byteOffset, stripe.length);
      }
    },
  };
}
