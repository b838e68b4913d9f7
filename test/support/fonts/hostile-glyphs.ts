import type { FontSurgery } from "./font-surgery.ts";
import { words } from "./words.ts";

interface HostileGlyphs {
  readonly name: string;
  readonly says: string;
  readonly glyphs: () => Uint8Array[];
  /** A change after the table of offsets was made. */
  readonly loca?: (font: FontSurgery) => void;
}

const EMPTY = new Uint8Array(0);
const [MORE, WORDS] = [0x20, 0x01];

/** Contours as the numbers of their last points, then instructions, flags and coordinates as bytes. */
export function simpleGlyph(ends: readonly number[], ...rest: readonly number[]): Uint8Array {
  return pad([...words(ends.length, 0, 0, 100, 100, ...ends), ...rest]);
}

/** A triangle: no instructions, three points, each with two short coordinates. */
export const TRIANGLE_GLYPH = simpleGlyph([2], 0, 0, 0x37, 0x37, 0x37, 1, 50, 50, 1, 50, 50);

/** A composite glyph with the position of each part. */
export function compositeGlyph(...parts: readonly number[]): Uint8Array {
  return Uint8Array.from([
    ...words(-1, 0, 0, 100, 100),
    ...parts.flatMap((part, i) => [
      ...words(WORDS | (i + 1 < parts.length ? MORE : 0), part, 0, 0),
    ]),
  ]);
}

/** At most a thousand parts: levels of glyphs made of `width` of the level below. */
export function pyramid(levels: number, width: number): Uint8Array[] {
  return [
    TRIANGLE_GLYPH,
    ...Array.from({ length: levels }, (_, level) =>
      compositeGlyph(...Array.from({ length: width }, () => level)),
    ),
  ];
}

function pad(bytes: number[]): Uint8Array {
  return Uint8Array.from(bytes.length % 2 === 0 ? bytes : [...bytes, 0]);
}

/** 50,000 points in 400 bytes: one flag, repeated. */
const manyPoints = () => {
  const flags = Array.from({ length: 195 }, () => [0x39, 255]).flat();
  return simpleGlyph([195 * 256 - 1], 0, 0, ...flags);
};

export const HOSTILE_GLYPHS: readonly HostileGlyphs[] = [
  { name: "a glyph shorter than its header", says: "4 bytes", glyphs: () => [EMPTY, words(1, 0)] },
  {
    name: "32,767 contours",
    says: "past the glyph's own end",
    glyphs: () => [EMPTY, words(0x7fff, 0, 0, 9, 9, 0, 0)],
  },
  {
    name: "fewer contours than none",
    says: "-2 contours",
    glyphs: () => [EMPTY, words(-2, 0, 0, 9, 9, WORDS, 0, 0, 0)],
  },
  {
    name: "contours out of order",
    says: "not in order",
    glyphs: () => [
      EMPTY,
      simpleGlyph([3, 1], 0, 0, 0x37, 0x37, 0x37, 0x37, 1, 1, 1, 1, 1, 1, 1, 1),
    ],
  },
  {
    name: "65,536 points and no bytes for them",
    says: "past the glyph's own end",
    glyphs: () => [EMPTY, simpleGlyph([0xffff], 0, 0, 1, 1, 1)],
  },
  {
    name: "instructions longer than the glyph",
    says: "past the glyph's own end",
    glyphs: () => [EMPTY, simpleGlyph([2], 0xff, 0xff, 0x37, 0x37, 0x37)],
  },
  {
    name: "a flag repeated beyond the last point",
    says: "beyond its last",
    glyphs: () => [EMPTY, simpleGlyph([2], 0, 0, 0x3f, 255, 1, 1, 1, 1, 1, 1)],
  },
  {
    name: "coordinates beyond the glyph",
    says: "past the glyph's own end",
    glyphs: () => [EMPTY, simpleGlyph([2], 0, 0, 0x01, 0x01, 0x01, 1, 1)],
  },
  {
    name: "a part that is not there",
    says: "refers to glyph 9",
    glyphs: () => [EMPTY, compositeGlyph(9)],
  },
  {
    name: "a part that is not there, numbered as high as it goes",
    says: "refers to glyph 65535",
    glyphs: () => [EMPTY, compositeGlyph(0xffff)],
  },
  {
    name: "parts that go on beyond the glyph",
    says: "past the glyph's own end",
    glyphs: () => [EMPTY, words(-1, 0, 0, 1, 1, MORE | WORDS, 0, 0, 0)],
  },
  {
    name: "a part cut off in its matrix",
    says: "past the glyph's own end",
    glyphs: () => [EMPTY, words(-1, 0, 0, 1, 1, 0x80 | WORDS, 0, 0, 0, 0)],
  },
  {
    name: "a glyph made of itself",
    says: "form a cycle",
    glyphs: () => [EMPTY, compositeGlyph(1)],
  },
  {
    name: "two glyphs made of each other",
    says: "form a cycle",
    glyphs: () => [compositeGlyph(1), compositeGlyph(0)],
  },
  {
    name: "a circle of twenty glyphs",
    says: "form a cycle",
    glyphs: () => Array.from({ length: 20 }, (_, i) => compositeGlyph((i + 1) % 20)),
  },
  {
    name: "parts seventeen deep, read from the top",
    says: "deep",
    glyphs: () =>
      pyramid(17, 1)
        .toReversed()
        .map((glyph, i) => (i === 17 ? glyph : compositeGlyph(i + 1))),
  },
  { name: "parts seventeen deep, read from below", says: "deep", glyphs: () => pyramid(17, 1) },
  { name: "two to the tenth parts", says: "too complex", glyphs: () => pyramid(10, 2) },
  { name: "ten to the sixteenth parts", says: "too complex", glyphs: () => pyramid(16, 10) },
  {
    name: "1,001 parts side by side",
    says: "too complex",
    glyphs: () => [TRIANGLE_GLYPH, compositeGlyph(...Array.from({ length: 1_001 }, () => 0))],
  },
  {
    name: "100,000 points in parts",
    says: "too complex",
    glyphs: () => [manyPoints(), compositeGlyph(0, 0, 0)],
  },
  {
    name: "sixty million points in a file of 30 KB",
    says: "every glyph once",
    glyphs: () => [manyPoints(), ...Array.from({ length: 700 }, () => compositeGlyph(0, 0))],
  },
  {
    name: "glyphs beyond the table",
    says: "beyond the end",
    glyphs: () => [EMPTY, TRIANGLE_GLYPH],
    loca: (font) => font.poke("loca", 8, 1),
  },
  {
    name: "offsets that go back",
    says: "decrease at glyph",
    glyphs: () => [EMPTY, TRIANGLE_GLYPH, TRIANGLE_GLYPH],
    loca: (font) => font.poke("loca", 12, 0, 2),
  },
  {
    name: "a table of offsets cut off",
    says: "The table loca has 6 bytes",
    glyphs: () => [EMPTY, TRIANGLE_GLYPH],
    loca: (font) => font.cut("loca", 6),
  },
];
