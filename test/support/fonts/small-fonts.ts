import { FontSurgery } from "./font-surgery.ts";
import { compositeGlyph, TRIANGLE_GLYPH } from "./hostile-glyphs.ts";
import { callGlobal, callLocal, makeCff, TRIANGLE } from "./make-cff.ts";
import { trueType } from "./real-fonts.ts";

const [RETURN, ENDCHAR] = [11, 14];

/** Tables about removed outlines, or only about their size. */
const BULKY = ["GSUB", "GPOS", "GDEF", "prep", "gasp", "STAT"];

/** A post table without names of glyphs. */
const NAMELESS = new Uint8Array(32).fill(3, 1, 2);

/** TrueType: simple glyphs and composite ones. */
export function smallTrueType(): Uint8Array<ArrayBuffer> {
  const plain = Array.from({ length: 6 }, () => TRIANGLE_GLYPH);
  const parts = [
    compositeGlyph(1),
    compositeGlyph(1, 2),
    compositeGlyph(7, 3),
    compositeGlyph(8, 8),
  ];
  return new FontSurgery(trueType())
    .remove(...BULKY)
    .glyphs([new Uint8Array(0), ...plain, ...parts])
    .set("post", NAMELESS)
    .build();
}

/** CFF: programs that call subroutines of both kinds. */
export function smallOpenType(): Uint8Array<ArrayBuffer> {
  const program = [139, 139, 21, ...callGlobal(0), ...callLocal(1), ENDCHAR];
  const cff = makeCff({
    charstrings: [TRIANGLE, program, program, [...callLocal(0), ENDCHAR], TRIANGLE],
    globalSubrs: [[239, 6, RETURN]],
    localSubrs: [
      [139, 139, 21, 239, 7, RETURN],
      [239, 7, ...callGlobal(0), RETURN],
    ],
    charset: [2, 0, 1, 0, 3],
  });
  return new FontSurgery(trueType())
    .remove(...BULKY)
    .cff(cff, 5)
    .set("post", NAMELESS)
    .build();
}

/** CFF with several dictionaries. */
export function smallCidFont(): Uint8Array<ArrayBuffer> {
  const cff = makeCff({
    charstrings: [TRIANGLE, TRIANGLE, [...callLocal(0), ENDCHAR]],
    localSubrs: [[...TRIANGLE.slice(0, -1), RETURN]],
    fdSelect: [3, 0, 1, 0, 0, 0, 0, 3],
    charset: [0, 0, 1, 0, 2],
  });
  return new FontSurgery(trueType())
    .remove(...BULKY)
    .cff(cff, 3)
    .set("post", NAMELESS)
    .build();
}
