import type { SoundFormat, SoundFormatName } from "../../../src/contracts/media/sound-formats.ts";
import { SOUND_FORMAT_ENTRIES } from "../../../src/contracts/media/sound-formats.ts";
import { type AudioBlock, BLOCK_FRAMES_MAX } from "../../../src/media/audio-block.ts";
import { createSoundWriter, type WrittenSound } from "../../../src/media/container/sound-writer.ts";
import { resolveFormat } from "../../../src/media/format/resolve-format.ts";
import { MemorySink } from "./memory-sink.ts";
import { soundEncoders } from "./sound-encoders.ts";

/** Tones, one for each channel, that rise and fall, at most 0.5 together. */
export function tones(sampleRate: number, channels: number, frames: number): AudioBlock {
  return Array.from({ length: channels }, (_, channel) => {
    const [high, low] = [(440 + 220 * channel) / sampleRate, (97 + 30 * channel) / sampleRate];
    return Float32Array.from(
      { length: frames },
      (_sample, i) =>
        0.4 * Math.sin(2 * Math.PI * high * i) + 0.1 * Math.sin(2 * Math.PI * low * i),
    );
  });
}

/** A format with its defaults, or with one bit depth or rate. */
export function formatOf(
  format: SoundFormatName,
  sampleRate: number,
  channels: 1 | 2,
  asked: { readonly bitDepth?: 16 | 24 | 32 | undefined; readonly kbps?: number } = {},
): SoundFormat {
  return resolveFormat({ format, bit_depth: asked.bitDepth, bitrate_kbps: asked.kbps }, [
    { sampleRate, channels, bitDepth: 16 },
  ]);
}

/** The file of a sound, written in blocks of `blockFrames`. */
export async function writeSound(
  format: SoundFormat,
  sound: AudioBlock,
  { blockFrames = BLOCK_FRAMES_MAX, framesMax }: { blockFrames?: number; framesMax?: number } = {},
): Promise<WrittenSound & { readonly bytes: Uint8Array<ArrayBuffer> }> {
  const sink = new MemorySink();
  const writer = createSoundWriter(format, sink, soundEncoders, framesMax);
  const frames = sound[0]?.length ?? 0;
  for (let from = 0; from < frames; from += blockFrames) {
    await writer.write(sound.map((samples) => samples.subarray(from, from + blockFrames)));
  }
  return { ...(await writer.end()), bytes: sink.bytes() };
}

/** Rates that are tried for a format: all of a short list, and some odd ones for the others. */
export function triedRates(format: SoundFormatName): readonly number[] {
  return (
    SOUND_FORMAT_ENTRIES[format].sampleRates ?? [
      8_000, 8_001, 22_050, 44_100, 48_000, 65_537, 88_200, 96_000, 96_001, 192_000,
    ]
  );
}
