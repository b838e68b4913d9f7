import { ExactNumber, type JsonValue } from "../../src/lib/json/exact-json.ts";
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
 * A row of the generated graphs: `n` (number, 0 to divide by), `s` (text), `on` (boolean), `list` (often a list, also
 * of rows). Each may be missing, null or of another type.
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

/** CSV of 0 to 4 rows; sometimes invalid. */
export function randomTable(random: SeededRandom): string {
  if (random.chance(0.1)) {
    return 'n,s\n1,"open';
  }
  const rows = Array.from(
    { length: random.int(0, LIST_MAX) },
    () => `${random.pick(["0", "1", "2.5", "x", ""])},${random.pick(["a", "b", '"x, y"'])}`,
  );
  return ["n,s", ...rows].join("\n");
}

/** The report of a quality check (`svc.quality-check/v1`); some did not pass. */
export function randomCheck(random: SeededRandom): JsonValue {
  const checks = ["size", "colour"].slice(0, random.int(0, 2)).map((id) => ({
    id,
    passed: random.chance(0.6),
    severity: random.pick(["error", "warning"]),
    message: "measured",
  }));
  const passed = checks.every((check) => check.passed || check.severity === "warning");
  return { schema: "svc.quality-check/v1", subject: "simulated", passed, checks };
}
