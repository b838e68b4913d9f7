import type { Decoded, ImageCodecs } from "./codec/image-codecs.ts";
import type { RunningCodec } from "./codec/wasm-codec.ts";
import { decodeGif } from "./gif/decode-gif.ts";
import type { ImageHeader } from "./header/image-header.ts";
import { readImageHeader } from "./header/read-image-header.ts";
import { NodeError } from "../lib/node-error.ts";
import { orientRaster } from "./raster/orient-raster.ts";
import type { Raster } from "./raster/raster.ts";
import { unreadableImage } from "./unreadable-image.ts";

/** What the JPEG codec prints of a file that it paints over holes of. Stray bytes between markers it names too; they do no harm. */
const DAMAGED_JPEG = /premature end|bad huffman|corrupt|invalid|unsupported|bogus/i;
const HARMLESS_JPEG = /extraneous bytes/i;

/**
 * Decodes a PNG, JPEG, WebP, GIF (its first frame) or AVIF to RGBA, turned as EXIF (JPEG) or its
 * properties (AVIF) say. The header is held to its caps before the codec sees a byte. Colour
 * profiles are not applied. Throws NodeError `IMAGE_TOO_LARGE` or `IMAGE_UNREADABLE`.
 */
export async function decodeImage(bytes: Uint8Array, codecs: ImageCodecs): Promise<Raster> {
  const header = readImageHeader(bytes);
  let raster: Raster;
  try {
    raster = await decodeAs(header, bytes, codecs);
  } catch (cause) {
    throw cause instanceof NodeError ? cause : damaged(header, cause);
  }
  const { width, height, rgba } = raster;
  if (width !== header.width || height !== header.height || rgba.length !== width * height * 4) {
    throw unreadableImage(
      `says that it is ${header.width} × ${header.height} px and holds ${width} × ${height}. Save it again.`,
    );
  }
  return header.turns.reduce(orientRaster, raster);
}

function decodeAs(
  header: ImageHeader,
  bytes: Uint8Array,
  codecs: ImageCodecs,
): Promise<Raster> | Raster {
  switch (header.format) {
    case "png":
      return codecs.png.use(({ exports }) => exports.decode(bytes));
    case "gif":
      return decodeGif(bytes);
    case "webp":
      return codecs.webp.use((codec) =>
        whole(header, codec, () => codec.exports.decode(whole8(bytes))),
      );
    case "avif":
      return codecs.avif.use((codec) =>
        whole(header, codec, () => codec.exports.decode(whole8(bytes), 8)),
      );
    case "jpeg":
      return codecs.jpeg.use((codec) => {
        const raster = whole(header, codec, () => codec.exports.decode(whole8(bytes), false));
        const line = codec.printed.find(
          (printed) => DAMAGED_JPEG.test(printed) && !HARMLESS_JPEG.test(printed),
        );
        if (line !== undefined) {
          throw damaged(header, new Error(line));
        }
        return raster;
      });
  }
}

/** A picture, or the reason why there is none: codecs answer null for all they cannot read. */
function whole(
  header: ImageHeader,
  { memory }: Pick<RunningCodec<unknown>, "memory">,
  decode: () => Decoded,
): Raster {
  const decoded = decode();
  if (decoded === null || decoded === undefined) {
    throw damaged(header, new Error(`null, memory of ${memory.buffer.byteLength} bytes`));
  }
  return { rgba: decoded.data, width: decoded.width, height: decoded.height };
}

/** A view that is its whole buffer: the glue takes the buffer of what it is given. */
function whole8(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}

function damaged({ format }: ImageHeader, cause: unknown): NodeError {
  return unreadableImage(
    `is damaged, or of a kind of ${format.toUpperCase()} that is not read. Save it again, or as PNG.`,
    cause,
  );
}
