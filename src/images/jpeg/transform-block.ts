/**
 * The forward cosine transform of an 8 × 8 block in place (Arai, Agui and Nakajima, 1988). Its
 * results are scaled: `TRANSFORM_SCALE[row] * TRANSFORM_SCALE[column] * 8` times the true ones.
 */
export function transformBlock(block: Float32Array): void {
  for (let row = 0; row < 64; row += 8) {
    pass(block, row, 1);
  }
  for (let column = 0; column < 8; column++) {
    pass(block, column, 8);
  }
}

export const TRANSFORM_SCALE: readonly number[] = [
  1, 1.387039845, 1.306562965, 1.175875602, 1, 0.785694958, 0.5411961, 0.275899379,
];

function pass(block: Float32Array, at: number, step: number): void {
  const v = (i: number) => block[at + i * step] as number;
  const [s07, d07, s16, d16] = [v(0) + v(7), v(0) - v(7), v(1) + v(6), v(1) - v(6)];
  const [s25, d25, s34, d34] = [v(2) + v(5), v(2) - v(5), v(3) + v(4), v(3) - v(4)];
  const [even0, even3, even1, even2] = [s07 + s34, s07 - s34, s16 + s25, s16 - s25];
  block[at] = even0 + even1;
  block[at + 4 * step] = even0 - even1;
  const turn = (even2 + even3) * Math.SQRT1_2;
  block[at + 2 * step] = even3 + turn;
  block[at + 6 * step] = even3 - turn;
  const [odd0, odd1, odd2] = [d34 + d25, d25 + d16, d16 + d07];
  const z5 = (odd0 - odd2) * 0.382683433;
  const z2 = 0.5411961 * odd0 + z5;
  const z4 = 1.306562965 * odd2 + z5;
  const z3 = odd1 * Math.SQRT1_2;
  const [z11, z13] = [d07 + z3, d07 - z3];
  block[at + 5 * step] = z13 + z2;
  block[at + 3 * step] = z13 - z2;
  block[at + step] = z11 + z4;
  block[at + 7 * step] = z11 - z4;
}
