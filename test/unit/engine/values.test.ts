import { describe, expect, test } from "vitest";
import {
  checkValueMemory,
  decodeValue,
  encodeSpilled,
  encodeValue,
  isSpilled,
} from "../../../src/engine/values.ts";
import { parseJson } from "../../../src/lib/json/exact-json.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import { LIMITS } from "../../../src/lib/limits/limits-table.ts";

const file = new FileRef({ key: "ws/a b", name: "a.png", contentType: "image/png", sizeBytes: 12 });

describe("stored values", () => {
  test("keep every digit of a number", () => {
    const text = '{"a":[1.50,1e5,12345678901234567890,-0],"b":"\\"1.50\\""}';
    expect(encodeValue(decodeValue(encodeValue(parseJson(text))) as never)).toBe(`["j",${text}]`);
  });

  test("return a file as a file", () => {
    const decoded = decodeValue(encodeValue(file));
    expect(decoded).toBeInstanceOf(FileRef);
    expect(decoded).toEqual(file);
    expect(isSpilled(decoded)).toBe(false);
  });

  test("mark a spilled value, which JSON of the same shape cannot be mistaken for", () => {
    const decoded = decodeValue(encodeSpilled(file));
    expect(isSpilled(decoded)).toBe(true);
    const forged = { spilled: { key: "k", name: "n", contentType: "c", sizeBytes: 1 } };
    expect(isSpilled(decodeValue(encodeValue(forged)))).toBe(false);
    expect(isSpilled(decodeValue(encodeValue(["s", { key: "k" }])))).toBe(false);
  });

  test("are read with white space after the tag too", () => {
    expect(decodeValue('["j", {"a": 1}]')).toEqual({ a: 1 });
  });

  test.each(['["x",1]', '["f",{}]', "{}", "[]", '["s",null]'])("reject %s", (stored) => {
    expect(() => decodeValue(stored)).toThrow(TypeError);
  });

  test("reject values that JSON cannot represent", () => {
    expect(() => encodeValue(undefined as never)).toThrow(TypeError);
  });
});

describe("memory of a value", () => {
  const listOf = (part: string, bytes: number) =>
    `[${`${part},`.repeat(Math.floor(bytes / (part.length + 1)) - 1)}${part}]`;

  test("bounds the number of its parts: 5 MiB of empty arrays are VALUE_TOO_LARGE", () => {
    const text = listOf("[]", 5 * 1024 * 1024);
    expect(() => checkValueMemory(text, 'The value of "x"')).toThrow(
      expect.objectContaining({ code: "VALUE_TOO_LARGE" }) as Error,
    );
  });

  test("admits words of 16 MiB, and whatever a body of 4 MiB can hold", () => {
    const admitted = [
      JSON.stringify("w".repeat(16 * 1024 * 1024 - 2)),
      listOf(`${"[".repeat(90)}${"]".repeat(90)}`, LIMITS.json_body.value),
      listOf('{"":{}}', LIMITS.json_body.value),
    ];
    for (const text of admitted) {
      expect(() => checkValueMemory(text, 'The value of "x"')).not.toThrow();
    }
  });
});
