import type { MemoryCap } from "./memory-cap.ts";

/** The settings of emscripten's glue that are used here. */
interface Settings {
  readonly noInitialRun: true;
  readonly print: () => void;
  readonly printErr: () => void;
  readonly instantiateWasm: (
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance) => void,
  ) => WebAssembly.Exports;
}

/** Pixels in a codec's own memory. */
export interface GivenPixels {
  readonly rgba: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/** Thrown through a codec when it returns its pixels, so that it does not free them. */
class PixelsGiven {
  readonly pixels: GivenPixels;

  constructor(rgba: Uint8ClampedArray, width: number, height: number) {
    this.pixels = { rgba, width, height };
  }
}

/**
 * Without this class the glue defines one in its own scope, and that scope would keep the memory of
 * the first codec, at its full size, for good.
 */
class PlainImageData {}

/**
 * Classes that the glue finds by name: its codecs create byte views of their memory, and a picture
 * from these.
 */
const FOUND = {
  Uint8ClampedArray: function (bytes: Uint8Array<ArrayBuffer>) {
    return new Uint8ClampedArray(bytes.buffer, bytes.byteOffset, bytes.length);
  },
  ImageData: function (rgba: Uint8ClampedArray, width: number, height: number) {
    throw new PixelsGiven(rgba, width, height);
  },
};

type Imported = (...given: number[]) => unknown;

/**
 * Starts a codec built with emscripten, from its glue and its compiled module. Its memory grows by
 * the requested size, where the glue would add a fifth, and not beyond the cap. The returned
 * function decodes one file, and ends the codec.
 */
export async function startEmscripten<E>(
  glue: (settings: never) => Promise<E>,
  module: WebAssembly.Module,
  cap: MemoryCap,
): Promise<(decode: (codec: E) => unknown) => GivenPixels | undefined> {
  const settings: Settings = {
    noInitialRun: true,
    print: () => undefined,
    printErr: () => undefined,
    instantiateWasm(imports, done) {
      const own = imports["a"] as Record<string, Imported>;
      const [getGlobal, find] = namedImport(own, "__emval_get_global");
      const [resize, grow] = namedImport(own, "_emscripten_resize_heap");
      let wanted = 0;
      const instance = new WebAssembly.Instance(module, {
        a: {
          ...own,
          [getGlobal]: (name = 0) => withGlobals(() => find(name)),
          [resize]: (bytes = 0) => {
            wanted = bytes >>> 0;
            // Ends the codec's work at once, where it would otherwise fail only after many more
            // steps.
            cap.check(wanted);
            return grow(bytes);
          },
        },
      });
      const memory = Object.values(instance.exports).find(
        (value) => value instanceof WebAssembly.Memory,
      );
      if (memory === undefined) {
        throw new Error("The codec exports no memory.");
      }
      // The glue grows memory with this method, and treats an error as "out of memory".
      const growBy = memory.grow.bind(memory);
      memory.grow = () => cap.grow(memory, wanted, growBy);
      done(instance);
      return instance.exports;
    },
  };
  (globalThis as { ImageData?: unknown }).ImageData ??= PlainImageData;
  const codec = await glue(settings as never);
  return (decode) => {
    try {
      decode(codec);
      return undefined;
    } catch (thrown) {
      if (thrown instanceof PixelsGiven) {
        return thrown.pixels;
      }
      throw thrown;
    }
  };
}

/** By the glue's name; in the module it has one letter. */
function namedImport(
  imports: Readonly<Record<string, Imported>>,
  name: string,
): [string, Imported] {
  const found = Object.entries(imports).find(([, given]) => given.name === name);
  if (found === undefined) {
    throw new Error(`The codec's glue has no ${name}.`);
  }
  return found;
}

/** Classes that the glue finds while it looks them up by name. */
function withGlobals<T>(look: () => T): T {
  // The global object as a table of names; its type has no index signature.
  const scope = globalThis as unknown as Record<string, unknown>;
  const before = Object.keys(FOUND).map((name) => [name, scope[name]] as const);
  Object.assign(scope, FOUND);
  try {
    return look();
  } finally {
    for (const [name, value] of before) {
      scope[name] = value;
    }
  }
}
