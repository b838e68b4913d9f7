/** An error code of the host for calls that need files, which codecs do not have (WASI's `nosys`). */
const NO_FILES = 52;

/** The functions that emscripten's small modules import; each codec states under which letters. */
export const HOST = {
  abort: (): never => {
    throw new Error("The codec aborted.");
  },
  nothing: (): number => 0,
  noFiles: (): number => NO_FILES,
  /** Its memory has a fixed size. */
  noGrowth: (): number => 0,
  cos: Math.cos,
} as const;

export type HostFunction = (typeof HOST)[keyof typeof HOST];

/** The names of a module's exports, which emscripten has shortened. */
export interface ExportNames<Name extends string> {
  readonly memory: string;
  readonly start: string;
  readonly malloc: string;
  readonly functions: Readonly<Record<Name, string>>;
}

type WasmFunction = (...values: readonly number[]) => number;

/**
 * An instance of one of the modules that scripts/extract-media-codecs.ts takes out of packages. Its memory has a fixed
 * size, so views of it stay valid.
 */
export class WasmInstance<Name extends string> {
  readonly memory: ArrayBuffer;
  readonly call: Readonly<Record<Name, WasmFunction>>;
  readonly #malloc: WasmFunction;

  constructor(
    module: WebAssembly.Module,
    names: ExportNames<Name>,
    imports: Readonly<Record<string, HostFunction>>,
  ) {
    const { exports } = new WebAssembly.Instance(module, { a: { ...imports } });
    const memory = exports[names.memory];
    if (!(memory instanceof WebAssembly.Memory)) {
      throw new TypeError("The module exports no memory.");
    }
    this.memory = memory.buffer as ArrayBuffer;
    functionOf(exports, names.start)();
    this.#malloc = functionOf(exports, names.malloc);
    const call: Partial<Record<Name, WasmFunction>> = {};
    for (const name of Object.keys(names.functions) as Name[]) {
      call[name] = functionOf(exports, names.functions[name]);
    }
    // All names of the record have been set.
    this.call = call as Record<Name, WasmFunction>;
  }

  get memoryBytes(): number {
    return this.memory.byteLength;
  }

  /** Returns the address of new bytes. Throws if the memory is full. */
  allocate(bytes: number): number {
    const address = this.#malloc(bytes);
    if (address === 0) {
      throw new Error("The codec's memory is full.");
    }
    return address;
  }
}

function functionOf(exports: WebAssembly.Exports, name: string): WasmFunction {
  const found = exports[name];
  if (typeof found !== "function") {
    throw new TypeError(`The module exports no function ${name}.`);
  }
  // Functions of these modules take and return 32-bit numbers.
  return found as WasmFunction;
}
