/** Music for the podcast sample, computed, so that the repository contains no recording. */
import { wavHeader } from "../src/providers/sample/sound/wav-writer.ts";

const RATE = 48_000;
const BEAT_SECONDS = 0.4;
/** C major, A minor, F major and G major, as semitones above A of 110 Hz; the first note is the bass. */
const CHORDS = [
  [-9, 3, 7, 10, 15],
  [-12, 0, 3, 7, 12],
  [-16, -4, 0, 3, 8],
  [-14, -2, 2, 5, 10],
] as const;
/** The notes of a bar: an index into the chord for each of its eight beats. */
const BAR = [1, 2, 3, 4, 3, 2, 3, 4] as const;
const PEAK = 0.5;
const RING_SECONDS = 2.8;

/** A WAV of 12.8 s, 48 kHz, stereo, 16 bit, which can be repeated: plucked chords over a bass, the same at every call. */
export function podcastMusic(): Uint8Array {
  const beatFrames = BEAT_SECONDS * RATE;
  const frames = CHORDS.length * BAR.length * beatFrames;
  const sides = [new Float64Array(frames), new Float64Array(frames)] as const;
  for (const [bar, chord] of CHORDS.entries()) {
    for (const [beat, note] of BAR.entries()) {
      const at = (bar * BAR.length + beat) * beatFrames;
      pluck(sides, at, chord[note], 0.3, 0.2 + (0.6 * note) / chord.length);
      if (beat % 4 === 0) {
        pluck(sides, at, chord[0], 0.5, 0.5);
      }
    }
  }
  return encoded(sides);
}

/** Adds a decaying note; `place` is 0 for left and 1 for right. What rings beyond the end continues at the beginning. */
function pluck(
  [left, right]: readonly [Float64Array, Float64Array],
  start: number,
  semitones: number,
  level: number,
  place: number,
): void {
  const frequency = 220 * 2 ** (semitones / 12);
  const length = Math.round(RING_SECONDS * RATE);
  for (let i = 0; i < length; i++) {
    const t = i / RATE;
    let value = 0;
    for (let partial = 1; partial <= 5; partial++) {
      value +=
        (Math.sin(2 * Math.PI * frequency * partial * t) * Math.exp(-t * (0.6 + 0.5 * partial))) /
        partial ** 1.5;
    }
    const attack = Math.min(1, i / 240);
    const release = Math.min(1, (length - i) / 24_000);
    const at = (start + i) % left.length;
    value *= level * attack * release;
    left[at] = (left[at] ?? 0) + value * (1 - place);
    right[at] = (right[at] ?? 0) + value * place;
  }
}

function encoded([left, right]: readonly [Float64Array, Float64Array]): Uint8Array {
  const highest = [left, right].reduce(
    (max, side) => side.reduce((found, value) => Math.max(found, Math.abs(value)), max),
    0,
  );
  const scale = (PEAK * 32_767) / highest;
  const header = wavHeader("pcm16", RATE, 2, left.length);
  const bytes = new Uint8Array(header.length + left.length * 4);
  bytes.set(header);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < left.length; i++) {
    view.setInt16(header.length + i * 4, Math.round((left[i] ?? 0) * scale), true);
    view.setInt16(header.length + i * 4 + 2, Math.round((right[i] ?? 0) * scale), true);
  }
  return bytes;
}
