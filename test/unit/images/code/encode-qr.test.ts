import fc from "fast-check";
import { encode } from "uqr";
import { describe, expect, it } from "vitest";
import { encodeQr } from "../../../../src/images/code/encode-qr.ts";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import { sizeOf } from "../../../support/sizes.ts";

const LEVELS = ["L", "M", "Q", "H"] as const;
const NUMBERS = { unit: fc.constantFrom(...Array.from("0123456789")) };
const CAPITALS = { unit: fc.constantFrom(...Array.from("0123456789ABCXYZ $%*+./:-")) };

/** The package's own selection of a mask, module by module. */
function slowly(text: string, least: (typeof LEVELS)[number]) {
  const { data, version, maskPattern } = encode(text, { ecc: least, boostEcc: true, border: 0 });
  return { modules: data.flat().map(Number), version, maskPattern };
}

function bytesOf(version: number): number {
  // A text that needs at least this version at level M, and fits easily at level L.
  return 14 + Math.floor((version - 1) * (8 + version * 1.25));
}

describe("encodeQr", () => {
  it("selects the mask with the lowest penalty for every text, like the package", () => {
    const masks = new Set<number>();
    const text = fc.oneof(
      fc.string({ maxLength: 200, unit: "grapheme" }),
      fc.string({ maxLength: 300, ...NUMBERS }),
      fc.string({ maxLength: 200, ...CAPITALS }),
    );
    fc.assert(
      fc.property(text, fc.constantFrom(...LEVELS), (given, least) => {
        const { modules, maskPattern } = slowly(given, least);
        masks.add(maskPattern);
        expect([...encodeQr(given, least).dark]).toEqual(modules);
      }),
      { numRuns: 1_000 },
    );
    expect(masks.size).toBe(8);
  });

  it("does so at every size of a symbol", () => {
    const versions = new Set<number>();
    for (let version = 1; version <= 40; version++) {
      for (let seed = 1; seed <= sizeOf("symbolTexts"); seed++) {
        const text = Array.from({ length: bytesOf(version) }, (_, i) =>
          String.fromCharCode(97 + ((i * i * seed + i * 7 + seed) % 26)),
        ).join("");
        const expected = slowly(text, "L");
        versions.add(expected.version);
        expect([...encodeQr(text, "L").dark]).toEqual(expected.modules);
      }
    }
    expect(versions.size).toBeGreaterThan(30);
  });

  it("returns the level that it raised to", () => {
    expect(encodeQr("1", "L").errorCorrection).toBe("H");
    expect(LEVELS.map((least) => encodeQr("a".repeat(17), least).errorCorrection)).toEqual([
      "L",
      "Q",
      "Q",
      "H",
    ]);
  });

  it("rejects text that is too long for every version", () => {
    expect(() => encodeQr("a".repeat(2_954), "L")).toThrow(NodeError);
  });
});
