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
 * Decodes an AVIF and rotates it by its properties. The pixels are in the decoder's own memory,
 * which is released with them. Each file gets its own instance: libaom 3.7.0 has published
 * overflows, and no tenant's file may meet the remains of another's.
 */
export async function decodeAvif(
  bytes: Uint8Array,
  header: ImageHeader,
  module: WebAssembly.Module,
  cap: MemoryCap,
): Promise<Raster | undefined> {
  const decode = await startEmscripten(
    // Its own types describe the default settings, and not those of a module that is instantiated elsewhere.
    startAvif as unknown as (settings: never) => Promise<AvifDecoder>,
    module,
    cap,
  );
  const given = decode((codec) => codec.decode(whole(bytes), 8));
  return given === undefined ? undefined : header.turns.reduce(orientRaster, given);
}

/** A view of its whole buffer, because the glue uses the buffer of its argument. */
function whole(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}
