/** Sounds that tests synthesize: the same samples on every machine. */
import { type AudioBlock, BLOCK_FRAMES_MAX } from "../../../src/media/audio-block.ts";

/** Numbers from 0 to 1 (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const amplitudeOf = (db: number): number => 10 ** (db / 20);
export const decibelsOf = (amplitude: number): number => 20 * Math.log10(amplitude);

/** A sine of `seconds`; its peak is `db` dBFS. */
export function sine(
  sampleRate: number,
  seconds: number,
  hertz: number,
  db: number,
  phase = 0,
): Float32Array {
  const amplitude = amplitudeOf(db);
  return Float32Array.from(
    { length: Math.round(seconds * sampleRate) },
    (_, i) => amplitude * Math.sin((2 * Math.PI * hertz * i) / sampleRate + phase),
  );
}

export function silence(sampleRate: number, seconds: number): Float32Array {
  return new Float32Array(Math.round(seconds * sampleRate));
}

/** White noise between -amplitude and amplitude. */
export function noise(frames: number, amplitude: number, seed: number): Float32Array {
  const next = randomNumbers(seed);
  return Float32Array.from({ length: frames }, () => amplitude * (2 * next() - 1));
}

/** Pink noise of the given RMS, by the filter of Paul Kellet. */
export function pinkNoise(frames: number, rms: number, seed: number): Float32Array {
  const next = randomNumbers(seed);
  const b = [0, 0, 0, 0, 0, 0, 0];
  const poles = [0.99886, 0.99332, 0.969, 0.8665, 0.55, -0.7616];
  const gains = [0.0555179, 0.0750759, 0.153852, 0.3104856, 0.5329522, -0.016898];
  const samples = Float32Array.from({ length: frames }, () => {
    const white = 2 * next() - 1;
    let sum = b[6]! + white * 0.5362;
    for (let k = 0; k < 6; k++) {
      b[k] = poles[k]! * b[k]! + white * gains[k]!;
      sum += b[k]!;
    }
    b[6] = white * 0.115926;
    return sum;
  });
  const scale = rms / rmsOf(samples);
  return samples.map((sample) => sample * scale);
}

export function rmsOf(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) {
    sum += sample * sample;
  }
  return Math.sqrt(sum / samples.length);
}

export function joined(...parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The sound in blocks of changing lengths, the same for the same seed. */
export function* blocksOf(channels: readonly Float32Array[], seed = 1): Generator<AudioBlock> {
  const next = randomNumbers(seed);
  const frames = channels[0]!.length;
  for (let at = 0; at < frames;) {
    const to = Math.min(frames, at + 1 + Math.floor(next() * BLOCK_FRAMES_MAX));
    yield channels.map((samples) => samples.subarray(at, to));
    at = to;
  }
}

/** All samples of blocks, copied. */
export function collected(blocks: Iterable<AudioBlock>, channels: number): Float32Array[] {
  const parts: Float32Array[][] = Array.from({ length: channels }, () => []);
  for (const block of blocks) {
    for (const [channel, samples] of block.entries()) {
      parts[channel]!.push(samples.slice());
    }
  }
  return parts.map((part) => joined(...part));
}

/** A sound that passes through a stage in blocks of changing lengths. */
export function processed(
  stage: { process(block: AudioBlock): AudioBlock; end(): AudioBlock },
  channels: readonly Float32Array[],
  seed = 1,
): Float32Array[] {
  return collected(
    (function* () {
      for (const block of blocksOf(channels, seed)) {
        yield stage.process(block);
      }
      yield stage.end();
    })(),
    channels.length,
  );
}

/** A WAV file of 32-bit float samples. */
export function floatWav(sampleRate: number, channels: readonly Float32Array[]): Uint8Array {
  const frames = channels[0]!.length;
  const bytes = new Uint8Array(58 + frames * channels.length * 4);
  const view = new DataView(bytes.buffer);
  const text = (at: number, value: string) => bytes.set(new TextEncoder().encode(value), at);
  text(0, "RIFF");
  view.setUint32(4, bytes.length - 8, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 18, true);
  view.setUint16(20, 3, true);
  view.setUint16(22, channels.length, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * channels.length * 4, true);
  view.setUint16(32, channels.length * 4, true);
  view.setUint16(34, 32, true);
  text(38, "fact");
  view.setUint32(42, 4, true);
  view.setUint32(46, frames, true);
  text(50, "data");
  view.setUint32(54, frames * channels.length * 4, true);
  let at = 58;
  for (let i = 0; i < frames; i++) {
    for (const samples of channels) {
      view.setFloat32(at, samples[i]!, true);
      at += 4;
    }
  }
  return bytes;
}
