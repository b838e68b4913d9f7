import type { MemoryCap } from "./memory-cap.ts";
import type { ImageHeader } from "../../../src/images/header/image-header.ts";
import type { Raster } from "../../../src/images/raster/raster.ts";
import { DECODER_NAMES, Libwebp } from "./start-libwebp.ts";

/**
 * Decodes a WebP. The pixels are in the decoder's own memory, which is released with them. Each
 * file gets its own instance: libwebp 1.0.2 has published overflows, and no tenant's file may meet
 * the remains of another's.
 */
export function decodeWebp(
  bytes: Uint8Array,
  { width, height }: ImageHeader,
  module: WebAssembly.Module,
  cap: MemoryCap,
): Raster {
  const libwebp = new Libwebp(module, DECODER_NAMES, cap);
  const at = libwebp.allocate(bytes.length);
  libwebp.bytes(at, bytes.length).set(bytes);
  const pixels = libwebp.run("decode", { at, length: bytes.length });
  if (pixels === undefined) {
    throw new Error(`null, memory of ${libwebp.memory.buffer.byteLength} bytes`);
  }
  const rgba = new Uint8ClampedArray(libwebp.memory.buffer, pixels.at, pixels.length);
  return { rgba, width, height };
}
