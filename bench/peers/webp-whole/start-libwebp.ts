import type { MemoryCap } from "./memory-cap.ts";

/** Imports and exports of a module of the package, by the one-letter names of its build. */
interface Names {
  readonly imports: {
    readonly throwException: string;
    readonly registerFunction: string;
    /** Fields of a settings object; only the encoder has one. */
    readonly registerField?: string;
    readonly getGlobal: string;
    readonly makeObject: string;
    readonly abort: string;
    readonly copy: string;
    readonly grow: string;
    /** Types and reference counts, which are not needed here. */
    readonly unused: string;
  };
  readonly exports: {
    readonly memory: string;
    readonly begin: string;
    readonly malloc: string;
    readonly free: string;
    readonly table: string;
  };
}

export const DECODER_NAMES: Names = {
  imports: {
    throwException: "n",
    registerFunction: "c",
    getGlobal: "e",
    makeObject: "h",
    abort: "j",
    copy: "q",
    grow: "p",
    unused: "olrkbagfmdi",
  },
  exports: { memory: "s", begin: "t", malloc: "u", free: "v", table: "y" },
};

export const ENCODER_NAMES: Names = {
  imports: {
    throwException: "k",
    registerFunction: "f",
    registerField: "a",
    getGlobal: "w",
    makeObject: "v",
    abort: "g",
    copy: "r",
    grow: "p",
    unused: "motsqdhcbienujl",
  },
  exports: { memory: "x", begin: "y", malloc: "z", free: "A", table: "D" },
};

/** Bytes in the module's memory that it returns. */
interface Given {
  readonly at: number;
  readonly length: number;
}

/**
 * One of the package's modules of libwebp, with custom glue: the package's glue copies a file twice
 * and pixels once on their way in, copies pixels on their way out, and grows memory by a fifth too
 * much. This glue calls the function itself, with a C++ string that refers to bytes already in
 * memory.
 */
export class Libwebp {
  readonly memory: WebAssembly.Memory;
  /** Offset of each setting in the settings. */
  readonly fields = new Map<string, number>();
  /** Called for each copy of some hundred bytes or more while a function runs. */
  onCopy: (() => void) | undefined;
  readonly #functions = new Map<string, number>();
  readonly #names: Names;
  readonly #cap: MemoryCap;
  readonly #exports: WebAssembly.Exports;
  #given: Given | undefined;

  constructor(module: WebAssembly.Module, names: Names, cap: MemoryCap) {
    this.#cap = cap;
    this.#names = names;
    const wanted = WebAssembly.Module.imports(module).map(({ name }) => name);
    const imports = this.#imports();
    if (
      wanted.length !== Object.keys(imports).length ||
      wanted.some((name) => !(name in imports))
    ) {
      throw new Error("The module of libwebp does not match this glue.");
    }
    this.#exports = new WebAssembly.Instance(module, { a: imports }).exports;
    this.memory = this.#exports[names.exports.memory] as WebAssembly.Memory;
    this.#call(names.exports.begin);
  }

  /** Throws if memory has no room. */
  allocate(bytes: number): number {
    const at = this.#call(this.#names.exports.malloc, bytes) >>> 0;
    if (at === 0) {
      throw new RangeError(`libwebp could not allocate ${bytes} bytes.`);
    }
    return at;
  }

  free(at: number): void {
    this.#call(this.#names.exports.free, at);
  }

  bytes(at: number, length: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.memory.buffer as ArrayBuffer, at, length);
  }

  view(): DataView {
    return new DataView(this.memory.buffer);
  }

  /**
   * Calls a function with bytes as its string; returns the bytes that it passed out, undefined if
   * none. It is the last call.
   */
  run(name: string, { at, length }: Given, ...more: number[]): Given | undefined {
    const place = this.#functions.get(name);
    const table = this.#exports[this.#names.exports.table] as WebAssembly.Table;
    const callee = place === undefined ? null : (table.get(place) as unknown);
    if (typeof callee !== "function") {
      throw new Error(`libwebp has no ${name}.`);
    }
    // A long string of libc++ (address, length, and capacity with the flag of a long string), and
    // the handle of the result.
    const string = this.allocate(32);
    const view = this.view();
    view.setUint32(string, at, true);
    view.setUint32(string + 4, length, true);
    view.setUint32(string + 8, ((length + 1) | 0x8000_0000) >>> 0, true);
    this.#given = undefined;
    try {
      (callee as (...given: number[]) => void)(string + 16, string, ...more);
    } catch (thrown) {
      if (thrown !== GIVEN) {
        throw thrown;
      }
    }
    return this.#given;
  }

  #call(name: string, ...given: number[]): number {
    return (this.#exports[name] as (...values: number[]) => number)(...given);
  }

  #text(at: number): string {
    const bytes = new Uint8Array(this.memory.buffer);
    return new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)));
  }

  #imports(): Record<string, (...given: number[]) => unknown> {
    const { imports } = this.#names;
    const fail = (what: string) => () => {
      throw new Error(`libwebp ${what}.`);
    };
    return {
      ...Object.fromEntries(Array.from(imports.unused, (name) => [name, () => 0])),
      [imports.throwException]: fail("threw an exception"),
      [imports.abort]: fail("gave up"),
      [imports.registerFunction]: (...[name = 0, , , , , place = 0]) => {
        this.#functions.set(this.#text(name), place);
      },
      ...(imports.registerField !== undefined && {
        [imports.registerField]: (...[, name = 0, , , , place = 0]) => {
          this.fields.set(this.#text(name), this.view().getUint32(place, true));
        },
      }),
      // Any class handle works; the only object that is created is the one with the bytes.
      [imports.getGlobal]: () => 2,
      [imports.makeObject]: (...[, , , values = 0]) => {
        const view = this.view();
        this.#given = {
          length: view.getUint32(values, true),
          at: view.getUint32(values + 4, true),
        };
        // Ends the call, which would otherwise free the bytes.
        throw GIVEN;
      },
      [imports.copy]: (to = 0, from = 0, count = 0) => {
        this.onCopy?.();
        new Uint8Array(this.memory.buffer).copyWithin(to, from, from + count);
      },
      [imports.grow]: (bytes = 0) => {
        this.#cap.grow(this.memory, bytes >>> 0);
        return 1;
      },
    };
  }
}

const GIVEN = new Error("The bytes are there.");
