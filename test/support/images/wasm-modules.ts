import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ImageCodecs } from "../../../src/images/open-image.ts";

// Node may compile bytes at run time; the types are those of a Worker, which may not.
const Module = WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module;

/** The compiled modules that bundlers give the runner, for tests in Node. */
function compiled(path: string): WebAssembly.Module {
  return new Module(
    readFileSync(fileURLToPath(new URL(`../../../node_modules/${path}`, import.meta.url).href)),
  );
}

/** The package's unchanged renderer, for comparison. */
export const uncappedRenderer = compiled("@resvg/resvg-wasm/index_bg.wasm");
export const svgRenderer = compiled("../src/images/svg/resvg.wasm");
export const codeReader = compiled("zxing-wasm/dist/reader/zxing_reader.wasm");

/** The picture codecs of a test file. */
export const imageCodecs: ImageCodecs = {
  webp: compiled("@jsquash/webp/codec/dec/webp_dec.wasm"),
  webpEncoder: compiled("@jsquash/webp/codec/enc/webp_enc_simd.wasm"),
  avif: compiled("@jsquash/avif/codec/dec/avif_dec.wasm"),
};
