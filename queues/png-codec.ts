// @ts-expect-error -- the package describes the exports of an instance; bundlers give the module
import module from "@jsquash/png/codec/pkg/squoosh_png_bg.wasm";

/** The PNG codec's compiled module. */
export const pngCodec: WebAssembly.Module = module;
