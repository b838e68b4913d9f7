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

  it("verifies a thirteenth digit and says which one is right", () => {
    expect(() => normalizeCodeText("ean13", "5901234123450")).toThrow(/must be 7/);
  });

  it.each([
    "",
    "12345678901",
    "12345678901234",
    "59012341234a",
    "５９０１２３４１２３４５",
    "1".repeat(1e6),
  ])("refuses %.20j", (given) => {
    expect(() => normalizeCodeText("ean13", given)).toThrow(/12 digits/);
  });
});

describe("Code 128", () => {
  it("takes 1 to 48 printable ASCII characters as they are", () => {
    expect(normalizeCodeText("code128", "a b~")).toBe("a b~");
    expect(normalizeCodeText("code128", "x".repeat(48))).toHaveLength(48);
  });

  it.each(["", "x".repeat(49)])("refuses %.10j for its length", (given) => {
    expect(() => normalizeCodeText("code128", given)).toThrow(/1 to 48/);
  });

  it.each([
    ["a\tb", "U+0009"],
    ["aé", "U+00E9"],
    ["\u007f", "U+007F"],
    ["😀", "U+1F600"],
  ])("refuses %j and names the character", (given, name) => {
    expect(() => normalizeCodeText("code128", given)).toThrow(name);
  });
});

describe("QR", () => {
  it("keeps the text to the letter", () => {
    expect(normalizeCodeText("qr", "  ä\n😀 ")).toBe("  ä\n😀 ");
  });

  it("refuses nothing at all and half a surrogate pair", () => {
    expect(() => normalizeCodeText("qr", "")).toThrow(/empty/);
    expect(() => normalizeCodeText("qr", "a\ud800")).toThrow(/surrogate/);
  });
});
