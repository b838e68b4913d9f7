import { readFileSync } from "node:fs";

/** The compiled modules that bundlers give the runner, for tests in Node. */
function compiled(path: string): WebAssembly.Module {
  return new WebAssembly.Module(
    readFileSync(new URL(`../../../node_modules/${path}`, import.meta.url)),
  );
}

export const pngCodec = compiled("@jsquash/png/codec/pkg/squoosh_png_bg.wasm");
export const svgRenderer = compiled("@resvg/resvg-wasm/index_bg.wasm");
export const codeReader = compiled("zxing-wasm/dist/reader/zxing_reader.wasm");
