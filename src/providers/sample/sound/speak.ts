import { type Formants, formantsOf } from "./letter-formants.ts";
import { wavHeader } from "./wav-writer.ts";

export const VOICE_RATE = 24_000;

/** Fundamental frequencies in Hz, and the length of the vocal tract relative to that of a man. */
const VOICES = {
  low: { fundamental: 110, tract: 1 },
  mid: { fundamental: 165, tract: 1.1 },
  high: { fundamental: 220, tract: 1.18 },
} as const;

type VoiceName = keyof typeof VOICES;
export const VOICE_NAMES = Object.keys(VOICES) as readonly VoiceName[];

export interface SpeechRequest {
  readonly text: string;
  readonly voice: VoiceName;
  /** 0.5 to 2. */
  readonly speed: number;
  /** Semitones, -12 to 12. */
  readonly pitch: number;
}

const LETTER_MS = 60;
const SPACE_MS = 120;
const MARK_MS = 250;
const LEAST_MS = 300;

const SAMPLES_PER_MS = VOICE_RATE / 1000;
const BLOCK_SAMPLES = 16_384;

/** A part of the speech, in ms at speed 1. */
interface Part {
  readonly ms: number;
  /** Undefined for silence. */
  readonly letter: string | undefined;
  /** The mark that ends the phrase, for its last part. */
  readonly mark: string;
}

/** Letters, digits, runs of white space and marks of the text, in sequence. */
function* partsOf(text: string): Generator<Part> {
  for (const [found] of text.trim().matchAll(/[\p{L}\p{N}]|\s+|[.,;:!?…]/gu)) {
    if (/^\s/.test(found)) {
      yield { ms: SPACE_MS, letter: undefined, mark: "" };
    } else if (/^[.,;:!?…]$/.test(found)) {
      yield { ms: MARK_MS, letter: undefined, mark: found };
    } else {
      yield { ms: LETTER_MS, letter: found, mark: "" };
    }
  }
}

/** Duration of the speech in whole milliseconds. */
export function speechMilliseconds({ text, speed }: Pick<SpeechRequest, "text" | "speed">): number {
  let sum = 0;
  for (const { ms } of partsOf(text)) {
    sum += ms;
  }
  return Math.max(LEAST_MS, Math.round(sum / speed));
}

/**
 * The sample voice: a WAV of 24 kHz, mono, 16 bit in pieces. Each letter or digit is one voiced tone
 * with the resonances of a vocal tract. Holds one block.
 */
export function* speak(request: SpeechRequest): Generator<Uint8Array> {
  const frames = speechMilliseconds(request) * SAMPLES_PER_MS;
  yield wavHeader("pcm16", VOICE_RATE, 1, frames);
  const voice = new Voice(request);
  let emitted = 0;
  let block = new Int16Array(Math.min(BLOCK_SAMPLES, frames));
  let filled = 0;
  let ms = 0;
  for (const part of partsOf(request.text)) {
    ms += part.ms;
    const end = Math.min(frames, Math.round((ms / request.speed) * SAMPLES_PER_MS));
    const length = end - emitted - filled;
    const tone =
      part.letter === undefined ? voice.rest(length, part.mark) : voice.tone(part.letter, length);
    for (let at = 0; at < length;) {
      const count = Math.min(length - at, block.length - filled);
      block.set(tone.subarray(at, at + count), filled);
      filled += count;
      at += count;
      if (filled === block.length) {
        yield new Uint8Array(block.buffer);
        emitted += filled;
        block = new Int16Array(Math.min(BLOCK_SAMPLES, frames - emitted));
        filled = 0;
      }
    }
  }
  // Silence: what rounding leaves, and speech below the least duration.
  while (block.length > 0) {
    yield new Uint8Array(block.buffer);
    emitted += block.length;
    block = new Int16Array(Math.min(BLOCK_SAMPLES, frames - emitted));
  }
}

/** Bandwidths of the resonances in Hz. */
const BANDWIDTHS = [70, 100, 160] as const;
const TONE_RMS = 0.17;
const ATTACK_MS = 9;
const DECAY_MS = 18;
/** Silence between tones. */
const GAP_MS = 3;

class Voice {
  readonly #fundamental: number;
  readonly #tract: number;
  readonly #attack: Float64Array;
  readonly #decay: Float64Array;
  readonly #gap: number;
  /** Position in the glottal period, 0 to 1. */
  #phase = 0;
  /** Tones since the phrase began: pitch falls along a phrase. */
  #tones = 0;
  #silence = new Int16Array(0);
  #tone = new Int16Array(0);

  constructor({ voice, speed, pitch }: SpeechRequest) {
    this.#fundamental = VOICES[voice].fundamental * 2 ** (pitch / 12);
    this.#tract = VOICES[voice].tract;
    const samples = (ms: number) => Math.max(1, Math.round((ms / speed) * SAMPLES_PER_MS));
    this.#attack = rise(samples(ATTACK_MS));
    this.#decay = rise(samples(DECAY_MS)).reverse();
    this.#gap = samples(GAP_MS);
  }

  rest(length: number, mark: string): Int16Array {
    this.#tones = mark === "" ? this.#tones : 0;
    if (this.#silence.length < length) {
      this.#silence = new Int16Array(length);
    }
    return this.#silence;
  }

  tone(letter: string, length: number): Int16Array {
    const formants = formantsOf(letter);
    // About a semitone and a half down along a phrase, and a small wave so that it does not drone.
    const fall = 1 - 0.09 * (1 - Math.exp(-this.#tones / 18)) + 0.018 * Math.sin(this.#tones * 1.1);
    this.#tones++;
    const fundamental = this.#fundamental * fall;
    const tract = new Tract(formants, this.#tract, fundamental);
    if (this.#tone.length < length) {
      this.#tone = new Int16Array(length);
    }
    const step = fundamental / VOICE_RATE;
    const sounding = Math.max(0, length - this.#gap);
    const decayFrom = sounding - this.#decay.length;
    const [attack, decay, out] = [this.#attack, this.#decay, this.#tone];
    let phase = this.#phase;
    for (let i = 0; i < sounding; i++) {
      let level = tract.next(flow(phase));
      if (i < attack.length) {
        level *= attack[i] as number;
      }
      if (i >= decayFrom) {
        level *= decay[i - decayFrom] as number;
      }
      out[i] = level > 0.98 ? 32_112 : level < -0.98 ? -32_112 : level * 32_767;
      phase += step;
      phase -= phase >= 1 ? 1 : 0;
    }
    this.#phase = phase;
    return out.fill(0, sounding, length);
  }
}

function rise(length: number): Float64Array {
  return Float64Array.from(
    { length },
    (_, i) => 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / length),
  );
}

/**
 * Change of the air flow through the glottis over one period: it opens slowly and closes fast (A. E.
 * Rosenberg, 1971), with radiation at the lips, which differentiates it.
 */
function flow(phase: number): number {
  return phase < 0.45 ? phase * (0.45 - phase) * 9.6 : phase < 0.6 ? (0.45 - phase) * 6.5 : 0;
}

/** Three resonators in series (D. H. Klatt, 1980), with the gain that gives every letter its loudness. */
class Tract {
  readonly #a: readonly [number, number, number];
  readonly #b: readonly [number, number, number];
  readonly #c: readonly [number, number, number];
  readonly #gain: number;
  #x1 = 0;
  #x2 = 0;
  #y1 = 0;
  #y2 = 0;
  #z1 = 0;
  #z2 = 0;

  constructor({ frequencies, loudness }: Formants, scale: number, fundamental: number) {
    const c = BANDWIDTHS.map((width) => -Math.exp((-2 * Math.PI * width) / VOICE_RATE));
    const b = BANDWIDTHS.map(
      (width, i) =>
        2 *
        Math.exp((-Math.PI * width) / VOICE_RATE) *
        Math.cos((2 * Math.PI * (frequencies[i] ?? 0) * scale) / VOICE_RATE),
    );
    this.#b = [b[0] ?? 0, b[1] ?? 0, b[2] ?? 0];
    this.#c = [c[0] ?? 0, c[1] ?? 0, c[2] ?? 0];
    this.#a = [
      1 - this.#b[0] - this.#c[0],
      1 - this.#b[1] - this.#c[1],
      1 - this.#b[2] - this.#c[2],
    ];
    this.#gain = (TONE_RMS * loudness) / this.#level(fundamental);
  }

  /** Root mean square of the tone without the gain, from its harmonics. */
  #level(fundamental: number): number {
    let power = 0;
    for (let harmonic = 1; harmonic * fundamental < 4_500; harmonic++) {
      const angle = (2 * Math.PI * harmonic * fundamental) / VOICE_RATE;
      let response = FLOW_POWER[Math.min(harmonic, FLOW_POWER.length) - 1] as number;
      for (let i = 0; i < 3; i++) {
        response *= this.#response(i as 0 | 1 | 2, angle);
      }
      power += response;
    }
    return Math.sqrt(power);
  }

  #response(i: 0 | 1 | 2, angle: number): number {
    const [a, b, c] = [this.#a[i], this.#b[i], this.#c[i]];
    const real = 1 - b * Math.cos(angle) - c * Math.cos(2 * angle);
    const imaginary = b * Math.sin(angle) + c * Math.sin(2 * angle);
    return (a * a) / (real * real + imaginary * imaginary);
  }

  next(source: number): number {
    const [a, b, c] = [this.#a, this.#b, this.#c];
    const x = a[0] * source + b[0] * this.#x1 + c[0] * this.#x2;
    this.#x2 = this.#x1;
    this.#x1 = x;
    const y = a[1] * x + b[1] * this.#y1 + c[1] * this.#y2;
    this.#y2 = this.#y1;
    this.#y1 = y;
    const z = a[2] * y + b[2] * this.#z1 + c[2] * this.#z2;
    this.#z2 = this.#z1;
    this.#z1 = z;
    return z * this.#gain;
  }
}

/** Power of the harmonics of `flow`. */
const FLOW_POWER = Float64Array.from({ length: 48 }, (_, i) => {
  const steps = 512;
  let [real, imaginary] = [0, 0];
  for (let at = 0; at < steps; at++) {
    const angle = (2 * Math.PI * (i + 1) * at) / steps;
    real += flow(at / steps) * Math.cos(angle);
    imaginary += flow(at / steps) * Math.sin(angle);
  }
  return (2 * (real * real + imaginary * imaginary)) / steps ** 2;
});
