import startAvif from "@jsquash/avif/codec/dec/avif_dec.js";
import startJpeg from "@jsquash/jpeg/codec/dec/mozjpeg_dec.js";
import startWebp from "@jsquash/webp/codec/dec/webp_dec.js";
import startWebpEncoder from "@jsquash/webp/codec/enc/webp_enc_simd.js";
import { KeptInstance } from "./kept-instance.ts";
import { type PngDecoder, startPngDecoder } from "../png/start-png-decoder.ts";
import { startEmscripten } from "./start-emscripten.ts";
import { WasmCodec } from "./wasm-codec.ts";

/** Compiled modules of the codecs. Bundlers give them; workerd compiles no bytes. */
export interface ImageCodecModules {
  readonly png: WebAssembly.Module;
  readonly jpeg: WebAssembly.Module;
  readonly webp: WebAssembly.Module;
  readonly webpEncoder: WebAssembly.Module;
  readonly avif: WebAssembly.Module;
}

/** Pixels as the packages hand them over; null for a file that they cannot read. */
export type Decoded = {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
} | null;

interface Decoder<Settings extends readonly unknown[]> {
  decode(bytes: Uint8Array, ...settings: Settings): Decoded;
}

interface WebpEncoder {
  encode(
    rgba: Uint8ClampedArray,
    width: number,
    height: number,
    options: Readonly<Record<string, number>>,
  ): Uint8Array | null;
}

/** The codecs of one isolate, each started by a call that needs it; one at most is kept between files. */
export class ImageCodecs {
  readonly png: WasmCodec<PngDecoder>;
  readonly jpeg: WasmCodec<Decoder<[preserveOrientation: boolean]>>;
  readonly webp: WasmCodec<Decoder<[]>>;
  readonly webpEncoder: WasmCodec<WebpEncoder>;
  readonly avif: WasmCodec<Decoder<[bitDepth: 8]>>;

  constructor(modules: ImageCodecModules) {
    const kept = new KeptInstance();
    this.png = new WasmCodec(() => startPngDecoder(modules.png), true, kept);
    this.jpeg = new WasmCodec(() => startEmscripten(startJpeg as never, modules.jpeg), true, kept);
    // libwebp 1.0.2 and libaom 3.7.0 have published overflows. They end in the instance's own memory;
    // with an instance a file, no tenant's file meets what another's left there.
    this.webp = new WasmCodec(() => startEmscripten(startWebp as never, modules.webp), false);
    this.webpEncoder = new WasmCodec(
      () => startEmscripten(startWebpEncoder as never, modules.webpEncoder),
      true,
      kept,
    );
    this.avif = new WasmCodec(() => startEmscripten(startAvif as never, modules.avif), false);
  }
}
