import { wavHeader } from "../../../src/providers/sample/sound/wav-writer.ts";

/** A WAV of 16 bits with a tone of 440 Hz at a level, 1.0 being full scale. */
export function toneFile(
  rate: number,
  channels: number,
  frames: number,
  level: number,
): Uint8Array {
  const samples = Int16Array.from({ length: frames * channels }, (_none, i) =>
    Math.round(level * 32_767 * Math.sin((2 * Math.PI * 440 * Math.floor(i / channels)) / rate)),
  );
  return Buffer.concat([
    wavHeader("pcm16", rate, channels, frames),
    new Uint8Array(samples.buffer),
  ]);
}
