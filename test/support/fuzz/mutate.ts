import type { SeededRandom } from "../../simulation/seeded-random.ts";

const ODD_BYTES = [0, 1, 0x7f, 0x80, 0xc0, 0xed, 0xf5, 0xfe, 0xff, 0x0a, 0x0d, 0x22, 0x26, 0x3c];
const OUTPUT_MAX = 256 * 1024;

/** Bytes with a few changes: flipped, deleted, duplicated, moved, or replaced by `words`. */
export function mutate(
  random: SeededRandom,
  whole: Uint8Array,
  words: readonly string[] = [],
): Uint8Array {
  let bytes = Buffer.from(whole);
  for (let changes = random.int(1, 6); changes > 0; changes--) {
    const at = random.below(bytes.length + 1);
    const length = random.below(Math.min(32, bytes.length - at) + 1);
    const before = bytes.subarray(0, at);
    const after = bytes.subarray(at + length);
    switch (random.below(7)) {
      case 0:
        if (at < bytes.length) {
          bytes[at] = random.below(256);
        }
        break;
      case 1:
        if (at < bytes.length) {
          bytes[at] = random.pick(ODD_BYTES);
        }
        break;
      case 2:
        bytes = Buffer.concat([before, after]);
        break;
      case 3:
        bytes = Buffer.concat([before, bytes.subarray(at, at + length), bytes.subarray(at)]);
        break;
      case 4:
        bytes = random.chance(0.3) ? Buffer.from(before) : bytes;
        break;
      case 5: {
        const from = random.below(bytes.length + 1);
        bytes = Buffer.concat([before, bytes.subarray(from, from + 64), after]);
        break;
      }
      default:
        if (words.length > 0) {
          const word = Buffer.from(random.pick(words));
          bytes = Buffer.concat([before, word, random.chance(0.5) ? bytes.subarray(at) : after]);
        }
    }
  }
  return new Uint8Array(bytes.subarray(0, OUTPUT_MAX));
}

/** A text of random pieces. */
export function heap(random: SeededRandom, pieces: readonly string[], lengthMax: number): string {
  let text = "";
  for (let left = random.below(lengthMax + 1); left > 0; left--) {
    text += random.pick(pieces);
  }
  return text;
}
