import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createFlacDecoder } from "../../../src/media/codec/flac-decoder.ts";
import { Mp3Decoder } from "../../../src/media/codec/mp3-decoder.ts";
import { OpusDecoder } from "../../../src/media/codec/opus-decoder.ts";
import type { SoundCodecs } from "../../../src/media/codec/sound-codecs.ts";
import { compiledPackageFile } from "../compiled-package-file.ts";
import { RULERS } from "./rulers.ts";

export const MODULES = {
  mp3: compiledPackageFile("../src/media/codec/mp3-decoder.wasm"),
  opus: compiledPackageFile("../src/media/codec/opus-decoder.wasm"),
  flac: compiledPackageFile("../src/media/codec/flac-decoder.wasm"),
};

/** The decoders of MP3, Opus and FLAC; rulers for the others. */
export const DECODERS: SoundCodecs = {
  ...RULERS,
  mp3: ({ channels }) => new Mp3Decoder(MODULES.mp3, channels),
  opus: ({ config }) => new OpusDecoder(MODULES.opus, config),
  flac: (track) => createFlacDecoder(MODULES.flac, track),
};

/** A file of test/golden/media (scripts/make-media-fixtures.ts). */
export function mediaFixture(name: string): Uint8Array<ArrayBuffer> {
  const path = new URL(`../../golden/media/${name}`, import.meta.url).href;
  return Uint8Array.from(readFileSync(fileURLToPath(path)));
}
