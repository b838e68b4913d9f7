/** Speech of espeak-ng with pauses, five seconds, mono (test/fixtures/media/make-speech.sh). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tapsOf } from "../../../src/media/dsp/interpolator.ts";

const MU_LAW = join(import.meta.dirname, "../../fixtures/media/speech.ulaw");

/** The amplitude of a µ-law byte (ITU-T G.711). */
function amplitudeOf(byte: number): number {
  const inverted = ~byte & 0xff;
  const exponent = (inverted >> 4) & 7;
  const magnitude = ((((inverted & 15) << 3) + 132) << exponent) - 132;
  return (inverted & 128 ? -magnitude : magnitude) / 32_768;
}

/** At 24 kHz. */
export function speechAt24(): Float32Array {
  return Float32Array.from(readFileSync(MU_LAW), (byte) => amplitudeOf(byte));
}

/** At 48 kHz: every second sample lies between two of the recording. */
export function speechAt48(): Float32Array {
  const half = tapsOf(0.5);
  const speech = speechAt24();
  return Float32Array.from({ length: 2 * speech.length }, (_, i) => {
    const at = i >> 1;
    return i % 2 === 0
      ? speech[at]!
      : half.reduce((sum, tap, k) => sum + tap * (speech[at + k - 15] ?? 0), 0);
  });
}
