/**
 * Writes src/media/codec/*.wasm: codecs that npm packages carry as texts in their glue, which fetches, starts Workers or
 * compiles bytes and is not used. A test compares the files with the packages.
 *
 * node scripts/extract-media-codecs.ts
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Functions that types of Workers leave out, because a Worker cannot compile bytes. */
const compiler = WebAssembly as unknown as {
  compile: (bytes: Uint8Array) => Promise<unknown>;
  instantiate: (bytes: Uint8Array, imports: WebAssembly.Imports) => Promise<unknown>;
};

interface ExtractedCodec {
  /** The package's file with the module in it. */
  readonly source: string;
  /** Makes the package's glue compile the module. */
  readonly start: (source: string) => Promise<unknown>;
}

/** By the name of the file below src/media/codec. */
export const EXTRACTED_CODECS: Readonly<Record<string, ExtractedCodec>> = {
  "time-stretch.wasm": {
    source: "node_modules/signalsmith-stretch/SignalsmithStretch.mjs",
    start: compileEmbedded,
  },
};

/** The module that a package carries, with the memory that it is given here. Throws if its glue compiles none. */
export async function extractCodec(name: string): Promise<Uint8Array> {
  const codec = EXTRACTED_CODECS[name];
  if (codec === undefined) {
    throw new Error(`There is no codec ${name}.`);
  }
  return await capture(() => codec.start(at(codec.source)));
}

/** The largest module that is compiled while `start` runs; a package may decompress its module with another. */
async function capture(start: () => Promise<unknown>): Promise<Uint8Array> {
  const { compile, instantiate } = compiler;
  let found = new Uint8Array(0);
  const keep = (bytes: unknown) => {
    if (bytes instanceof Uint8Array && bytes.length > found.length) {
      found = Uint8Array.from(bytes);
    }
  };
  compiler.compile = (bytes) => {
    keep(bytes);
    return compile(bytes);
  };
  compiler.instantiate = (bytes, imports) => {
    keep(bytes);
    return instantiate(bytes, imports);
  };
  try {
    await start();
  } finally {
    compiler.compile = compile;
    compiler.instantiate = instantiate;
  }
  if (found.length === 0) {
    throw new Error("The package's glue compiled no module.");
  }
  return found;
}

/** A module that stands in its glue in base64. */
async function compileEmbedded(source: string): Promise<unknown> {
  const embedded = /base64,([A-Za-z0-9+/=]+)"/.exec(await readFile(source, "utf8"))?.[1];
  if (embedded === undefined) {
    throw new Error("The package's glue has no module in base64.");
  }
  return await compiler.compile(Buffer.from(embedded, "base64"));
}

function at(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url).href);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const name of Object.keys(EXTRACTED_CODECS)) {
    await writeFile(at(`src/media/codec/${name}`), await extractCodec(name));
  }
}
