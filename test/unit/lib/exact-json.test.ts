import { describe, expect, test } from "vitest";
import { asJson, ExactNumber, parseJson, stringifyJson } from "../../../src/lib/json/exact-json.ts";

describe("JSON with exact numbers", () => {
  test("an interface is JSON only if each of its members is", () => {
    interface Report {
      readonly at: readonly { readonly name: string; readonly more?: number | undefined }[];
    }
    const report: Report = { at: [{ name: "a" }] };
    expect(asJson(report)).toBe(report);
    // @ts-expect-error -- a date is not JSON
    asJson({ at: new Date(0) });
    // @ts-expect-error -- nor is a function
    asJson({ at: [() => 1] });
    // @ts-expect-error -- nor are bytes
    asJson({ at: { bytes: new Uint8Array(1) } });
    // @ts-expect-error -- nor an unknown value
    asJson({ at: 1 as unknown });
  });

  test("keeps the digits beside strings that look like numbers or end in escapes", () => {
    for (const text of [
      `{"a":"1e5","n":1.50,"b":"2026-01-01"}`,
      String.raw`["\"1.50",1e5,"\\",-0,"\\\"0.10"]`,
      `["${"1e5,".repeat(20_000)}",1.0]`,
    ]) {
      expect(stringifyJson(parseJson(text))).toBe(text);
    }
    expect(parseJson(`["9e9",9e9]`)).toEqual(["9e9", new ExactNumber("9e9")]);
  });

  test("reads every other number as one of the platform, whatever the strings are", () => {
    expect(parseJson(`["1e5 -0 0.10 12345678901234567",0.5,7]`)).toEqual([
      "1e5 -0 0.10 12345678901234567",
      0.5,
      7,
    ]);
  });

  test("refuses text that ends within a string", () => {
    for (const text of [`{"a":1.50,"b`, `["1e5`, String.raw`["\"]`]) {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    }
  });
});
