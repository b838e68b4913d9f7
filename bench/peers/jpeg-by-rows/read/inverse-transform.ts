/**
 * The slow integer transform of the Independent JPEG Group, so that pixels equal those of most
 * decoders.
 */

/** Constants of the transform times 2^13. */
const F_0_298631336 = 2_446;
const F_0_390180644 = 3_196;
const F_0_541196100 = 4_433;
const F_0_765366865 = 6_270;
const F_0_899976223 = 7_373;
const F_1_175875602 = 9_633;
const F_1_501321110 = 12_299;
const F_1_847759065 = 15_137;
const F_1_961570560 = 16_069;
const F_2_053119869 = 16_819;
const F_2_562915447 = 20_995;
const F_3_072711026 = 25_172;

/** Results of the columns have 2 bits more than the samples. */
const PASS_BITS = 2;
const work = new Int32Array(64);
const line = new Int32Array(8);

/**
 * Converts a block's coefficients, 64 in row order, to samples of 8 × 8 px at `at` in rows of
 * `stride`; clamped when written.
 */
export function inverseTransform(
  coefficients: Int16Array,
  from: number,
  quanta: Int32Array,
  out: Uint8ClampedArray,
  at: number,
  stride: number,
): void {
  for (let column = 0; column < 8; column++) {
    let isFlat = true;
    for (let row = 0; row < 8; row++) {
      const value = coefficients[from + row * 8 + column] as number;
      isFlat &&= row === 0 || value === 0;
      line[row] = value * (quanta[row * 8 + column] as number);
    }
    if (isFlat) {
      const level = (line[0] as number) << PASS_BITS;
      for (let row = 0; row < 8; row++) {
        work[row * 8 + column] = level;
      }
      continue;
    }
    transformLine(13 - PASS_BITS);
    for (let row = 0; row < 8; row++) {
      work[row * 8 + column] = line[row] as number;
    }
  }
  for (let row = 0; row < 8; row++) {
    for (let column = 0; column < 8; column++) {
      line[column] = work[row * 8 + column] as number;
    }
    transformLine(13 + PASS_BITS + 3);
    const to = at + row * stride;
    for (let column = 0; column < 8; column++) {
      out[to + column] = (line[column] as number) + 128;
    }
  }
}

/** One dimension, in place; the result is shifted right and rounded. */
function transformLine(shift: number): void {
  const even2 = line[2] as number;
  const even6 = line[6] as number;
  const even = (even2 + even6) * F_0_541196100;
  const tilt2 = even - even6 * F_1_847759065;
  const tilt6 = even + even2 * F_0_765366865;
  const sum = ((line[0] as number) + (line[4] as number)) * 8_192;
  const difference = ((line[0] as number) - (line[4] as number)) * 8_192;
  const rounding = 1 << (shift - 1);
  const e0 = sum + tilt6 + rounding;
  const e3 = sum - tilt6 + rounding;
  const e1 = difference + tilt2 + rounding;
  const e2 = difference - tilt2 + rounding;
  const i7 = line[7] as number;
  const i5 = line[5] as number;
  const i3 = line[3] as number;
  const i1 = line[1] as number;
  const turn = (i7 + i3 + i5 + i1) * F_1_175875602;
  const a = (i7 + i1) * -F_0_899976223;
  const b = (i5 + i3) * -F_2_562915447;
  const c = (i7 + i3) * -F_1_961570560 + turn;
  const d = (i5 + i1) * -F_0_390180644 + turn;
  const o7 = i7 * F_0_298631336 + a + c;
  const o5 = i5 * F_2_053119869 + b + d;
  const o3 = i3 * F_3_072711026 + b + c;
  const o1 = i1 * F_1_501321110 + a + d;
  line[0] = (e0 + o1) >> shift;
  line[7] = (e0 - o1) >> shift;
  line[1] = (e1 + o3) >> shift;
  line[6] = (e1 - o3) >> shift;
  line[2] = (e2 + o5) >> shift;
  line[5] = (e2 - o5) >> shift;
  line[3] = (e3 + o7) >> shift;
  line[4] = (e3 - o7) >> shift;
}
