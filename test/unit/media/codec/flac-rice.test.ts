/** The numbers of a FLAC's residual (RFC 9639, section 9.2.7), read in words, and here bit by bit. */
import { expect, test } from "vitest";
import { FlacBits, FlacSyntaxError } from "../../../../src/media/codec/flac-subframe.ts";
import { randomNumbers } from "../../../support/media/signals.ts";

const COUNT = 200;

/** Numbers of a Rice code, after some bits that belong to nothing. */
function encoded(values: readonly number[], parameter: number, before: number): Uint8Array {
  let bits = "1".repeat(before);
  for (const value of values) {
    const folded = value < 0 ? -2 * value - 1 : 2 * value;
    const low = folded % 2 ** parameter;
    bits += `${"0".repeat(Math.floor(folded / 2 ** parameter))}1`;
    bits += parameter === 0 ? "" : low.toString(2).padStart(parameter, "0");
  }
  return Uint8Array.from(bits.match(/.{1,8}/g) ?? [], (byte) =>
    Number.parseInt(byte.padEnd(8, "0"), 2),
  );
}

test.each(Array.from({ length: 31 }, (_none, parameter) => parameter))(
  "numbers with the parameter %d are those that were written",
  (parameter) => {
    const next = randomNumbers(parameter + 1);
    // Some of them have more zeros than a word has bits; with 30 bits only numbers of 32 bits can be written.
    const most = Math.min(2 ** 31, 2 ** parameter * 4);
    const values = Array.from({ length: COUNT }, (_none, i) => {
      const size = i % 50 === 7 ? Math.min(2 ** 31, 2 ** parameter * 40) : most;
      return Math.floor((next() - 0.5) * size);
    });
    for (const before of [0, 1, 7]) {
      const bits = new FlacBits(encoded(values, parameter, before), 0);
      bits.read(before);
      const out = new Float64Array(COUNT + 2).fill(0.5);
      bits.readRice(parameter, out, 1, COUNT + 1);
      expect([...out]).toEqual([0.5, ...values.map((value) => value + 0), 0.5]);
    }
  },
);

test("numbers that the frame does not have whole are refused", () => {
  for (const parameter of [0, 5, 20]) {
    const bytes = encoded(
      Array.from({ length: 20 }, (_none, i) => i * 3),
      parameter,
      0,
    );
    const bits = new FlacBits(bytes.subarray(0, -1), 0);
    expect(() => {
      bits.readRice(parameter, new Float64Array(21), 0, 21);
    }).toThrow(FlacSyntaxError);
  }
});
