/** Patches of random values make one of the other, and stay within their bounds. */
import jsonpatch, { type Operation } from "fast-json-patch";
import { describe, expect, it } from "vitest";
import { jsonPatch, type PatchOperation } from "../../../../src/lib/diff/json-patch.ts";
import { type JsonValue, parseJson, stringifyJson } from "../../../../src/lib/json/exact-json.ts";
import { SeededRandom } from "../../../simulation/seeded-random.ts";
import { IS_PROOF } from "../../../support/sizes.ts";

const PAIRS = IS_PROOF ? 20_000 : 500;
const KEYS = ["a", "b", "/", "~", "~1", "", "ä", "0", "constructor"];

function randomValue(random: SeededRandom, depth: number): JsonValue {
  const kind = random.below(depth === 0 ? 4 : 6);
  switch (kind) {
    case 0:
      return random.pick([null, true, false]);
    case 1:
    case 2:
      return random.below(5);
    case 3:
      return random.pick(["", "x", "#1", "[0", "null"]);
    case 4:
      return Array.from({ length: random.below(6) }, () => randomValue(random, depth - 1));
    default:
      return Object.fromEntries(
        Array.from({ length: random.below(5) }, () => [
          random.pick(KEYS),
          randomValue(random, depth - 1),
        ]),
      );
  }
}

function changedValue(random: SeededRandom, value: JsonValue): JsonValue {
  if (random.chance(0.08)) {
    return randomValue(random, 2);
  }
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).flatMap((item) =>
      random.chance(0.1)
        ? random.pick([[], [item, randomValue(random, 1)]])
        : [changedValue(random, item)],
    );
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .flatMap(([key, member]) =>
          random.chance(0.1) ? [] : [[key, changedValue(random, member as JsonValue)]],
        ),
    );
  }
  return value;
}

/** By a library: a patch that does not apply throws. */
function applied(value: JsonValue, operations: readonly PatchOperation[]): unknown {
  // Operations of values without exact numbers are plain JSON.
  const patch = structuredClone(operations) as Operation[];
  return jsonpatch.applyPatch(structuredClone(value), patch, true).newDocument;
}

describe("a patch", () => {
  it("makes one value of the other", () => {
    let operations = 0;
    for (let seed = 1; seed <= PAIRS; seed++) {
      const random = new SeededRandom(seed);
      const a = Array.from({ length: random.below(6) }, () => randomValue(random, 4));
      const b = random.chance(0.2) ? randomValue(random, 4) : changedValue(random, a);
      const patch = jsonPatch(a, b);
      expect([seed, patch === null]).toEqual([seed, false]);
      expect([seed, applied(a, patch!)]).toEqual([seed, b]);
      operations += patch!.length;
    }
    expect(operations).toBeGreaterThan(PAIRS);
  });

  it("has one operation for each place that differs", () => {
    const a = { rows: [1, 2, 3, 4], name: "x", gone: [] };
    const b = { name: "y", rows: [1, 9, 3, 4, 5], new: { "a/b~": 1 } };
    expect(jsonPatch(a, b)).toEqual([
      { op: "replace", path: "/rows/1", value: 9 },
      { op: "add", path: "/rows/4", value: 5 },
      { op: "replace", path: "/name", value: "y" },
      { op: "remove", path: "/gone" },
      { op: "add", path: "/new", value: { "a/b~": 1 } },
    ]);
  });

  it("takes numbers by their value and keys in any order, and keeps digits", () => {
    const a = parseJson('{"a":1.0,"b":[100,-0],"c":12345678901234567890}');
    const b = parseJson('{"c":12345678901234567891,"b":[1e2,0],"a":1}');
    expect(stringifyJson(jsonPatch(a, b) as unknown as JsonValue)).toBe(
      '[{"op":"replace","path":"/c","value":12345678901234567891}]',
    );
    expect(jsonPatch(parseJson("1"), "1")).toHaveLength(1);
    expect(jsonPatch(null, "null")).toHaveLength(1);
    expect(jsonPatch([0], ["#0"])).toHaveLength(1);
  });

  it("finds an item again whose keys have another order and whose numbers another notation", () => {
    const item = (text: string) => parseJson(text);
    const a = item(
      '{"long":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx","n":1.0}',
    );
    const b = item(
      '{"n":1,"long":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}',
    );
    expect(jsonPatch([9, a, 8], [b, 7])).toEqual([
      { op: "remove", path: "/0" },
      { op: "replace", path: "/1", value: 7 },
    ]);
  });

  it("keeps a key that names a prototype", () => {
    const patch = jsonPatch(parseJson("{}"), parseJson('{"__proto__":{"x":1}}'));
    expect(stringifyJson(patch as unknown as JsonValue)).toBe(
      '[{"op":"add","path":"/__proto__","value":{"x":1}}]',
    );
  });

  it("is null above 100 operations or 16 KiB", () => {
    const list = (count: number, value: number) => Array.from({ length: count }, () => value);
    expect(jsonPatch(list(100, 1), list(100, 2))).toHaveLength(100);
    expect(jsonPatch(list(101, 1), list(101, 2))).toBeNull();
    expect(jsonPatch(list(10_000, 1), list(10_000, 2))).toBeNull();
    expect(jsonPatch([], list(101, 2))).toBeNull();
    // [{"op":"replace","path":"","value":"…"}] has 39 bytes without the text.
    const ofBytes = (bytes: number) => jsonPatch(null, "x".repeat(bytes - 39));
    expect(stringifyJson(ofBytes(16_384) as unknown as JsonValue)).toHaveLength(16_384);
    expect(ofBytes(16_385)).toBeNull();
    expect(jsonPatch(null, "ä".repeat(10_000))).toBeNull();
    expect(jsonPatch(null, "x".repeat(1_000_000))).toBeNull();
  });

  it("of values of 100 levels costs no more than reading them", () => {
    const nested = (leaf: JsonValue) => {
      let value = leaf;
      for (let depth = 0; depth < 99; depth++) {
        value = depth % 2 === 0 ? [value, "same"] : { in: value, same: [1, 2, 3] };
      }
      return value;
    };
    const patch = jsonPatch(nested(1), nested(2))!;
    expect(patch).toHaveLength(1);
    expect(patch[0]!.path.split("/")).toHaveLength(100);
  });

  it("is null for values whose comparison would take too long, and exact for large ones that differ little", () => {
    const list = (from: number) => Array.from({ length: 100_000 }, (_, at) => from + at);
    const zeros = "0".repeat(300).split("").map(Number);
    const marks = (mark: number) => Array.from({ length: 90 }, (_, at) => mark + at);
    const between = (mark: number) => [marks(mark), zeros, marks(mark)].flat();
    expect(jsonPatch([0, ...between(1_000)], [1, ...between(2_000)])).toBeNull();
    const changed = list(0);
    changed[50_000] = -1;
    expect(jsonPatch({ list: list(0) }, { list: changed })).toEqual([
      { op: "replace", path: "/list/50000", value: -1 },
    ]);
    expect(jsonPatch(list(0), list(0).slice(1))).toEqual([{ op: "remove", path: "/0" }]);
    expect(jsonPatch(list(0), [...list(0), -1])).toHaveLength(1);
  });

  it("visits each of 100 levels that differ at two places without visiting the whole below again and again", () => {
    // Each level has two items that differ, so that both are looked up, with all that is below them.
    const nested = (leaf: number, size: number) => {
      let value: JsonValue = Array.from({ length: size }, (_, at) => (at === 0 ? leaf : 0));
      for (let depth = 0; depth < 90; depth++) {
        value = [value, leaf];
      }
      return value;
    };
    expect(jsonPatch(nested(1, 1), nested(2, 1))).toHaveLength(91);
    // 90 times 40,000 parts of each value are more than the work that is allowed.
    expect(jsonPatch(nested(1, 20_000), nested(2, 20_000))).toBeNull();
  });
});
