import { describe, expect, it } from "vitest";
import {
  joinOutputs,
  mayHoldFile,
  readOutputs,
} from "../../../../src/engine/values/cell-outputs.ts";
import { encodeValue, readStored } from "../../../../src/engine/values.ts";
import { type JsonValue, parseJson } from "../../../../src/lib/json/exact-json.ts";
import { FileRef } from "../../../../src/lib/files/file-ref.ts";

const FILE = new FileRef({ key: "k", name: "n.png", contentType: "image/png", sizeBytes: 3 });

/** The same by the parser alone. */
function parsedOutputs(text: string): Map<string, unknown> {
  const entries = parseJson(text) as readonly (readonly [string, JsonValue])[];
  return new Map(entries.map(([port, stored]) => [port, readStored(stored)]));
}

describe("readOutputs", () => {
  it.each([
    "0",
    "7",
    "-12",
    "999999999999999",
    "-0",
    "9999999999999999",
    "1.50",
    "1e5",
    "1.5",
    '""',
    '"item 1"',
    '"a\\"b"',
    '"\\u0041"',
    '"é 😀"',
    '"\\n"',
    '"]]"',
    "true",
    "null",
    "[1]",
    '{"f":1}',
    '["f",{}]',
    `"${"x".repeat(300)}"`,
  ])("reads %s as the parser does", (json) => {
    const one = `[["port",["j",${json}]]]`;
    const two = `[["a",["j",1]],["b c",["j",${json}]],["d",["j",${json}]]]`;
    expect(readOutputs(one)).toEqual(parsedOutputs(one));
    expect(readOutputs(two)).toEqual(parsedOutputs(two));
  });

  it("reads what joinOutputs wrote, whatever the ports are called", () => {
    const values = { plain: 5, 'quo"te': "x", "": FILE, "ä b": "y\\z" };
    const text = joinOutputs(
      Object.entries(values).map(([port, value]) => [port, encodeValue(value)]),
    );
    expect(Object.fromEntries(readOutputs(text))).toEqual(values);
  });

  it.each(["[]", "", '[["a",["j",1]]', '[["a",["j",1]]]]', '[["a",["j",01]]]', '[["a",["j",1]],]'])(
    "takes %j for what the parser takes it for",
    (text) => {
      const read = (by: (text: string) => unknown) => {
        try {
          return by(text);
        } catch (error) {
          return (error as Error).name;
        }
      };
      expect(read(readOutputs)).toEqual(read(parsedOutputs));
    },
  );
});

describe("mayHoldFile", () => {
  it("finds files and long values, and no plain ones", () => {
    expect(mayHoldFile(joinOutputs([["image", encodeValue(FILE)]]))).toBe(true);
    expect(mayHoldFile('[["a",["s",{"key":"k"}]]]')).toBe(true);
    expect(mayHoldFile('[["a",["j",{"b":1}]]]')).toBe(false);
    expect(mayHoldFile('[["a",["j","text"]]]')).toBe(false);
  });
});
