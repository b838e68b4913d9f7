import { describe, expect, it } from "vitest";
import { assetSlug, cleanAssetName } from "../../../src/formats/clean-asset-name.ts";

describe("an asset's name", () => {
  it("is the base name in NFC, without control and bidi characters", () => {
    for (const [given, name] of [
      ["../../etc/passwd.png", "passwd.png"],
      ["..\\..\\x.png", "x.png"],
      ["a\u202egnp.exe.png", "agnp.exe.png"],
      ["\u2066a\u2069\u200e\u200f\u061c.png", "a.png"],
      ["\u0000b\u0007\u007f\u009b.png", "b.png"],
      ["e\u0301.png", "\u00e9.png"],
      ["a\u2028b\ufeff.png", "ab.png"],
      ["  a \t b .png ", "a b .png"],
      ["..", ""],
      ["a/", ""],
    ] as const) {
      expect(cleanAssetName(given), JSON.stringify(given)).toBe(name);
    }
  });

  it("keeps the joiners that Persian, the Indic scripts and emoji need", () => {
    for (const name of ["می\u200cخواهم.csv", "क्\u200dष.txt", "👩\u200d👧.png"]) {
      expect(cleanAssetName(name)).toBe(name.normalize("NFC"));
      expect(assetSlug(name, name.slice(-3))).toMatch(/^[\x21-\x7e]+$/);
    }
  });

  it("has at most 255 bytes including its extension, and no half character", () => {
    const name = cleanAssetName(`${"ü".repeat(300)}.png`);
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
    expect(name).toMatch(/^ü+\.png$/);
    expect(cleanAssetName("a\ud800.png")).toBe("a\ufffd.png");
  });
});
