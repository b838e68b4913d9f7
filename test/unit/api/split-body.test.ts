/** Bodies of batches, taken apart without being parsed as a whole. */
import { describe, expect, test } from "vitest";
import { splitBody } from "../../../src/api/batch-executions/split-body.ts";
import { AppError } from "../../../src/lib/errors/errors.ts";
import { LIMITS } from "../../../src/lib/limits/limits-table.ts";
import { SeededRandom } from "../../simulation/seeded-random.ts";

const split = (json: string, itemsMax = 100) =>
  splitBody(new TextEncoder().encode(json), "items", itemsMax);

/** The body's parts, parsed; "refused" for `invalid_request`. */
function partsOf(json: string): unknown {
  try {
    const { head, hasItems, count, item } = split(json);
    const items = Array.from({ length: count }, (_, index) => JSON.parse(item(index)) as unknown);
    return [JSON.parse(head), hasItems ? items : undefined];
  } catch (error) {
    if (
      error instanceof SyntaxError ||
      (error instanceof AppError && error.code === "invalid_request")
    ) {
      return "refused";
    }
    throw error;
  }
}

/** The same by a parser of the whole. */
function partsOfWhole(json: string): unknown {
  try {
    const whole = JSON.parse(json) as unknown;
    if (typeof whole !== "object" || whole === null || Array.isArray(whole)) {
      return "refused";
    }
    const { items, ...head } = whole as { items?: unknown };
    return Array.isArray(items) ? [head, items] : [whole, undefined];
  } catch {
    return "refused";
  }
}

/** Texts with everything that could be taken for a bracket, a comma or the end of a string. */
const TEXTS = [
  "",
  "a",
  '"',
  "\\",
  '\\"',
  "[",
  "]}",
  ",",
  ":",
  "{",
  "items",
  "ä€😀",
  "\n\t",
  "\u2028",
];

const DAMAGE = ["", "", ...Array.from('"\\,:[]{}0 ')];

class Maker {
  readonly #random: SeededRandom;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  value(depth: number): unknown {
    const random = this.#random;
    const kind = random.below(depth === 0 ? 4 : 6);
    switch (kind) {
      case 0:
        return random.pick(TEXTS);
      case 1:
        return random.int(-5, 5) / 4;
      case 2:
        return random.pick([true, false, null]);
      case 3:
        return random.pick([[], {}]);
      case 4:
        return Array.from({ length: random.below(4) }, () => this.value(depth - 1));
      default:
        return Object.fromEntries(
          Array.from({ length: random.below(4) }, () => [
            random.pick(TEXTS),
            this.value(depth - 1),
          ]),
        );
    }
  }

  body(): string {
    const random = this.#random;
    const members = Array.from({ length: random.below(4) }, (_, at) => [
      `${random.pick(TEXTS)}${String(at)}`,
      this.value(3),
    ]);
    const items = Array.from({ length: random.below(5) }, () => this.value(3));
    const at = random.below(members.length + 1);
    if (random.chance(0.9)) {
      members.splice(at, 0, ["items", random.chance(0.9) ? items : this.value(1)]);
    }
    const json = JSON.stringify(Object.fromEntries(members), null, random.pick([0, 0, 1, "\t"]));
    return random.chance(0.2) ? ` ${json}\r\n` : json;
  }

  /** The body with a byte removed, doubled or changed. */
  damaged(): string {
    const body = this.body();
    const at = this.#random.below(body.length);
    const put = this.#random.pick(DAMAGE);
    return (body.slice(0, at) + put + body.slice(at + this.#random.below(2))).toWellFormed();
  }
}

describe("a body with a list of items", () => {
  test("has the same parts as a parser of the whole finds", () => {
    const maker = new Maker(new SeededRandom(3));
    for (let n = 0; n < 400; n++) {
      const body = maker.body();
      expect([body, partsOf(body)]).toEqual([body, partsOfWhole(body)]);
    }
  });

  test("is refused if a parser of the whole refuses it, whatever byte is damaged", () => {
    const maker = new Maker(new SeededRandom(4));
    let refused = 0;
    for (let n = 0; n < 2_000; n++) {
      const body = maker.damaged();
      const expected = partsOfWhole(body);
      const found = partsOf(body);
      // Of two members with one name, a parser of the whole keeps the last.
      if (found !== "refused" || expected === "refused") {
        expect([body, found]).toEqual([body, expected]);
      }
      refused += found === "refused" ? 1 : 0;
    }
    expect(refused).toBeGreaterThan(500);
  });

  test("names its list in any spelling of JSON", () => {
    expect(partsOf('{"\\u0069tems":[1,[2,3]]}')).toEqual([{}, [1, [2, 3]]]);
  });

  test("is read no further than one item more than the limit", () => {
    const { count } = split(`{"items":[${"{},".repeat(50)}{}]}`, 3);
    expect(count).toBe(4);
  });

  test("nests no deeper than any other body", () => {
    const deep = (levels: number) => `{"items":[${"[".repeat(levels)}${"]".repeat(levels)}]}`;
    const { value: most } = LIMITS.json_depth;
    expect(split(deep(most - 2)).count).toBe(1);
    expect(() => split(deep(most - 1))).toThrow(/nests deeper/);
  });

  test("must be UTF-8", () => {
    const bytes = Uint8Array.of(...new TextEncoder().encode('{"items":["'), 0xff, 0x22, 0x5d, 0x7d);
    const body = splitBody(bytes, "items", 9);
    expect(() => body.item(0)).toThrow(/UTF-8/);
  });
});
