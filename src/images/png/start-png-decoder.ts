import type { RunningCodec } from "../codec/wasm-codec.ts";
import type { Raster } from "../raster/raster.ts";

export interface PngDecoder {
  /** Throws what the codec panics with. */
  decode(bytes: Uint8Array): Raster;
}

interface PngExports {
  readonly memory: WebAssembly.Memory;
  readonly __wbindgen_malloc: (bytes: number, align: number) => number;
  readonly __wbindgen_free: (at: number, bytes: number, align: number) => void;
  readonly decode: (at: number, bytes: number) => number;
}

/**
 * Starts the package's PNG decoder with glue of our own: the package's can be started only once in
 * an isolate, and every broken file would keep its bytes in that one memory for good.
 */
export async function startPngDecoder(
  module: WebAssembly.Module,
): Promise<RunningCodec<PngDecoder>> {
  let decoded: Raster | undefined;
  const take = (at: number, bytes: number, width: number, height: number): number => {
    const rgba = new Uint8ClampedArray(exports.memory.buffer, at >>> 0, bytes).slice();
    exports.__wbindgen_free(at, bytes, 1);
    decoded = { rgba, width: width >>> 0, height: height >>> 0 };
    return 0;
  };
  const panic = () => {
    throw new Error("The PNG codec panicked.");
  };
  // Names end in a hash of the build, so they are told by how they begin.
  const imports = WebAssembly.Module.imports(module).map(
    ({ name }) => [name, name.startsWith("__wbg_newwithownedu8clamped") ? take : panic] as const,
  );
  if (!imports.some(([, given]) => given === take)) {
    throw new Error("The PNG codec's module is not the one that this glue is made for.");
  }
  const instance = await WebAssembly.instantiate(module, { wbg: Object.fromEntries(imports) });
  const exports = instance.exports as unknown as PngExports;
  return {
    memory: exports.memory,
    printed: [],
    exports: {
      decode(bytes) {
        decoded = undefined;
        const at = exports.__wbindgen_malloc(bytes.length, 1) >>> 0;
        new Uint8Array(exports.memory.buffer).set(bytes, at);
        // The codec frees the bytes, except when it panics.
        exports.decode(at, bytes.length);
        if (decoded === undefined) {
          throw new Error("The PNG codec gave no picture back.");
        }
        return decoded;
      },
    },
  };
}
