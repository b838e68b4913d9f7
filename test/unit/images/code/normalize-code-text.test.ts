import { describe, expect, it } from "vitest";
import { normalizeCodeText } from "../../../../src/images/code/normalize-code-text.ts";

describe("EAN-13", () => {
  it.each([
    ["590123412345", "5901234123457"],
    ["5901234123457", "5901234123457"],
    [" 590-1234 12345-7 ", "5901234123457"],
    ["400638133393", "4006381333931"],
    ["000000000000", "0000000000000"],
    ["978030640615", "9780306406157"],
  ])("%j is %s", (given, digits) => {
    expect(normalizeCodeText("ean13", given)).toBe(digits);
  });

  it("verifies a thirteenth digit and reports the correct one", () => {
    expect(() => normalizeCodeText("ean13", "5901234123450")).toThrow(/must be 7/);
  });

  it.each([
    "",
    "12345678901",
    "12345678901234",
    "59012341234a",
    "５９０１２３４１２３４５",
    "1".repeat(1e6),
  ])("rejects %.20j", (given) => {
    expect(() => normalizeCodeText("ean13", given)).toThrow(/12 digits/);
  });
});

describe("Code 128", () => {
  it("accepts 1 to 48 printable ASCII characters unchanged", () => {
    expect(normalizeCodeText("code128", "a b~")).toBe("a b~");
    expect(normalizeCodeText("code128", "x".repeat(48))).toHaveLength(48);
  });

  it.each(["", "x".repeat(49)])("rejects %.10j because of its length", (given) => {
    expect(() => normalizeCodeText("code128", given)).toThrow(/1 to 48/);
  });

  it.each([
    ["a\tb", "U+0009"],
    ["aé", "U+00E9"],
    ["\u007f", "U+007F"],
    ["😀", "U+1F600"],
  ])("rejects %j with the character", (given, name) => {
    expect(() => normalizeCodeText("code128", given)).toThrow(name);
  });
});

describe("QR", () => {
  it("keeps the text exactly", () => {
    expect(normalizeCodeText("qr", "  ä\n😀 ")).toBe("  ä\n😀 ");
  });

  it("rejects an empty text and half of a surrogate pair", () => {
    expect(() => normalizeCodeText("qr", "")).toThrow(/empty/);
    expect(() => normalizeCodeText("qr", "a\ud800")).toThrow(/surrogate/);
  });
});
