import type { HarfBuzzExports } from "./harfbuzz-exports.ts";

const PAGE_BYTES = 65_536;

/**
 * Instantiates the wasm without harfbuzzjs's glue code, which compiles wasm at run time. The five imports are
 * sufficient. `memoryMaxBytes` limits the instance's whole memory, and `mayGrow` is asked before it grows by so many bytes.
 */
export function instantiateHarfBuzz(
  module: WebAssembly.Module,
  memoryMaxBytes: number,
  mayGrow: (bytes: number) => boolean = () => true,
): HarfBuzzExports {
  const stop = (): never => {
    throw new WebAssembly.RuntimeError("HarfBuzz stopped.");
  };
  const instance = new WebAssembly.Instance(module, {
    env: {
      _emscripten_runtime_keepalive_clear: () => undefined,
      _abort_js: stop,
      _setitimer_js: () => 0,
      emscripten_resize_heap: (bytes: number) => {
        const { memory } = exports;
        const pages = Math.ceil(((bytes >>> 0) - memory.buffer.byteLength) / PAGE_BYTES);
        if (bytes >>> 0 > memoryMaxBytes || !mayGrow(pages * PAGE_BYTES)) {
          return 0;
        }
        memory.grow(pages);
        return 1;
      },
    },
    wasi_snapshot_preview1: { proc_exit: stop },
  });
  // The exports of a wasm module are untyped; the module is a pinned file.
  const exports = instance.exports as unknown as HarfBuzzExports;
  exports.__wasm_call_ctors();
  return exports;
}
