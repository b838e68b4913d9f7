import type { ImageCodecs } from "../codec/image-codecs.ts";
import { imageTooLarge } from "../image-too-large.ts";
import type { Raster } from "../raster/raster.ts";
import { encodeAlpha } from "./encode-alpha.ts";
import { LIBWEBP_DEFAULTS } from "./libwebp-defaults.ts";
import { splitAlpha } from "./split-alpha.ts";
import { webpFile } from "./webp-file.ts";

/** The encoder holds 14 bytes a pixel, the picture and its opaque copy 8 more: 112 MiB, of the 128 MB that an isolate has. */
const PIXELS_MAX = 2_304 * 2_304;

/** Otherwise the codes of all blocks are gathered first: of noise that is 26 bytes a pixel, and does not fit. */
const LOW_MEMORY = { low_memory: 1 } as const;

const ALPHA_FLAG = 0x10;
const RIFF_HEADER_BYTES = 12;

/**
 * Encodes a picture as a WebP: colours lossy with `quality` 1 to 100, transparency exact.
 * Throws NodeError `IMAGE_TOO_LARGE` where memory has no room for it.
 */
export async function encodeWebp(
  source: Raster,
  quality: number,
  codecs: ImageCodecs,
): Promise<Uint8Array> {
  const { width, height } = source;
  if (width * height > PIXELS_MAX) {
    throw imageTooLarge(
      `is ${width} × ${height} px; at most ${PIXELS_MAX} pixels (2304 × 2304) are written as WebP. Take jpg or png, or scale it down.`,
    );
  }
  const { opaque, alpha } = splitAlpha(source);
  const encoded = await codecs.webpEncoder.use(({ exports }) => {
    const bytes = exports.encode(opaque.rgba, width, height, {
      ...LIBWEBP_DEFAULTS,
      ...LOW_MEMORY,
      quality,
    });
    if (bytes === null) {
      throw new Error(`libwebp encodes no ${width} × ${height} px at quality ${quality}.`);
    }
    // Out of the codec's memory, which the next call writes to.
    return bytes.slice();
  });
  if (alpha === undefined) {
    return encoded;
  }
  const canvas = new Uint8Array(10);
  const view = new DataView(canvas.buffer);
  canvas[0] = ALPHA_FLAG;
  // 24 bits each; what the first writes too far the second overwrites.
  view.setUint32(4, width - 1, true);
  view.setUint16(7, (height - 1) & 0xffff, true);
  canvas[9] = (height - 1) >> 16;
  const picture = encoded.subarray(RIFF_HEADER_BYTES);
  const length = new DataView(encoded.buffer).getUint32(RIFF_HEADER_BYTES + 4, true);
  return webpFile([
    { name: "VP8X", body: canvas },
    { name: "ALPH", body: encodeAlpha({ bytes: alpha, width }) },
    { name: "VP8 ", body: picture.subarray(8, 8 + length) },
  ]);
}
