import type { MemoryCap } from "./memory-cap.ts";

/** What emscripten's glue takes of the settings that we use. */
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

/** Thrown through a codec when it hands pixels over, so that it does not let them go. */
class PixelsGiven {
  readonly pixels: GivenPixels;

  constructor(rgba: Uint8ClampedArray, width: number, height: number) {
    this.pixels = { rgba, width, height };
  }
}

/**
 * Where there is no such class the glue defines one in a scope of its own, and that scope keeps the
 * memory of the first codec, as large as it has grown, for good.
 */
class PlainImageData {}

/** What the glue finds by the names of classes: its codecs make bytes of their memory, and a picture of these. */
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
 * Starts a codec that emscripten built, from its glue and its compiled module. Its memory grows by
 * what it asks for, where the glue would add a fifth, and not beyond the lid. The function that it
 * answers with decodes one file, in which the codec's life ends.
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
            // Ends the codec's work where it would only give up by many steps.
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
      // The glue grows by this method, and takes an error for "there is no more".
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

/** By what the glue calls it; in the module it has one letter. */
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

/** While the glue looks for a class, it finds these. */
function withGlobals<T>(look: () => T): T {
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
