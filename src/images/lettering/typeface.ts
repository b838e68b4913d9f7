import { type Path, type PathCommand, transformPath } from "../vector/path.ts";

/** A typeface as data; lengths in 1/1000 of the size (em). */
export interface Typeface {
  /** Height of capitals. */
  readonly capHeight: number;
  /** Width of a space. */
  readonly space: number;
  readonly characters: string;
  /** Width of each character, separated by spaces. */
  readonly advances: string;
  /** Pairs of letters with the change of their distance: `AV-20 …`. */
  readonly kerning: string;
  /**
   * Path data of each character, separated by `|`, with relative coordinates and the baseline at 0.
   */
  readonly outlines: string;
}

interface Tables {
  readonly index: ReadonlyMap<string, number>;
  readonly advances: readonly number[];
  readonly kerning: ReadonlyMap<string, number>;
  readonly outlines: readonly string[];
  readonly paths: Map<string, Path>;
}

const tablesOf = new WeakMap<Typeface, Tables>();

function tables(face: Typeface): Tables {
  const known = tablesOf.get(face);
  if (known !== undefined) {
    return known;
  }
  const made: Tables = {
    index: new Map(Array.from(face.characters, (character, i) => [character, i])),
    advances: face.advances.split(" ").map(Number),
    kerning: new Map(
      face.kerning.split(" ").map((pair) => [pair.slice(0, 2), Number(pair.slice(2))]),
    ),
    outlines: face.outlines.split("|"),
    paths: new Map(),
  };
  tablesOf.set(face, made);
  return made;
}

/** Width of the block that stands for a character which the typeface lacks. */
const BLOCK_ADVANCE = 560;

/** Width of a line at size 1, with `tracking` (in em) after each character but the last. */
export function lineWidth(face: Typeface, text: string, tracking = 0): number {
  let width = 0;
  for (const { advance } of placed(face, text, tracking)) {
    width += advance;
  }
  return text === "" ? 0 : width - tracking;
}

/**
 * Outline of a line of text with its baseline from (`x`, `y`). A character that the typeface lacks
 * becomes a block of its size, as in a layout whose text is not set yet.
 */
export function linePath(
  face: Typeface,
  text: string,
  size: number,
  x: number,
  y: number,
  tracking = 0,
): Path {
  const path: PathCommand[] = [];
  let at = x;
  for (const { character, advance, kerning } of placed(face, text, tracking)) {
    const glyph = glyphPath(face, character);
    path.push(...transformPath(glyph, size, at + kerning * size, y));
    at += advance * size;
  }
  return path;
}

/** The characters of a line with their widths in em; kerning moves a character and all after it. */
function* placed(face: Typeface, text: string, tracking: number) {
  const { index, advances, kerning } = tables(face);
  let last = "";
  for (const character of text) {
    const at = index.get(character);
    const own = at === undefined ? defaultAdvance(face, character) : (advances[at] ?? 0);
    const pair = (kerning.get(last + character) ?? 0) / 1000;
    yield { character, kerning: pair, advance: own / 1000 + pair + tracking };
    last = character;
  }
}

function defaultAdvance(face: Typeface, character: string): number {
  if (character === " ") {
    return face.space;
  }
  // Marks that combine with the character before have no width.
  return /^\p{M}$/u.test(character) ? 0 : BLOCK_ADVANCE;
}

function glyphPath(face: Typeface, character: string): Path {
  const { index, outlines, paths } = tables(face);
  const known = paths.get(character);
  if (known !== undefined) {
    return known;
  }
  const at = index.get(character);
  if (at === undefined) {
    return defaultAdvance(face, character) === BLOCK_ADVANCE ? block(face) : [];
  }
  const path = parseOutline(outlines[at] ?? "");
  paths.set(character, path);
  return path;
}

function block(face: Typeface): Path {
  const top = (-0.72 * face.capHeight) / 1000;
  return [["M", 0.04, top], ["L", 0.52, top], ["L", 0.52, 0], ["L", 0.04, 0], ["Z"]];
}

/** Path data of `Typeface.outlines` in em. */
function parseOutline(data: string): Path {
  const path: PathCommand[] = [];
  let [x, y] = [0, 0];
  for (const [, command, list = ""] of data.matchAll(/([mlqcz])([^mlqcz]*)/g)) {
    const values = (list.match(/-?\d+/g) ?? []).map((value, i) =>
      i % 2 === 0 ? (x + Number(value)) / 1000 : (y + Number(value)) / 1000,
    );
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = values;
    switch (command) {
      case "m":
        path.push(["M", a, b]);
        break;
      case "l":
        path.push(["L", a, b]);
        break;
      case "q":
        path.push(["Q", a, b, c, d]);
        break;
      case "c":
        path.push(["C", a, b, c, d, e, f]);
        break;
      default:
        path.push(["Z"]);
    }
    if (values.length >= 2) {
      x = Math.round((values.at(-2) ?? 0) * 1000);
      y = Math.round((values.at(-1) ?? 0) * 1000);
    }
  }
  return path;
}
