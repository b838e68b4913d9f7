import { PictureCodec } from "../codec/picture-codec.ts";
import type { ImageHeader } from "../header/image-header.ts";
import type { Picture } from "../raster/raster.ts";
import { WEBP_INITIAL_BYTES } from "./webp-memory.ts";

/** Functions of webp-reader.wasm (wasm/pictures/src/webp/read.c). */
interface ReaderExports {
  readonly start: (file: number, bytes: number, width: number, height: number) => void;
  readonly pixels: () => number;
  readonly rows: () => number;
}

/**
 * A still WebP read by rows by libwebp. `bytesMax` is the maximum of the reader's memory, the file included. Its rows throw
 * CodecFault if the file is damaged or needs more.
 */
export function openWebp(
  bytes: Uint8Array,
  { width, height, hasAlpha }: ImageHeader,
  module: WebAssembly.Module,
  bytesMax: number,
): Picture {
  return {
    width,
    height,
    isOpaque: !hasAlpha,
    // oxlint-disable-next-line typescript/require-await -- other pictures are asynchronous
    async *stripes() {
      const codec = new PictureCodec<ReaderExports>(module, {
        initialBytes: WEBP_INITIAL_BYTES,
        bytesMax,
      });
      const at = codec.room(bytes.length);
      codec.bytes(at, bytes.length).set(bytes);
      codec.call(({ start }) => {
        start(at, bytes.length, width, height);
      });
      const pixels = codec.call((reader) => reader.pixels());
      for (;;) {
        const count = codec.call(({ rows }) => rows());
        if (count === 0) {
          return;
        }
        yield codec.bytes(pixels, count * width * 4);
      }
    },
  };
}
