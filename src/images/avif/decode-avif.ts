import startAvif from "@jsquash/avif/codec/dec/avif_dec.js";
import type { MemoryCap } from "../codec/memory-cap.ts";
import { startEmscripten } from "../codec/start-emscripten.ts";
import type { ImageHeader } from "../header/image-header.ts";
import { orientRaster } from "../raster/orient-raster.ts";
import type { Raster } from "../raster/raster.ts";

interface AvifDecoder {
  decode(bytes: Uint8Array, bitDepth: 8): unknown;
}

/**
 * Decodes an AVIF, turned as its properties say; the pixels lie in the decoder's own memory, which
 * ends with them. An instance a file: libaom 3.7.0 has published overflows, and so no tenant's file
 */
export async function decodeAvif(
  bytes: Uint8Array,
  header: ImageHeader,
  module: WebAssembly.Module,
  cap: MemoryCap,
): Promise<Raster | undefined> {
  const decode = await startEmscripten(
    startAvif as unknown as (settings: never) => Promise<AvifDecoder>,
    module,
    cap,
  );
  const given = decode((codec) => codec.decode(whole(bytes), 8));
  return given === undefined ? undefined : header.turns.reduce(orientRaster, given);
}

/** A view that is its whole buffer: the glue takes the buffer of what it is given. */
function whole(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}
