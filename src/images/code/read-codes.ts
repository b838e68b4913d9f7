import {
  prepareZXingModule,
  purgeZXingModule,
  type ReaderOptions,
  readBarcodes,
} from "zxing-wasm/reader";
import { CODE_FORMATS, type CodeFormat } from "../../contracts/code-symbol.ts";
import { isolateMemory } from "../../lib/memory/memory-budget.ts";
import { flattenRaster } from "../raster/flatten-raster.ts";
import type { Raster } from "../raster/raster.ts";

export interface ReadCode {
  readonly format: string;
  readonly text: string;
}

let ready: Promise<unknown> | undefined;
/** The reader's memory, counted as kept memory of the isolate. */
let memory: WebAssembly.Memory | undefined;
const kept = isolateMemory.keep(0, () => {
  purgeZXingModule();
  ready = undefined;
  memory = undefined;
});

/** Fast settings: upright and at the original size, which is enough for drawn codes. */
const QUICK: ReaderOptions = {
  tryHarder: false,
  tryRotate: false,
  tryInvert: false,
  tryDownscale: false,
  maxNumberOfSymbols: 1,
  characterSet: "UTF8",
  textMode: "Plain",
};

/** Additional attempts of a thorough reader: other sizes, other directions, light codes on dark. */
const PATIENT: ReaderOptions = {
  ...QUICK,
  tryHarder: true,
  tryRotate: true,
  tryInvert: true,
  tryDownscale: true,
  maxNumberOfSymbols: 8,
};

/**
 * Reads the codes in a picture flattened on white, of all formats or only the given ones, which is
 * faster. `reader` is the compiled module of the reader; the module of the first call is used from
 * then on.
 */
export async function readCodes(
  picture: Raster,
  reader: WebAssembly.Module,
  formats: readonly CodeFormat[] = CODE_FORMATS,
): Promise<readonly ReadCode[]> {
  ready ??= prepareZXingModule({
    overrides: {
      // Takes a module instead of bytes, because a Worker may not compile.
      instantiateWasm(
        imports: WebAssembly.Imports,
        done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
      ) {
        const instance = new WebAssembly.Instance(reader, imports);
        memory = Object.values(instance.exports).find((one) => one instanceof WebAssembly.Memory);
        done(instance, reader);
        return instance.exports;
      },
    },
    fireImmediately: true,
  }).catch((error: unknown) => {
    // The next call tries again.
    purgeZXingModule();
    ready = undefined;
    throw error;
  });
  // In use before the first await, so that its room cannot be taken in between.
  const endUse = kept.use();
  try {
    await ready;
    return await readIn(picture, formats);
  } finally {
    endUse();
    kept.resize(memory?.buffer.byteLength ?? 0);
  }
}

async function readIn(
  picture: Raster,
  formats: readonly CodeFormat[],
): Promise<readonly ReadCode[]> {
  const flat = flattenRaster(picture);
  const image = { data: flat.rgba, width: flat.width, height: flat.height } as Parameters<
    typeof readBarcodes
  >[0];
  for (const options of [QUICK, PATIENT]) {
    // oxlint-disable-next-line no-await-in-loop -- the second reading is only needed if the first one finds nothing
    const found = await readBarcodes(image, { ...options, formats: [...formats] });
    const valid = found.filter((code) => code.isValid);
    if (valid.length > 0) {
      return valid.map(({ format, text }) => ({ format, text }));
    }
  }
  return [];
}
