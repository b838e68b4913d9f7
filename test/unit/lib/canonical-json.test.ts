import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../../src/lib/json/canonical-json.ts";
import { type JsonValue, parseJson } from "../../../src/lib/json/exact-json.ts";

describe("canonical JSON", () => {
  it.each([
    [`{"b":1,"a":[{"d":null,"c":true}]}`, `{"a":[{"c":true,"d":null}],"b":1}`],
    [`{"b":1.50,"a":[1e5,-0]}`, `{"a":[1e5,-0],"b":1.50}`],
    [`{"10":1,"9":2,"a":3,"":4}`, `{"":4,"10":1,"9":2,"a":3}`],
    [`{"a":{"__proto__":{"x":1},"A":2}}`, `{"a":{"A":2,"__proto__":{"x":1}}}`],
    [
      `{"toJSON":"x","é":1,"\\ud83d\\ude00":2,"\\uffee":3}`,
      `{"toJSON":"x","é":1,"😀":2,"\uffee":3}`,
    ],
    [String.raw`["\ud800","a\nb\"c"]`, String.raw`["\ud800","a\nb\"c"]`],
    [`[]`, `[]`],
    [`{}`, `{}`],
    [`"text"`, `"text"`],
  ])("of %s is %s", (text, canonical) => {
    expect(canonicalJson(parseJson(text))).toBe(canonical);
  });

  it("is the same for every order of members", () => {
    let state = 11;
    const random = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 16) % below;
    };
    const keys = [
      "a",
      "B",
      "10",
      "9",
      "__proto__",
      "é",
      "\ud83d",
      "",
      "toJSON",
      "a b",
      "constructor",
    ];
    const make = (depth: number): string => {
      const kind = random(depth > 3 ? 3 : 5);
      if (kind < 3) {
        return ["1.50", `"${random(99)}"`, "-0"][kind] as string;
      }
      const members = Array.from({ length: random(5) }, () => make(depth + 1));
      return kind === 3
        ? `[${members.join()}]`
        : `{${members.map((member, i) => `${JSON.stringify(keys[(i * 7 + depth) % keys.length])}:${member}`).join()}}`;
    };
    for (let round = 0; round < 300; round++) {
      const value = parseJson(make(0));
      expect(canonicalJson(value)).toBe(plainly(value));
      expect(canonicalJson(parseJson(canonicalJson(value)))).toBe(canonicalJson(value));
    }
  });
});

/** The definition, part by part. */
function plainly(value: JsonValue): string {
  if (Array.isArray(value)) {
    return `[${value.map((item) => plainly(item as JsonValue)).join(",")}]`;
  }
  if (typeof value === "object" && value !== null && !("token" in value)) {
    const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${plainly(member as JsonValue)}`).join(",")}}`;
  }
  return JSON.stringify(value);
}
