import { FfmpegSoundDecoder } from "../../../src/media/codec/ffmpeg/sound-decoder.ts";
import type { DecodedTrack, SoundCodecs } from "../../../src/media/codec/sound-codecs.ts";
import { ffmpegModules } from "./codec-fixtures.ts";
import { DECODERS } from "./read-codecs.ts";

const decodeByFfmpeg =
  (codec: "aac" | "alac" | "vorbis") =>
  ({ config, sampleRate, channels }: DecodedTrack) =>
    new FfmpegSoundDecoder(ffmpegModules.sound, { codec, config, sampleRate, channels });

/** All decoders of the media Worker, in Node. */
export const REAL_CODECS: SoundCodecs = {
  ...DECODERS,
  aac: decodeByFfmpeg("aac"),
  alac: decodeByFfmpeg("alac"),
  vorbis: decodeByFfmpeg("vorbis"),
};
