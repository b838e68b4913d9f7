import aacEncoder from "../../media/codec/aac-encoder.wasm";
import flacDecoder from "../../media/codec/flac-decoder.wasm";
import flacEncoder from "../../media/codec/flac-encoder.wasm";
import lameEncoder from "../../media/codec/lame-encoder.wasm";
import mp3Decoder from "../../media/codec/mp3-decoder.wasm";
import opusDecoder from "../../media/codec/opus-decoder.wasm";
import ffmpegSound from "../../media/codec/ffmpeg/sound.wasm";
import opusEncoder from "../../media/codec/ffmpeg/opus.wasm";
import samples from "../../media/dsp/samples.wasm";
import { AacEncoder } from "../../media/codec/aac-encoder.ts";
import { OpusEncoder } from "../../media/codec/ffmpeg/opus-encoder.ts";
import { FfmpegSoundDecoder } from "../../media/codec/ffmpeg/sound-decoder.ts";
import { createFlacDecoder } from "../../media/codec/flac-decoder.ts";
import { FlacEncoder } from "../../media/codec/flac-encoder.ts";
import { LameEncoder } from "../../media/codec/lame-encoder.ts";
import { Mp3Decoder } from "../../media/codec/mp3-decoder.ts";
import { OpusDecoder } from "../../media/codec/opus-decoder.ts";
import { OPUS_RATE } from "../../media/codec/opus-head.ts";
import type { DecodedTrack, SoundCodecs } from "../../media/codec/sound-codecs.ts";
import type { SoundEncoders } from "../../media/container/sound-writer.ts";
import type { OpusCodecs } from "../../media/film/opus-tail.ts";
import type { AacCodecs } from "../../media/film/silent-tail.ts";

const decodeByFfmpeg =
  (codec: "aac" | "alac" | "vorbis") =>
  ({ config, sampleRate, channels }: DecodedTrack) =>
    new FfmpegSoundDecoder(ffmpegSound, { codec, config, sampleRate, channels });

const decodeAac = decodeByFfmpeg("aac");

/** The decoders of this Worker; each has an instance of its wasm of its own until it is closed. */
export const SOUND_CODECS: SoundCodecs = {
  aac: decodeAac,
  alac: decodeByFfmpeg("alac"),
  vorbis: decodeByFfmpeg("vorbis"),
  flac: (track) => createFlacDecoder(flacDecoder, track),
  mp3: ({ channels }) => new Mp3Decoder(mp3Decoder, channels),
  opus: ({ config }) => new OpusDecoder(opusDecoder, config),
};

/** The encoders of this Worker, in the same way. */
export const SOUND_ENCODERS: SoundEncoders = {
  samples,
  flac: (shape, depth) => new FlacEncoder(flacEncoder, shape, depth),
  mp3: (shape, bitrateKbps) => new LameEncoder(lameEncoder, shape, bitrateKbps),
  aac: (shape, bitrateKbps) => new AacEncoder(aacEncoder, shape, bitrateKbps),
  opus: ({ channels }, bitrateKbps) =>
    new OpusEncoder(opusEncoder, channels === 1 ? 1 : 2, bitrateKbps * 1000),
};

/** With these, AAC that is shorter than its video is continued. */
export const AAC_CODECS: AacCodecs = {
  decoder: decodeAac,
  encoder: (shape, bitrateKbps) => SOUND_ENCODERS.aac(shape, bitrateKbps),
};

/** The same for Opus. */
export const OPUS_CODECS: OpusCodecs = {
  decoder: (config) => new OpusDecoder(opusDecoder, config),
  encoder: (channels, bitrateKbps) =>
    SOUND_ENCODERS.opus({ sampleRate: OPUS_RATE, channels }, bitrateKbps),
};
