import type { AudioBlock } from "../audio-block.ts";

/** Two packets overlap; a joint may add as much error as the encoder itself makes there. */
const JOINT_ERROR = 2;
/** A joint that adds more can be heard: 12 dB above the error of the encoder, which lies some 35 dB below the sound. */
const JOINT_ERROR_MAX = 16;

/**
 * The first of some places at which packets of another encoder may follow, and at which that adds no more than the error of the
 * encoder; if there is none, the one at which it adds least. Undefined if that can be heard too. `errorAt`: the energy of the
 * error with the joint in relation to that of the encoder alone.
 */
export function bestJoint(
  places: Iterable<number>,
  errorAt: (place: number) => number,
): number | undefined {
  let best: number | undefined;
  let least = JOINT_ERROR_MAX;
  for (const place of places) {
    const error = errorAt(place);
    if (error < least) {
      [best, least] = [place, error];
    }
    if (error <= JOINT_ERROR) {
      break;
    }
  }
  return best;
}

/** Energy of the difference of two blocks; infinite where one is missing. */
export function difference(a: AudioBlock | undefined, b: AudioBlock | undefined): number {
  if (a === undefined || b === undefined) {
    return Number.POSITIVE_INFINITY;
  }
  let energy = 0;
  for (const [channel, samples] of a.entries()) {
    const other = b[channel] ?? samples;
    for (const [i, sample] of samples.entries()) {
      energy += (sample - (other[i] ?? 0)) ** 2;
    }
  }
  return energy;
}
