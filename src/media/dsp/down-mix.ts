import type { AudioBlock } from "../audio-block.ts";

/** Gain of the center and of surrounds (ITU-R BS.775-3, annex 4). */
const SHARE = Math.SQRT1_2;

/** Gains with which a channel goes to the left and the right. */
type Gains = readonly [left: number, right: number];

const LEFT: Gains = [1, 0];
const RIGHT: Gains = [0, 1];
const BOTH: Gains = [SHARE, SHARE];
const SIDE_LEFT: Gains = [SHARE, 0];
const SIDE_RIGHT: Gains = [0, SHARE];
const NONE: Gains = [0, 0];

/**
 * By the number of channels, in the order of WAV and FLAC: 3 is L R C, 4 L R and two behind, 5 L R C and two behind, 6
 * adds the LFE before these, 7 a center behind before two at the sides, 8 two behind and two at the sides.
 */
const TO_STEREO: readonly (readonly Gains[])[] = [
  [],
  [[1, 1]],
  [LEFT, RIGHT],
  [LEFT, RIGHT, BOTH],
  [LEFT, RIGHT, SIDE_LEFT, SIDE_RIGHT],
  [LEFT, RIGHT, BOTH, SIDE_LEFT, SIDE_RIGHT],
  [LEFT, RIGHT, BOTH, NONE, SIDE_LEFT, SIDE_RIGHT],
  [LEFT, RIGHT, BOTH, NONE, BOTH, SIDE_LEFT, SIDE_RIGHT],
  [LEFT, RIGHT, BOTH, NONE, SIDE_LEFT, SIDE_RIGHT, SIDE_LEFT, SIDE_RIGHT],
];

/**
 * Gains of each input channel in each output channel, by output, then input. To mono is half of the stereo sum. Throws
 * RangeError for more than 8 channels, and for results other than mono and stereo.
 */
export function mixingGains(from: number, to: number): readonly (readonly number[])[] {
  const stereo = TO_STEREO[from];
  if (stereo === undefined || from === 0 || (to !== 1 && to !== 2)) {
    throw new RangeError(`${from} channels cannot be mixed to ${to}.`);
  }
  return to === 2
    ? [stereo.map(([left]) => left), stereo.map(([, right]) => right)]
    : [from === 1 ? [1] : stereo.map(([left, right]) => (left + right) / 2)];
}

/**
 * Changes the number of channels to one or two: ITU-R BS.775 without the LFE, mono as half of left and right, stereo of
 * mono with equal sides. It does not scale, so a sum may exceed full scale. The same number of channels, also of surround sound, is
 * left as it is.
 */
export class ChannelMixer {
  readonly #gains: readonly (readonly number[])[];
  readonly #isSame: boolean;
  readonly #isCopy: boolean;
  #out: readonly Float32Array[] = [];

  constructor(from: number, to: number) {
    this.#isSame = from === to;
    this.#gains = this.#isSame ? [] : mixingGains(from, to);
    this.#isCopy = from === 1 && to === 2;
  }

  /** The result is valid until the next call, and may be the block itself. */
  process(block: AudioBlock): AudioBlock {
    const [first] = block;
    if (this.#isSame || first === undefined) {
      return block;
    }
    if (this.#isCopy) {
      return [first, first];
    }
    const frames = first.length;
    if ((this.#out[0]?.length ?? 0) < frames) {
      this.#out = this.#gains.map(() => new Float32Array(frames));
    }
    return this.#gains.map((gains, output) => {
      const out = (this.#out[output] as Float32Array).subarray(0, frames);
      mixInto(out, block, gains);
      return out;
    });
  }
}

function mixInto(out: Float32Array, block: AudioBlock, gains: readonly number[]): void {
  // The channels that count, in order, so that the sum of a sample is rounded once.
  const parts = block
    .map((samples, channel) => ({ samples, gain: gains[channel] ?? 0 }))
    .filter(({ gain }) => gain !== 0);
  const frames = out.length;
  for (let i = 0; i < frames; i++) {
    let sum = 0;
    for (let part = 0; part < parts.length; part++) {
      const { samples, gain } = parts[part] as (typeof parts)[number];
      sum += (samples[i] as number) * gain;
    }
    out[i] = sum;
  }
}
