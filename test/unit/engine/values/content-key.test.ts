/** Keys of contents: equal exactly for equal contents, however the rows spell them. */
import { describe, expect, it } from "vitest";
import { encodeValue } from "../../../../src/engine/values.ts";
import { canonicalJson } from "../../../../src/engine/values/canonical-json.ts";
import { joinOutputs, readOutputs } from "../../../../src/engine/values/cell-outputs.ts";
import {
  contentKey,
  firstContentKey,
  outputsKey,
} from "../../../../src/engine/values/content-key.ts";
import { FileRef } from "../../../../src/lib/files/file-ref.ts";
import { type JsonValue, parseJson } from "../../../../src/lib/json/exact-json.ts";

/** Texts of JSON values, in groups of equal ones. */
const GROUPS: readonly (readonly string[])[] = [
  ["1", "1.0", "1.000", "10e-1"],
  ["0", "-0", "0.0"],
  ["-12", "-12.0"],
  ["123456789012345", "123456789012345.0"],
  ["1234567890123456789", "1234567890123456789.00"],
  ["12345678901234567890123"],
  ['"1"', '"\\u0031"'],
  ['"a"', '"\\u0061"'],
  ['"a\\\\"'],
  ['"a\\""', '"\\u0061\\u0022"'],
  ['"ä"', '"\\u00e4"'],
  ['"\\ud800"'],
  ['""'],
  ["null"],
  ["true"],
  ["[]"],
  ["{}"],
  ['{"a":1,"b":[2.0]}', '{"b":[2],"a":1.0}'],
  [JSON.stringify("x".repeat(61))],
  [JSON.stringify("x".repeat(62))],
  [JSON.stringify("x".repeat(63))],
  [JSON.stringify("x".repeat(180))],
  [JSON.stringify("x".repeat(198))],
  [JSON.stringify("x".repeat(199))],
  [`[${"1,".repeat(100)}1]`, `[${"1.0,".repeat(100)}1]`],
  [JSON.stringify("x".repeat(70_000))],
];

const file = (sha256: string, contentType: string, name = "x") =>
  new FileRef({ key: `k${name}`, name, contentType, sizeBytes: 1, sha256 });

const row = (...values: readonly [port: string, value: JsonValue | FileRef][]) =>
  joinOutputs(values.map(([port, value]) => [port, encodeValue(value)]));

describe("keys of outputs", () => {
  it("are equal exactly for equal contents, alone and beside another", () => {
    const one = new Map<string, number>();
    const first = new Map<string, number>();
    const beside = new Map<string, number>();
    for (const [group, texts] of GROUPS.entries()) {
      for (const text of texts) {
        const value = parseJson(text);
        for (const [known, key] of [
          [one, outputsKey(row(["x", value]))],
          [first, firstContentKey(row(["x", value]))!],
          [beside, outputsKey(row(["x", value], ["y", parseJson("2.0")]))],
          [beside, outputsKey(row(["x", value], ["y", 2]))],
        ] as const) {
          expect([text, known.get(key) ?? group]).toEqual([text, group]);
          known.set(key, group);
        }
        expect(firstContentKey(row(["x", value]))).toBe(contentKey(value));
      }
    }
    for (const known of [one, first, beside]) {
      expect(known.size).toBe(GROUPS.length);
    }
  });

  it("have the ports, and take the first value of several", () => {
    expect(outputsKey(row(["x", 1]))).not.toBe(outputsKey(row(["y", 1])));
    expect(outputsKey(row(["a-b", 1.5]))).not.toBe(outputsKey(row(["a_b", 1.5])));
    expect(firstContentKey(row(["x", 1], ["y", 2]))).toBe("=1");
    expect(firstContentKey("[]")).toBeUndefined();
    expect(outputsKey("[]")).toBe("[]");
  });

  it("tell files by their bytes and media types, and not from texts", () => {
    const keys = [
      row(["x", file("1", "image/png")]),
      row(["x", file("2", "image/png")]),
      row(["x", file("1", "image/gif")]),
      row(["x", contentKey(file("1", "image/png"))]),
    ].map((text) => outputsKey(text));
    expect(new Set(keys).size).toBe(4);
    expect(outputsKey(row(["x", file("1", "image/png", "y")]))).toBe(keys[0]);
  });

  it("are read as the rows are", () => {
    for (const text of GROUPS.flat()) {
      const [value] = readOutputs(row(["x", parseJson(text)])).values();
      expect(canonicalJson(value as JsonValue)).toBe(canonicalJson(parseJson(text)));
    }
  });
});
