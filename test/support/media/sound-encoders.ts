import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AacEncoder } from "../../../src/media/codec/aac-encoder.ts";
import { OpusEncoder } from "../../../src/media/codec/ffmpeg/opus-encoder.ts";
import { FlacEncoder } from "../../../src/media/codec/flac-encoder.ts";
import { LameEncoder } from "../../../src/media/codec/lame-encoder.ts";
import type { SoundEncoders } from "../../../src/media/container/sound-writer.ts";
import { ffmpegModules } from "./codec-fixtures.ts";
import { samplesModule } from "./wasm-modules.ts";

// Node may compile bytes at run time; the types are those of a Worker, which may not.
const Module = WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module;
const FOLDER = join(import.meta.dirname, "../../../src/media/codec");

/** A module that the media Worker imports, compiled from its file below `src/media/codec`. */
export function compiledCodec(name: string): WebAssembly.Module {
  return new Module(readFileSync(join(FOLDER, name)));
}

const [lame, aac, flac] = ["lame-encoder", "aac-encoder", "flac-encoder"].map((name) =>
  compiledCodec(`${name}.wasm`),
) as [WebAssembly.Module, WebAssembly.Module, WebAssembly.Module];

/** The encoders of the media Worker in Node. */
export const soundEncoders: SoundEncoders = {
  samples: samplesModule(),
  flac: (shape, depth) => new FlacEncoder(flac, shape, depth),
  mp3: (shape, bitrateKbps) => new LameEncoder(lame, shape, bitrateKbps),
  aac: (shape, bitrateKbps) => new AacEncoder(aac, shape, bitrateKbps),
  opus: ({ channels }, bitrateKbps) =>
    new OpusEncoder(ffmpegModules.opus, channels === 1 ? 1 : 2, bitrateKbps * 1_000),
};
