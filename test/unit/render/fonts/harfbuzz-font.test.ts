import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { HarfBuzzFont } from "../../../../src/render/fonts/harfbuzz-font.ts";
import type { OutlineSink } from "../../../../src/render/fonts/outline-sink.ts";
import { FONT_TRIAL } from "../../../support/fonts/font-trial.ts";
import { FontSurgery } from "../../../support/fonts/font-surgery.ts";
import { openType, realFont, trueType } from "../../../support/fonts/real-fonts.ts";
import { smallOpenType, smallTrueType } from "../../../support/fonts/small-fonts.ts";

const MEMORY = 64 * 1024 * 1024;
const open = (bytes: Uint8Array) => new HarfBuzzFont(FONT_TRIAL.modules, bytes, MEMORY);
const codePoints = (text: string) => Uint32Array.from(text, (letter) => letter.codePointAt(0) ?? 0);

/** Records the drawing operations. */
class Recorder implements OutlineSink {
  path = "";

  moveTo(...at: number[]): void {
    this.path += `M${at.join()} `;
  }

  lineTo(...at: number[]): void {
    this.path += `L${at.join()} `;
  }

  quadraticTo(...at: number[]): void {
    this.path += `Q${at.join()} `;
  }

  cubicTo(...at: number[]): void {
    this.path += `C${at.join()} `;
  }

  closePath(): void {
    this.path += "Z";
  }
}

function drawn(font: HarfBuzzFont, glyph: number): string {
  const recorder = new Recorder();
  expect(font.draw(glyph, recorder)).toBe(true);
  return recorder.path;
}

describe("HarfBuzzFont", () => {
  it("draws TrueType and CFF outlines point by point", () => {
    const plain = drawn(open(smallTrueType()), 1);
    expect(plain).toBe("M1,1 L51,51 L101,101 L1,1 Z");
    // Made of the same glyph twice.
    expect(drawn(open(smallTrueType()), 8)).toBe(plain + plain);
    expect(drawn(open(smallOpenType()), 0)).toBe("M0,0 L100,0 L100,100 L0,0 Z");
    expect(drawn(open(trueType()), 3)).toMatch(/Q/);
    expect(drawn(open(openType()), 2)).toMatch(/C/);
  });

  it("draws nothing for a glyph without an outline, and reports a missing glyph", () => {
    expect(drawn(open(smallTrueType()), 0)).toBe("");
    expect(open(smallTrueType()).draw(9_999, new Recorder())).toBe(false);
  });

  it("ends a drawing with the error of the sink", () => {
    const sink = new Recorder();
    sink.lineTo = () => {
      throw new RangeError("enough");
    };
    expect(() => open(smallTrueType()).draw(1, sink)).toThrow("enough");
  });

  it("reads advances as in hmtx", () => {
    const font = open(trueType());
    const hmtx = new FontSurgery(trueType()).view("hmtx");
    const glyphs = [0, 1, 5, 100, 400];
    expect(glyphs.map((glyph) => font.advance(glyph))).toEqual(
      glyphs.map((glyph) => hmtx.getUint16(glyph * 4)),
    );
  });

  it("lists characters in order, up to the requested number", () => {
    const { count, first } = open(trueType()).characters(3);
    expect(count).toBe(850);
    expect([...first]).toEqual([0x0d, 0x20, 0x21]);
  });

  it("shapes: kerning reduces distances, accents combine, clusters refer back", () => {
    const font = open(realFont("@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf"));
    const width = (text: string) =>
      font.shape(codePoints(text)).reduce((sum, { advanceX }) => sum + advanceX, 0);
    expect(width("AV")).toBeLessThan(width("A") + width("V"));
    const [composed] = font.shape(codePoints("é"));
    expect(font.shape(codePoints("e\u0301")).map(({ glyph }) => glyph)).toEqual([composed?.glyph]);
    expect(font.shape(codePoints("abc")).map(({ cluster }) => cluster)).toEqual([0, 1, 2]);
  });

  it("separates the instances of different fonts", () => {
    const [first, second] = [open(smallTrueType()), open(smallOpenType())];
    expect(drawn(first, 1)).not.toBe(drawn(second, 1));
    expect(drawn(first, 1)).toBe("M1,1 L51,51 L101,101 L1,1 Z");
  });

  it("does not grow beyond its memory limit", () => {
    const large = new Uint8Array(2 * 1024 * 1024);
    expect(() => new HarfBuzzFont(FONT_TRIAL.modules, large, 1024 * 1024)).toThrow(RangeError);
  });
});

describe("outline-callbacks.wasm", () => {
  it("equals the output of its script", async () => {
    const { outlineCallbacks } = (await import(
      new URL("../../../../scripts/write-outline-callbacks.ts", import.meta.url).href
    )) as { outlineCallbacks: () => Uint8Array };
    const path = fileURLToPath(
      new URL("../../../../src/render/fonts/outline-callbacks.wasm", import.meta.url).href,
    );
    expect(Uint8Array.from(readFileSync(path))).toEqual(outlineCallbacks());
  });
});
