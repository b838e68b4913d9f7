/** Names in a module of emscripten, which its build shortens to letters. */
export interface WasmCodecNames {
  readonly memory: string;
  /** Runs the module's constructors. */
  readonly begin: string;
  /** Import that enlarges the memory. */
  readonly grow: string;
  /** Imports that end the process. */
  readonly exits: readonly string[];
  /** Imports that count and copy the variables of the environment, of which there are none. */
  readonly environment: readonly [string, string] | undefined;
}

type Imported = (...given: number[]) => number;

const PAGE_BYTES = 65_536;
/** ENOSYS of WASI. A file function that returned 0 would be called again until everything is written. */
const NO_SUCH_FUNCTION = 52;

/**
 * One instance of a codec that was compiled with emscripten, without the glue of its package, which fetches, starts
 * Workers and compiles bytes. The module has no files, no clock and no environment, and grows within the maximum that
 * its memory has (scripts/extract-media-codecs.ts).
 */
export class WasmCodec<E> {
  readonly exports: E;
  readonly #memory: WebAssembly.Memory;

  /** Throws for a module of another build. */
  constructor(module: WebAssembly.Module, names: WasmCodecNames) {
    const imports: Record<string, Imported> = {};
    for (const { name } of WebAssembly.Module.imports(module)) {
      imports[name] = () => NO_SUCH_FUNCTION;
    }
    for (const name of [names.grow, ...names.exits, ...(names.environment ?? [])]) {
      if (imports[name] === undefined) {
        throw new Error("The module of a codec does not match its glue.");
      }
    }
    for (const name of names.exits) {
      imports[name] = () => {
        throw new Error("A codec gave up.");
      };
    }
    if (names.environment !== undefined) {
      const [sizes, get] = names.environment;
      imports[sizes] = (count = 0, bytes = 0) => {
        const view = new DataView(this.#memory.buffer);
        view.setUint32(count, 0, true);
        view.setUint32(bytes, 0, true);
        return 0;
      };
      imports[get] = () => 0;
    }
    imports[names.grow] = (bytes = 0) => (growTo(this.#memory, bytes >>> 0) ? 1 : 0);
    const { exports } = new WebAssembly.Instance(module, { a: imports });
    const memory = exports[names.memory];
    const begin = exports[names.begin];
    if (!(memory instanceof WebAssembly.Memory) || typeof begin !== "function") {
      throw new Error("The module of a codec does not match its glue.");
    }
    this.#memory = memory;
    // The exports of a wasm module are untyped; the module is a pinned file.
    this.exports = exports as unknown as E;
    (begin as () => void)();
  }

  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /** The memory now: another buffer replaces it when the memory grows. */
  get buffer(): ArrayBuffer {
    return this.#memory.buffer as ArrayBuffer;
  }

  /** A copy of bytes in the memory. */
  copy(at: number, length: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.buffer, at, length).slice();
  }
}

/** Returns whether the memory has this size afterwards. */
function growTo(memory: WebAssembly.Memory, bytes: number): boolean {
  try {
    const missing = bytes - memory.buffer.byteLength;
    if (missing > 0) {
      memory.grow(Math.ceil(missing / PAGE_BYTES));
    }
    return true;
  } catch {
    return false;
  }
}
