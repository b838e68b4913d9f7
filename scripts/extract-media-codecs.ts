/**
 * Writes src/media/codec/*.wasm: codecs that npm packages carry as texts in their glue, which fetches, starts Workers or
 * compiles bytes and is not used. Only the sizes of the modules' memories change: emscripten reserves 16 MiB for each,
 * and an isolate has 128 MB for everything. A test compares the files with the packages.
 *
 * node scripts/extract-media-codecs.ts [folder]
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { withMemoryRange } from "./wasm-memory.ts";

const KB = 1024;

interface ExtractedCodec {
  /** The package's file with the module in it. */
  readonly source: string;
  /** Makes the package's glue compile the module. */
  readonly start: (source: string) => Promise<unknown>;
  /** Smallest and largest size of the module's memory, in bytes. Undefined keeps the module as it is. */
  readonly memory?: { readonly min: number; readonly max: number };
}

/** By the name of the file below src/media/codec. */
export const EXTRACTED_CODECS: Readonly<Record<string, ExtractedCodec>> = {
  "mp3-decoder.wasm": {
    source: "node_modules/mpg123-decoder/index.js",
    start: (source) => startDecoder(source, "MPEGDecoder"),
    memory: { min: 1024 * KB, max: 1024 * KB },
  },
  "opus-decoder.wasm": {
    source: "node_modules/opus-decoder/index.js",
    start: (source) => startDecoder(source, "OpusDecoder"),
    memory: { min: 1536 * KB, max: 1536 * KB },
  },
  // Eight channels of blocks of 16,384 samples take 2 MiB; longer blocks are outside of FLAC's streamable subset.
  "flac-decoder.wasm": {
    source: "node_modules/@wasm-audio-decoders/flac/index.js",
    start: (source) => startDecoder(source, "FLACDecoder"),
    memory: { min: 4096 * KB, max: 4096 * KB },
  },
  "lame-encoder.wasm": {
    source: "node_modules/@mediabunny/mp3-encoder/dist/modules/build/lame.js",
    start: startModule,
    memory: { min: 768 * KB, max: 4096 * KB },
  },
  "aac-encoder.wasm": {
    source: "node_modules/@mediabunny/aac-encoder/dist/modules/build/aac.js",
    start: startModule,
    memory: { min: 2048 * KB, max: 8192 * KB },
  },
  "flac-encoder.wasm": {
    source: "node_modules/@mediabunny/flac-encoder/dist/modules/build/flac.js",
    start: startModule,
    memory: { min: 768 * KB, max: 4096 * KB },
  },
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
  const module = await capture(() => codec.start(at(codec.source)));
  return codec.memory === undefined
    ? module
    : withMemoryRange(module, codec.memory.min, codec.memory.max);
}

interface Compiler {
  compile(bytes: Uint8Array): Promise<unknown>;
  instantiate(bytes: Uint8Array, imports: unknown): Promise<unknown>;
}

/** Neither the types of Node nor those of a Worker have both functions. */
const compiler = (globalThis as unknown as { readonly WebAssembly: Compiler }).WebAssembly;

/** The largest module that is compiled while `start` runs; a package may decompress its module with another. */
async function capture(start: () => Promise<unknown>): Promise<Uint8Array> {
  const compile = compiler.compile.bind(compiler);
  const instantiate = compiler.instantiate.bind(compiler);
  let found = new Uint8Array(0);
  const keep = (bytes: unknown) => {
    if (bytes instanceof Uint8Array && bytes.length > found.length) {
      found = Uint8Array.from(bytes);
    }
  };
  compiler.compile = async (bytes) => {
    keep(bytes);
    return await compile(bytes);
  };
  compiler.instantiate = async (bytes, imports) => {
    keep(bytes);
    return await instantiate(bytes, imports);
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

/** A package of wasm-audio-decoders: the constructor of its decoder compiles the module. */
async function startDecoder(source: string, name: string): Promise<unknown> {
  const exports = (await import(source)) as Record<
    string,
    new () => { readonly ready: Promise<unknown> }
  >;
  const Decoder = exports[name];
  if (Decoder === undefined) {
    throw new Error(`The package has no ${name}.`);
  }
  return await new Decoder().ready;
}

/** Glue of emscripten that is an ES module but for its export, which bundlers accept and Node does not. */
async function startModule(source: string): Promise<unknown> {
  const text = (await readFile(source, "utf8"))
    .replace('Object.defineProperty(exports, "__esModule", { value: true });', "")
    .replace("exports.default = Module;", "export default Module;");
  const { default: start } = (await import(
    `data:text/javascript;base64,${Buffer.from(text).toString("base64")}`
  )) as { default: () => Promise<unknown> };
  return await start();
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
  const [, , folder = at("src/media/codec")] = process.argv;
  for (const name of Object.keys(EXTRACTED_CODECS)) {
    await writeFile(join(folder, name), await extractCodec(name));
  }
}
