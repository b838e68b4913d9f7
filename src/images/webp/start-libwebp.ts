import type { MemoryCap } from "../codec/memory-cap.ts";

/** What a module of the package asks for and gives, by the one letter that its build made of each name. */
interface Names {
  readonly imports: {
    readonly throwException: string;
    readonly registerFunction: string;
    /** Of a settings object; only the encoder has one. */
    readonly registerField?: string;
    readonly getGlobal: string;
    readonly makeObject: string;
    readonly abort: string;
    readonly copy: string;
    readonly grow: string;
    /** Types and reference counts, which nobody asks for here. */
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

/** Bytes in the module's memory that it hands over. */
interface Given {
  readonly at: number;
  readonly length: number;
}

/**
 * One of the package's modules of libwebp, with glue of our own: the package's copies a file twice and
 * pixels once on their way in, copies pixels on their way out, and grows memory by a fifth too much.
 * This calls the function itself, with a C++ string that lies on bytes which are there already.
 */
export class Libwebp {
  readonly memory: WebAssembly.Memory;
  /** Where each setting lies in the settings. */
  readonly fields = new Map<string, number>();
  /** Told of each copy of some hundred bytes and more while a function runs. */
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
      throw new Error("The module of libwebp is not the one that this glue is made for.");
    }
    this.#exports = new WebAssembly.Instance(module, { a: imports }).exports;
    this.memory = this.#exports[names.exports.memory] as WebAssembly.Memory;
    this.#call(names.exports.begin);
  }

  /** Throws where memory has no room. */
  allocate(bytes: number): number {
    const at = this.#call(this.#names.exports.malloc, bytes) >>> 0;
    if (at === 0) {
      throw new RangeError(`libwebp found no ${bytes} bytes.`);
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

  /** Calls a function with bytes as its string; answers what it handed over, undefined for nothing. It is the last call. */
  run(name: string, { at, length }: Given, ...more: number[]): Given | undefined {
    const place = this.#functions.get(name);
    const table = this.#exports[this.#names.exports.table] as WebAssembly.Table;
    const callee = place === undefined ? null : (table.get(place) as unknown);
    if (typeof callee !== "function") {
      throw new Error(`libwebp has no ${name}.`);
    }
    // A long string of libc++ (its place, length and capacity with the mark of a long one), and the answer's handle.
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
      // Any handle of a class will do; the object that is made is the one of bytes.
      [imports.getGlobal]: () => 2,
      [imports.makeObject]: (...[, , , values = 0]) => {
        const view = this.view();
        this.#given = {
          length: view.getUint32(values, true),
          at: view.getUint32(values + 4, true),
        };
        // Ends the call, in which it would be let go.
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
