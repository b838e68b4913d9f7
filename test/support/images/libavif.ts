import startDecoder from "@jsquash/avif/codec/dec/avif_dec.js";
import type { Raster } from "../../../src/images/raster/raster.ts";
import { compiledPackageFile } from "../compiled-package-file.ts";

interface Decoder {
  decode(
    bytes: Uint8Array,
    bitDepth: 8,
  ): ({ data: Uint8ClampedArray } & Omit<Raster, "rgba">) | null;
}

type Glue = (settings: object) => Promise<Decoder>;

const module = compiledPackageFile("@jsquash/avif/codec/dec/avif_dec.wasm");
const start = startDecoder as unknown as Glue;

/** An AVIF decoded by libavif with libaom, not rotated; undefined if they refuse it. Each file has an instance of its own. */
export async function decodeByLibavif(bytes: Uint8Array): Promise<Raster | undefined> {
  const decoder = await start({
    noInitialRun: true,
    print: () => undefined,
    printErr: () => undefined,
    instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
      const instance = new WebAssembly.Instance(module, imports);
      done(instance);
      return instance.exports;
    },
  });
  const decoded = decoder.decode(bytes.slice(), 8);
  return (
    (decoded && {
      rgba: new Uint8ClampedArray(decoded.data),
      width: decoded.width,
      height: decoded.height,
    }) ??
    undefined
  );
}
