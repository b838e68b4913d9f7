import { describe, expect, test } from "vitest";
import { readPayload } from "../../../../src/web/shared/read-payload.ts";

const cyclic: unknown[] = [];
cyclic.push({ cyclic });

describe("readPayload", () => {
  test("copies what JSON has, numbers that it has not, and files", () => {
    const file = new File(["x"], "a.png");
    const given = {
      a: [1, "é", true, null, { b: undefined }],
      n: Number.NaN,
      file,
      gone: undefined,
    };
    const read = readPayload(given);
    expect(read).toEqual({ ok: true, value: { a: [1, "é", true, null, {}], n: Number.NaN, file } });
    expect(readPayload(undefined)).toEqual({ ok: true, value: undefined });
    expect(readPayload(Object.assign([], { 1: 1 }))).toEqual({ ok: true, value: [null, 1] });
  });

  test("gives objects no prototype, so that every key is a plain key", () => {
    const read = readPayload(JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}'));
    const value = (read as unknown as { value: Record<string, unknown> }).value;
    expect(Object.getPrototypeOf(value)).toBeNull();
    expect(Object.keys(value)).toEqual(["__proto__", "constructor"]);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1},"constructor":2}');
  });

  test.each([
    ["a cycle", cyclic],
    ["65 levels", JSON.parse("[".repeat(66) + "]".repeat(66))],
    ["a map", new Map()],
    ["a date", [new Date()]],
    ["a buffer", { a: new ArrayBuffer(1) }],
    ["a big integer", 1n],
    ["a function", () => 1],
    ["an instance of a class", new URL("https://a.example")],
  ])("refuses %s", (_, given) => {
    expect(readPayload(given)).toEqual({ ok: false, reason: "not_json" });
  });

  test.each([
    ["1 MiB and a byte of text", "x".repeat(1024 * 1024 - 1)],
    ["1 MiB of letters of two bytes", "é".repeat(524_288)],
    ["an array of four billion holes", Object.assign([], { length: 4_000_000_000 })],
    ["shared parts that multiply", Array.from({ length: 40 }).reduce<unknown>((a) => [a, a], 1)],
  ])("refuses %s as too large", (_, given) => {
    expect(readPayload(given)).toEqual({ ok: false, reason: "too_large" });
  });

  test("accepts exactly 1 MiB of JSON", () => {
    expect(readPayload("x".repeat(1024 * 1024 - 2)).ok).toBe(true);
    expect(readPayload("é".repeat(524_287)).ok).toBe(true);
  });
});
