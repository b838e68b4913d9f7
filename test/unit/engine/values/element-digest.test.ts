import { describe, expect, it } from "vitest";
import { elementDigest } from "../../../../src/engine/values/element-digest.ts";
import { decodeValue, encodeValue } from "../../../../src/engine/values.ts";
import { parseJson } from "../../../../src/lib/json/exact-json.ts";
import { FileRef } from "../../../../src/lib/files/file-ref.ts";
import type { RunValue } from "../../../../src/nodes/define-ports.ts";

const of = (value: RunValue, port = "p") => elementDigest([[port, value]]);
const json = (text: string) => of(parseJson(text));
const file = (fields: Partial<ConstructorParameters<typeof FileRef>[0]>) =>
  new FileRef({ key: "k", name: "a.png", contentType: "image/png", sizeBytes: 3, ...fields });

describe("the digest of an element", () => {
  it("[E28] is the same for the same JSON in any notation", () => {
    expect(json('{"a":1,"b":[2,"x"]}')).toBe(json(' { "b": [2.0, "x"], "a": 1e0 } '));
    expect(json("100")).toBe(json("1E2"));
    expect(json("-0")).toBe(json("0"));
    expect(json("12345678901234567890.10")).toBe(json("12345678901234567890.1"));
  });

  it("[E28] differs if the content does", () => {
    const texts = [
      "null",
      "false",
      "0",
      '"0"',
      '""',
      "[]",
      "[[]]",
      "{}",
      "[1,2]",
      "[2,1]",
      "[12]",
      '["1,2"]',
      '{"a":1}',
      '{"a":"1"}',
      '{"b":1}',
      "12345678901234567890",
      "12345678901234567891",
    ];
    expect(new Set(texts.map(json)).size).toBe(texts.length);
  });

  it("[E28] includes ports and lists, and an absent port is not included", () => {
    const digests = [
      elementDigest([]),
      of("x", "a"),
      of("x", "b"),
      elementDigest([
        ["a", "x"],
        ["b", "x"],
      ]),
      elementDigest([["a", ["x"]]]),
      elementDigest([["a", ["x"]]], () => true),
      elementDigest([["a", ["x", "y"]]], () => true),
      elementDigest([["a", ["y", "x"]]], () => true),
      elementDigest([["a", ["x", "y"]]], () => true, new Map([["a", [0, 2]]])),
      elementDigest([["a", ["x", "y"]]], () => true, new Map([["a", [1, 2]]])),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });

  it("[E28] of a file uses its bytes and media type, never its name or address", () => {
    const sha256 = "ab".repeat(32);
    const one = of(file({ sha256 }));
    expect(of(file({ sha256, key: "other", name: "b.png", etag: "e" }))).toBe(one);
    expect(of(file({ sha256: "cd".repeat(32) }))).not.toBe(one);
    expect(of(file({ sha256, contentType: "image/webp" }))).not.toBe(one);
    expect(of(parseJson(JSON.stringify([sha256, "image/png"])))).not.toBe(one);
  });

  it("[E28] of a file without a hash uses its ETag in the store, else it equals no other", () => {
    expect(of(file({ etag: "e" }))).toBe(of(file({ etag: "e", key: "other" })));
    expect(of(file({ etag: "e" }))).not.toBe(of(file({ etag: "f" })));
    expect(of(file({}))).not.toBe(of(file({ key: "other" })));
  });

  it("[E28] of a file is preserved through rows and calls", () => {
    const stored = file({ sha256: "ab".repeat(32) });
    expect(of(decodeValue(encodeValue(stored)) as RunValue)).toBe(of(stored));
  });
});
