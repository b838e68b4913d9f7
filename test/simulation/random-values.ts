import { ExactNumber, type JsonValue } from "../../src/lib/exact-json.ts";
import type { SeededRandom } from "./seeded-random.ts";

const WORDS = ["", "a", "b", "Ada", "x y", "0", "true", "constructor", "é😀"];
const NUMBERS: readonly JsonValue[] = [
  0,
  0,
  1,
  2,
  3,
  -1,
  0.5,
  10,
  new ExactNumber("1.50"),
  new ExactNumber("1e2"),
];

/** Lists of at most this many elements, so that three axes stay small. */
export const LIST_MAX = 4;

export function randomWord(random: SeededRandom): string {
  return random.pick(WORDS);
}

export function randomNumber(random: SeededRandom): JsonValue {
  return random.pick(NUMBERS);
}

/**
 * A row as the generated graphs read it: `n` (number, 0 to divide by), `s` (text), `on` (boolean),
 * `list` (often a list, of rows too). Each may be missing, null or of another type.
 */
export function randomRow(random: SeededRandom, depth = 2): JsonValue {
  const row: Record<string, JsonValue> = {};
  const put = (key: string, value: () => JsonValue): void => {
    const fate = random.next();
    if (fate < 0.94) {
      row[key] = value();
    } else if (fate < 0.96) {
      row[key] = null;
    } else if (fate < 0.98) {
      row[key] = randomWord(random);
    }
  };
  put("n", () => randomNumber(random));
  put("s", () => randomWord(random));
  put("on", () => random.chance(0.6));
  put("list", () => randomList(random, depth - 1));
  return row;
}

/** A list of 0 to 4 rows, numbers, words or lists, mostly of one kind. */
export function randomList(random: SeededRandom, depth = 2): readonly JsonValue[] {
  const makers: (() => JsonValue)[] = [() => randomNumber(random), () => randomWord(random)];
  if (depth > 0) {
    const row = (): JsonValue => randomRow(random, depth);
    makers.push(row, row, row, row, row, () => randomList(random, depth - 1));
  }
  const usual = random.pick(makers);
  const length = random.pick([0, 1, 2, 2, 3, 3, LIST_MAX]);
  return Array.from({ length }, () => (random.chance(0.92) ? usual() : random.pick(makers)()));
}
