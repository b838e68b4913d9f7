import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { inspectFont } from "../../../../src/formats/font/inspect-font.ts";
import { FontSurgery } from "../../../support/fonts/font-surgery.ts";
import { pyramid } from "../../../support/fonts/hostile-glyphs.ts";
import { openType, realFont, trueType } from "../../../support/fonts/real-fonts.ts";
import { smallCidFont, smallOpenType, smallTrueType } from "../../../support/fonts/small-fonts.ts";
import { words } from "../../../support/fonts/words.ts";

const surgery = () => new FontSurgery(trueType());
const metadataOf = (font: FontSurgery) => inspectFont(font.build());

/** Every static TTF and OTF of the packages with the system families. */
function packageFonts(): string[] {
  const modules = fileURLToPath(new URL("../../../../node_modules/", import.meta.url).href);
  const below = (folder: string): string[] =>
    (readdirSync(`${modules}${folder}`, { recursive: true }) as string[])
      .map((path) => `${folder}/${path}`)
      .filter((path) => /\.(ttf|otf)$/.test(path) && !/\/(VF|target)\//.test(path));
  return [...below("@expo-google-fonts"), ...below("source-code-pro")];
}

describe("metadata", () => {
  it("are those of real fonts of both formats", () => {
    expect(inspectFont(trueType())).toEqual({
      family: "Oswald",
      subfamily: "Regular",
      fullName: "Oswald Regular",
      postScriptName: "Oswald-Regular",
      weight: 400,
      style: "normal",
      variant: "400",
      format: "ttf",
      unitsPerEm: 1_000,
      glyphCount: 869,
      characterCount: 850,
    });
    expect(inspectFont(openType())).toEqual({
      family: "Source Code Pro",
      subfamily: "Italic",
      fullName: "Source Code Pro Italic",
      postScriptName: "SourceCodePro-It",
      weight: 400,
      style: "italic",
      variant: "400-italic",
      format: "otf",
      unitsPerEm: 1_000,
      glyphCount: 1_271,
      characterCount: expect.any(Number),
    });
  });

  it("are read from dozens of real fonts, and each file of a family is its own variant", () => {
    const paths = packageFonts();
    expect(paths.length).toBeGreaterThan(60);
    const variants = paths.map((path) => {
      const { family, variant, format } = inspectFont(realFont(path));
      return `${family} ${variant} ${format}`;
    });
    expect(new Set(variants).size).toBe(paths.length);
    expect(variants).toContain("Noto Sans 900-italic ttf");
    expect(variants).toContain("Source Code Pro 200 otf");
  });

  it.each([smallTrueType, smallOpenType, smallCidFont])("are read from %o", (make) => {
    expect(inspectFont(make())).toMatchObject({ family: "Oswald", characterCount: 1 });
  });
});

describe("weight and style", () => {
  const styled = (weightClass: number, selection: number, macStyle: number) =>
    metadataOf(
      surgery().poke("OS/2", 4, weightClass).poke("OS/2", 62, selection).poke("head", 44, macStyle),
    ).variant;
  const [REGULAR, ITALIC, BOLD, OBLIQUE] = [0x40, 1, 0x20, 0x200];

  it.each([
    ["the class counts", 250, REGULAR, 0, "250"],
    ["the class counts against the bold bits", 900, BOLD, 1, "900"],
    ["1 to 9 are hundreds", 7, BOLD, 1, "700"],
    ["no class and a bold bit are 700", 0, BOLD, 0, "700"],
    ["no class and no bold bit are 400", 0, REGULAR, 0, "400"],
    ["a class beyond 1,000 is none", 5_000, 0, 1, "700"],
    ["a regular class in a font that is bold by both tables is 700", 400, BOLD, 1, "700"],
    ["a regular class in a font that is bold by one table stays", 400, REGULAR, 1, "400"],
    ["italic by OS/2", 400, ITALIC, 0, "400-italic"],
    ["oblique by OS/2", 400, OBLIQUE, 0, "400-italic"],
    ["upright by OS/2, whatever head says", 400, REGULAR, 2, "400"],
    ["italic by head where OS/2 says nothing", 400, 0, 2, "400-italic"],
    ["italic by head where OS/2 says both", 400, REGULAR | ITALIC, 2, "400-italic"],
    ["upright by head where OS/2 says both", 400, REGULAR | ITALIC, 0, "400"],
    ["bold and italic", 700, BOLD | ITALIC, 3, "700-italic"],
  ])("%s", (_rule, weightClass, selection, macStyle, variant) => {
    expect(styled(weightClass, selection, macStyle)).toBe(variant);
  });
});

it.each([
  ["Thin", "100"],
  ["Hairline", "100"],
  ["Extra Light", "200"],
  ["UltraLight", "200"],
  ["Light", "250"],
])("the weight class 250, in a font named %s, is %s", (subfamily, variant) => {
  const font = surgery().names([
    [3, 1, 0x409, 1, "Family"],
    [3, 1, 0x409, 17, subfamily],
  ]);
  expect(metadataOf(font.poke("OS/2", 4, 250)).variant).toBe(variant);
});

describe("names", () => {
  const family = (...records: Parameters<FontSurgery["names"]>[0]) =>
    metadataOf(surgery().names(records));

  it("prefer the typographic family and American English", () => {
    const read = family(
      [3, 1, 0x407, 1, "Deutsch"],
      [1, 0, 0, 1, new TextEncoder().encode("Mac")],
      [3, 1, 0x809, 1, "British"],
      [3, 1, 0x409, 1, "Plain Black"],
      [3, 1, 0x409, 16, "Plain"],
      [3, 1, 0x409, 17, "Black"],
    );
    expect(read).toMatchObject({ family: "Plain", subfamily: "Black", fullName: "Plain Black" });
  });

  it("are read in any language if English is missing", () => {
    expect(family([3, 1, 0x411, 1, "源ノ角ゴシック"])).toMatchObject({
      family: "源ノ角ゴシック",
      postScriptName: "-Regular",
    });
  });

  it("are read from Macintosh encodings", () => {
    const bytes = Uint8Array.of(0x43, 0x61, 0x66, 0x8e, 0x20, 0xa9);
    expect(family([1, 0, 0, 1, bytes]).family).toBe("Café ©");
  });

  it("lose control, zero-width and bidi characters, and composed letters become one", () => {
    const read = family([3, 1, 0x409, 1, " Cafe\u0301\u0000\u202e \t\u200b Sans\u2066 "]);
    expect(read.family).toBe("Café Sans");
  });

  it("of PostScript keep to its characters and length", () => {
    const read = family([3, 1, 0x409, 1, "A"], [3, 1, 0x409, 6, `a (b)/[c]é${"x".repeat(100)}`]);
    expect(read.postScriptName).toBe(`abc${"x".repeat(60)}`);
  });
});

describe("harmless faults of fonts in use are accepted", () => {
  it.each(["head", "OS/2", "name", "post", "GSUB"])("a wrong checksum of %s", (tag) => {
    const font = trueType().slice();
    const view = new DataView(font.buffer);
    for (let at = 12; at < 12 + view.getUint16(4) * 16; at += 16) {
      if (String.fromCharCode(...font.subarray(at, at + 4)) === tag) {
        view.setUint32(at + 4, 0xdead_beef);
      }
    }
    expect(font).not.toEqual(trueType());
    expect(inspectFont(font).family).toBe("Oswald");
  });

  it("a directory out of order", () => {
    const font = surgery();
    const tables = [...font.tables].toReversed();
    font.tables.clear();
    tables.forEach(([tag, table]) => font.tables.set(tag, table));
    expect(metadataOf(font).glyphCount).toBe(869);
  });

  it("an empty table that is not needed, and Apple's first bytes", () => {
    const font = surgery().set("cvt ", new Uint8Array(0));
    font.magic = 0x7472_7565;
    expect(metadataOf(font).format).toBe("ttf");
  });

  it("parts sixteen deep", () => {
    expect(metadataOf(surgery().glyphs(pyramid(16, 1))).glyphCount).toBe(17);
  });

  it("a map whose length does not fit into 16 bits", () => {
    const segmentCount = 0x1001;
    const [ends, starts] = [[] as number[], [] as number[]];
    for (let i = 0; i < segmentCount - 1; i++) {
      starts.push(0x41 + i * 2);
      ends.push(0x41 + i * 2);
    }
    const deltas = starts.map((start) => 1 - start);
    const map = words(
      4,
      100,
      0,
      segmentCount * 2,
      0,
      0,
      0,
      ...ends,
      0xffff,
      0,
      ...starts,
      0xffff,
      ...deltas,
      1,
      ...Array.from({ length: segmentCount }, () => 0),
    );
    expect(metadataOf(surgery().cmap([[3, 1, map]])).characterCount).toBe(segmentCount - 1);
  });

  it("a symbol font, and groups of all of Unicode on one glyph", () => {
    const symbols = words(6, 12, 0, 0xf041, 1, 1);
    expect(metadataOf(surgery().cmap([[3, 0, symbols]])).characterCount).toBe(1);
    const all = words(13, 0, 0, 28, 0, 0, 0, 1, 0, 0, 0x10, 0xffff, 0, 1);
    expect(metadataOf(surgery().cmap([[3, 10, all]])).characterCount).toBe(0x11_0000);
  });
});
