/** Shaping with all fonts in one instance, against the same HarfBuzz as its package offers it. */
import { readFileSync } from "node:fs";
import * as judge from "harfbuzzjs";
import { describe, expect, it } from "vitest";
import { withMemorySize } from "../../../../scripts/wasm-memory.ts";
import { SUBSETTER_BYTES } from "../../../../src/render/shaping/subsetter-memory.ts";
import {
  ADVANCE,
  CLUSTER,
  type FontFace,
  type FontFeatures,
  GLYPH,
  GLYPH_WORDS,
  OFFSET_X,
  OFFSET_Y,
  type ShapedRun,
  shapeOptions,
} from "../../../../src/templates/text/font-face.ts";
import { FONT_PATHS, makeShaper, openFont } from "../../../support/fonts/shaper.ts";
import { realFont } from "../../../support/fonts/real-fonts.ts";

type FontName = keyof typeof FONT_PATHS;
type Row = readonly [glyph: number, cluster: number, advance: number, x: number, y: number];

function rowsOf({ length, records }: ShapedRun): Row[] {
  return Array.from({ length }, (_, i): Row => {
    const word = (offset: number) => records[i * GLYPH_WORDS + offset] ?? 0;
    return [word(GLYPH), word(CLUSTER), word(ADVANCE), word(OFFSET_X), word(OFFSET_Y)];
  });
}

const REMOVE_IGNORABLES = 8;

function judged(
  name: FontName,
  text: string,
  script: string,
  isRightToLeft: boolean,
  language: string,
  features: FontFeatures,
): Row[] {
  const blob = new judge.Blob(realFont(FONT_PATHS[name]).slice().buffer);
  const font = new judge.Font(new judge.Face(blob));
  const buffer = new judge.Buffer();
  buffer.addText(text);
  buffer.setDirection(isRightToLeft ? judge.Direction.RTL : judge.Direction.LTR);
  buffer.setScript(script);
  if (language !== "") {
    buffer.setLanguage(language);
  }
  buffer.setFlags(REMOVE_IGNORABLES);
  const chosen = features.map(([tag, value]) => new judge.Feature(tag, value));
  judge.shape(font, buffer, chosen);
  return buffer
    .getGlyphInfosAndPositions()
    .map(({ codepoint, cluster, xAdvance = 0, xOffset = 0, yOffset = 0 }): Row => {
      return [codepoint, cluster, xAdvance, xOffset, yOffset];
    });
}

const CASES: readonly [FontName, string, string, boolean, string?, FontFeatures?][] = [
  ["sans", "AVATAR To Wave, office affluent ﬁ", "Latn", false],
  ["sans", "AVATAR To Wave", "Latn", false, "en", [["kern", 0]]],
  ["sans", "ÅA\u0301e\u0323\u0302 Ÿ", "Latn", false, "vi"],
  [
    "serif",
    "officeﬀ ffl Ωμέγα Съешь",
    "Latn",
    false,
    "",
    [
      ["liga", 0],
      ["smcp", 1],
    ],
  ],
  ["sans", "Съешь ещё", "Cyrl", false, "sr"],
  ["sans", "हिन्दी क्षत्रिय र्क प्रज्ञा द्ध", "Deva", false, "hi"],
  ["sans", "क्ष्म्य\u200dर\u200cक", "Deva", false, "mr"],
  ["arabic", "السلام عليكم لا إله", "Arab", true, "ar"],
  ["arabic", "مُحَمَّدٌ پژواک ﷲ", "Arab", true, "fa"],
  ["hebrew", "שָׁלוֹם עוֹלָם", "Hebr", true, "he"],
  ["thai", "สวัสดีชาวโลก น้ำ กี่ ปู่", "Thai", false, "th"],
  ["code", "if (a != b) → {}", "Latn", false],
];

describe("the shaper", () => {
  it("shapes as the package does, whichever faces were opened and used in between", async () => {
    const shaper = makeShaper();
    for (const round of [1, 2]) {
      for (const [name, text, script, isRightToLeft, language = "", features = []] of CASES) {
        const options = shapeOptions({ isRightToLeft, script, language, features });
        const ours = rowsOf(openFont(shaper, name).shape(text, options));
        expect(ours, `${round} ${name} ${text}`).toEqual(
          judged(name, text, script, isRightToLeft, language, features),
        );
        expect(ours.length).toBeGreaterThan(3);
      }
    }
  });

  it("joins letters with those around the run", () => {
    const face = openFont(makeShaper(), "arabic");
    const options = shapeOptions({
      isRightToLeft: true,
      script: "Arab",
      language: "",
      features: [],
    });
    const [alone, between] = [face.shape("ع", options), face.shape("ع", options, "ع", "ع")];
    const whole = face.shape("ععع", options);
    expect(rowsOf(between).map(([glyph]) => glyph)).toEqual([rowsOf(whole)[1]?.[0]]);
    expect(rowsOf(alone)).not.toEqual(rowsOf(between));
    expect(rowsOf(between)[0]?.[1]).toBe(0);
  });

  it("reads from the tables what lines and PDFs need", () => {
    const shaper = makeShaper();
    const facts = (face: FontFace) => [
      face.postScriptName,
      face.unitsPerEm,
      face.ascent,
      face.descent,
    ];
    expect(facts(openFont(shaper, "sans"))).toEqual(["NotoSans-Regular", 1000, 1069, 293]);
    // Oblivious to typographic metrics, as bit 7 of fsSelection is not set.
    expect(facts(openFont(shaper, "code"))).toEqual(["SourceCodePro-Regular", 1000, 984, 273]);
    const code = openFont(shaper, "code");
    expect([code.isFixedPitch, code.isSerif, code.weight, code.italicAngle]).toEqual([
      true,
      false,
      400,
      0,
    ]);
    expect(openFont(shaper, "serif").isSerif).toBe(true);
    const sans = openFont(shaper, "sans");
    expect([sans.underlinePosition, sans.underlineThickness]).toEqual([-100 - 25, 50]);
    expect([sans.strikeoutPosition, sans.strikeoutThickness]).toEqual([322 - 25, 50]);
    expect([sans.has(0x41), sans.has(0x5d0), sans.glyphOf(0x5d0)]).toEqual([true, false, 0]);
    expect(sans.advance(sans.glyphOf(0x41))).toBe(639);
  });

  it("drops an instance that grew, and serves reopened faces the same", () => {
    const shaper = makeShaper();
    const options = shapeOptions({
      isRightToLeft: false,
      script: "Latn",
      language: "",
      features: [],
    });
    const before = rowsOf(openFont(shaper, "sans").shape("drop", options));
    const small = shaper.memoryBytes;
    const big = new Uint8Array(21 * 1024 * 1024);
    shaper.open("big", big);
    expect(shaper.memoryBytes).toBeGreaterThan(big.byteLength);
    shaper.endRender();
    expect([shaper.memoryBytes, shaper.find("big")]).toEqual([0, undefined]);
    expect(rowsOf(openFont(shaper, "sans").shape("drop", options))).toEqual(before);
    shaper.endRender();
    expect(shaper.memoryBytes).toBeLessThanOrEqual(small);
    expect(() => shaper.open("huge", new Uint8Array(60 * 1024 * 1024))).toThrow(RangeError);
  });
});

describe("the subsetter", () => {
  it("is the package's with less memory and no other change", () => {
    const [ours, theirs] = [
      "src/render/shaping/harfbuzz-subset.wasm",
      "node_modules/harfbuzzjs/dist/harfbuzz-subset.wasm",
    ].map((path) => readFileSync(path)) as [Buffer, Buffer];
    expect(Buffer.compare(ours, withMemorySize(theirs, SUBSETTER_BYTES))).toBe(0);
    expect(theirs.length - ours.length).toBeLessThanOrEqual(2);
  });

  it.each(["sans", "code", "arabic"] as const)("cuts %s and keeps the glyphs' numbers", (name) => {
    const shaper = makeShaper();
    const face = openFont(shaper, name);
    const text = name === "arabic" ? "سلام" : "Ünïcödé fi";
    const options = shapeOptions({
      isRightToLeft: name === "arabic",
      script: name === "arabic" ? "Arab" : "Latn",
      language: "",
      features: [],
    });
    const glyphs = rowsOf(face.shape(text, options)).map(([glyph]) => glyph);
    const cut = face.subset(glyphs);
    expect(cut.byteLength).toBeLessThan(12_000);
    const draw = (file: Uint8Array, glyph: number) =>
      new judge.Font(
        new judge.Face(new judge.Blob(file.slice().buffer as ArrayBuffer)),
      ).glyphToPath(glyph);
    const whole = realFont(FONT_PATHS[name]);
    for (const glyph of new Set(glyphs)) {
      expect(draw(cut, glyph)).toBe(draw(whole, glyph));
    }
    // Another glyph is gone, and the same set gives the same bytes from a fresh instance.
    const other = face.glyphOf(name === "arabic" ? 0x642 : 0x57);
    expect([draw(whole, other).length > 0, draw(cut, other)]).toEqual([true, ""]);
    const again = openFont(makeShaper(), name).subset(glyphs.toReversed());
    expect(Buffer.compare(again, cut)).toBe(0);
  });

  it("returns a file whole that it cannot cut, and goes on", () => {
    const shaper = makeShaper();
    const broken = new Uint8Array(realFont(FONT_PATHS.sans).subarray(0, 1_000));
    expect(shaper.open("broken", broken).subset([1])).toEqual(broken);
    const large = new Uint8Array(30 * 1024 * 1024);
    expect(shaper.open("large", large).subset([1]).byteLength).toBe(large.byteLength);
    expect(openFont(shaper, "sans").subset([36]).byteLength).toBeLessThan(5_000);
  });
});
