/**
 * Writes src/images/lettering/{poster-face,text-face}.ts: outlines, advances and kerning of two typefaces, so that
 * pictures have lettering without a font engine at run time.
 *
 * node scripts/derive-typefaces.ts
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import * as hb from "harfbuzzjs";

const EM = 1000;
/** Smaller kerning is not visible. */
const KERNING_MIN = 8;

const LATIN = [range(0x21, 0x7e), range(0xa1, 0xff), range(0x100, 0x17f)].flat();
const MARKS = [0x2013, 0x2014, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2026, 0x20ac];
const GREEK = range(0x386, 0x3ce);
const CYRILLIC = range(0x400, 0x45f);

const FACES = [
  {
    constant: "POSTER_FACE",
    file: "poster-face",
    font: "oswald/600SemiBold/Oswald_600SemiBold.ttf",
    name: "Oswald SemiBold",
    copyright: "Copyright 2016 The Oswald Project Authors",
    codePoints: [...LATIN, ...MARKS, ...CYRILLIC],
  },
  {
    constant: "TEXT_FACE",
    file: "text-face",
    font: "noto-sans/500Medium/NotoSans_500Medium.ttf",
    name: "Noto Sans Medium",
    copyright: "Copyright 2022 The Noto Project Authors",
    codePoints: [...LATIN, ...MARKS, ...GREEK, ...CYRILLIC],
  },
];

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

for (const face of FACES) {
  const path = fileURLToPath(
    new URL(`../node_modules/@expo-google-fonts/${face.font}`, import.meta.url),
  );
  const target = fileURLToPath(new URL(`../src/images/lettering/${face.file}.ts`, import.meta.url));
  await writeFile(target, await describeFace(path, face));
  console.log(`Wrote ${target}. Format it with oxfmt.`);
}

async function describeFace(path: string, face: (typeof FACES)[number]): Promise<string> {
  const bytes = await readFile(path);
  const hbFace = new hb.Face(new hb.Blob(new Uint8Array(bytes).buffer));
  const font = new hb.Font(hbFace);
  const scale = EM / hbFace.upem;
  const shaped = (text: string) => {
    const buffer = new hb.Buffer();
    buffer.addText(text);
    buffer.guessSegmentProperties();
    hb.shape(font, buffer);
    const positions = buffer.getGlyphPositions();
    return {
      glyphs: buffer.getGlyphInfos().map((info) => info.codepoint),
      advance: Math.round(positions.reduce((sum, at) => sum + at.xAdvance, 0) * scale),
    };
  };
  const glyphs: string[] = [];
  const kept: string[] = [];
  const advances: number[] = [];
  for (const codePoint of face.codePoints) {
    const character = String.fromCodePoint(codePoint);
    const { glyphs: found, advance } = shaped(character);
    const [glyph] = found;
    if (glyph === undefined || glyph === 0 || found.length !== 1) {
      continue;
    }
    kept.push(character);
    advances.push(advance);
    glyphs.push(compact(font.glyphToPath(glyph), scale));
  }
  const letters = kept.filter((character) => /^[A-Za-z]$/.test(character));
  const kerning: string[] = [];
  for (const left of letters) {
    for (const right of letters) {
      const both = shaped(left + right);
      const difference = both.advance - shaped(left).advance - shaped(right).advance;
      if (both.glyphs.length === 2 && Math.abs(difference) >= KERNING_MIN) {
        kerning.push(left + right + difference);
      }
    }
  }
  const capHeight = Math.max(
    ...[...font.glyphToPath(shaped("H").glyphs[0] ?? 0).matchAll(/[\d.]+,([\d.]+)/g)].map(
      ([, y]) => Number(y) * scale,
    ),
  );
  return `// Written by scripts/derive-typefaces.ts from ${face.name}; do not edit.
// ${face.copyright}. Licensed under the SIL Open Font License, version 1.1.
import type { Typeface } from "./typeface.ts";

export const ${face.constant}: Typeface = {
  capHeight: ${Math.round(capHeight)},
  space: ${shaped(" ").advance},
  characters: ${JSON.stringify(kept.join(""))},
  advances: ${JSON.stringify(advances.join(" "))},
  kerning: ${JSON.stringify(kerning.join(" "))},
  outlines:
    ${JSON.stringify(glyphs.join("|"))},
};
`;
}

/** Path data with the baseline at 0, y downwards and relative coordinates in 1/1000 em. */
function compact(path: string, scale: number): string {
  let [x, y] = [0, 0];
  return path.replace(/([MLQCZ])([^MLQCZ]*)/g, (_, command: string, list: string) => {
    const numbers = list.match(/-?[\d.]+/g)?.map(Number) ?? [];
    const [fromX, fromY] = [x, y];
    const values = numbers.map((value, i) => {
      if (i % 2 === 0) {
        x = Math.round(value * scale);
        return x - fromX;
      }
      y = Math.round(-value * scale);
      return y - fromY;
    });
    return command.toLowerCase() + values.join(" ").replaceAll(" -", "-");
  });
}
