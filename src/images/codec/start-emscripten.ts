import { CODEC_MEMORY_BYTES_MAX } from "./memory-bytes-max.ts";
import type { RunningCodec } from "./wasm-codec.ts";

/** What emscripten's glue takes of the settings that we use. */
interface Settings {
  readonly noInitialRun: true;
  readonly print: (line: string) => void;
  readonly printErr: (line: string) => void;
  readonly instantiateWasm: (
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance) => void,
  ) => WebAssembly.Exports;
}

/**
 * What codecs hand pixels over in. Where there is no such class the glue defines one in a scope of its
 * own, and that scope keeps the memory of the first codec, as large as it has grown, for good.
 */
class PlainImageData {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;

  constructor(data: Uint8ClampedArray, width: number, height: number) {
    this.data = data;
    this.width = width;
    this.height = height;
  }
}

/** Lines kept of what a codec says of one file. */
const PRINTED_MAX = 20;

/** Starts a codec that emscripten built, from its glue and its compiled module, its memory capped. */
export async function startEmscripten<E>(
  glue: (settings: never) => Promise<E>,
  module: WebAssembly.Module,
): Promise<RunningCodec<E>> {
  const printed: string[] = [];
  const print = (line: string) => {
    if (printed.length < PRINTED_MAX) {
      printed.push(line);
    }
  };
  let memory: WebAssembly.Memory | undefined;
  const settings: Settings = {
    noInitialRun: true,
    print,
    printErr: print,
    instantiateWasm(imports, done) {
      const instance = new WebAssembly.Instance(module, imports);
      memory = Object.values(instance.exports).find((value) => value instanceof WebAssembly.Memory);
      if (memory !== undefined) {
        capMemory(memory);
      }
      done(instance);
      return instance.exports;
    },
  };
  (globalThis as { ImageData?: unknown }).ImageData ??= PlainImageData;
  const exports = await glue(settings as never);
  if (memory === undefined) {
    throw new Error("The codec exports no memory.");
  }
  return { exports, memory, printed };
}

/** The glue grows the memory by this method, and takes an error for "there is no more". */
function capMemory(memory: WebAssembly.Memory): void {
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * 65_536 > CODEC_MEMORY_BYTES_MAX) {
      throw new RangeError(`A codec asked for more than ${CODEC_MEMORY_BYTES_MAX} bytes.`);
    }
    return grow(pages);
  };
}
