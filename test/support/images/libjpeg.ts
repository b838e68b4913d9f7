import startDecoder from "@jsquash/jpeg/codec/dec/mozjpeg_dec.js";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Raster } from "../../../src/images/raster/raster.ts";

interface Decoder {
  decode(bytes: Uint8Array, isTurned: boolean): { data: Uint8ClampedArray } & Omit<Raster, "rgba">;
}

type Glue = (settings: object) => Promise<Decoder>;

const Module = WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module;
const PATH = "../../../node_modules/@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm";
const module = new Module(readFileSync(fileURLToPath(new URL(PATH, import.meta.url).href)));

const decoder = await (startDecoder as unknown as Glue)({
  noInitialRun: true,
  instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
    const instance = new WebAssembly.Instance(module, imports);
    done(instance);
    return instance.exports;
  },
});

/** A JPEG decoded by libjpeg (MozJPEG's), not rotated. */
export function decodeByLibjpeg(bytes: Uint8Array): Raster {
  const { data, width, height } = decoder.decode(bytes.slice(), false);
  return { rgba: new Uint8ClampedArray(data), width, height };
}
