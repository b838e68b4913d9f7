/** Long sounds as they are uploaded, piece after piece, so that a test holds none of them. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { mp3FrameBytes, mp3FrameSamples } from "../../../../src/media/codec/mp3-frame.ts";
import { wavHeader } from "../../../../src/providers/sample/sound/wav-writer.ts";
import { pinkNoise } from "../../media/signals.ts";

const LOOP_SECONDS = 4;
const MP3 = fileURLToPath(new URL("../../../golden/media/mono-8000.mp3", import.meta.url));

/** A WAV of 16 bits, `seconds` long: pink noise that swells every four seconds, on all channels alike. */
export function* longWav(seconds: number, rate = 48_000, channels = 2): Generator<Uint8Array> {
  const noise = pinkNoise(LOOP_SECONDS * rate, 0.1, 1);
  const loop = new Int16Array(noise.length * channels);
  for (const [i, sample] of noise.entries()) {
    const swell = 0.05 + 0.95 * Math.sin((Math.PI * i) / noise.length) ** 2;
    loop.fill(Math.round(sample * swell * 32_767), i * channels, (i + 1) * channels);
  }
  yield wavHeader("pcm16", rate, channels, seconds * rate);
  const bytes = new Uint8Array(loop.buffer);
  const frameBytes = 2 * channels;
  for (let left = seconds * rate * frameBytes; left > 0; left -= bytes.length) {
    yield bytes.subarray(0, Math.min(left, bytes.length));
  }
}

/** An MP3 of 8 kHz mono with 3 kB a second, at most `seconds` long: the frames of a fixture again and again. */
export function* longMp3(seconds: number): Generator<Uint8Array> {
  const file = readFileSync(MP3);
  const note = file.indexOf(0xff);
  const frameBytes = mp3FrameBytes(file, note) ?? 0;
  // Behind the frame with LAME's note, which states the length of the fixture.
  const frames = file.subarray(note + frameBytes);
  const secondsOfLoop = ((frames.length / frameBytes) * mp3FrameSamples(8_000)) / 8_000;
  for (let left = seconds; left >= secondsOfLoop; left -= secondsOfLoop) {
    yield frames;
  }
}
