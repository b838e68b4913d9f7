import type {
  DisplayGlyphs,
  DisplayItem,
  DisplayPath,
  Fill,
  Stroke,
} from "../../../templates/display-list.ts";
import { layOutText } from "../../../templates/text/lay-out-text.ts";
import type { FontResolver } from "../../../templates/text/font-resolver.ts";
import type { LaidText } from "../../../templates/text/laid-text.ts";
import type { TextRun } from "../../../templates/text/text-spec.ts";
import { itemsBounds, transformPath, unionOfBounds } from "./item-bounds.ts";
import type { Bounds } from "../pdf-syntax.ts";
import { hexColor } from "../recolor.ts";
import { weightOf } from "./svg-fonts.ts";
import type { Style } from "./svg-styles.ts";
import { length } from "./svg-values.ts";
import { fontSizeOf, type TextChunk, type TextPiece } from "./text-chunks.ts";

/** Noto Sans above and below the baseline, in sizes. */
const [ASCENT, DESCENT] = [1.069, 0.293];
/** Of a character, in sizes. */
const MEAN_WIDTH = 0.55;
/** Wider than any line. */
const WIDTH = 1e9;

/** The fonts that drawings print with. */
export interface DrawingFonts extends FontResolver {
  /** The first of these families that there is; the last resort where there is none. */
  familyOf(names: readonly string[]): string;
}

/** Glyphs, or a rule below or through them, of one piece of a text, without its paints. */
export interface PlacedItem {
  readonly piece: TextPiece;
  readonly item: DisplayGlyphs | DisplayPath;
}

export interface PlacedText {
  readonly items: readonly PlacedItem[];
  readonly bounds: Bounds;
}

/** Families as CSS lists them, generic ones by the name of the family that stands for them. */
export function familiesOf(style: Style): string[] {
  return (style.get("font-family") ?? "").split(",").flatMap((one) => {
    const name = one.replaceAll(/["']/g, "").trim();
    return name === "" ? [] : [GENERIC[name.toLowerCase()] ?? name];
  });
}

const GENERIC: Readonly<Record<string, string>> = {
  serif: "Noto Serif",
  "sans-serif": "Noto Sans",
  "system-ui": "Noto Sans",
  monospace: "Source Code Pro",
  cursive: "Caveat",
};

/**
 * Places the chunks of a text, each as one line. Undefined for one without a glyph. Rethrows what `fonts` throw. `textLength` is the
 * attribute in px.
 */
export function placeText(
  chunks: readonly TextChunk[],
  fonts: DrawingFonts,
  textLength: number | undefined,
): PlacedText | undefined {
  const items: PlacedItem[] = [];
  const boxes: Bounds[] = [];
  let pen = 0;
  for (const chunk of chunks) {
    const parts = partsOf(chunk);
    const first = layOutParts(parts, fonts, 0);
    const spacing = textLength === undefined ? 0 : spacingFor(textLength, first, chunk);
    const laid = spacing === 0 ? first : layOutParts(parts, fonts, spacing);
    const whole = laid.reduce((sum, { dx, width }) => sum + dx + width, 0);
    let x = (chunk.x ?? pen) - anchorShare(chunk) * whole;
    for (const { dx, width, pieces, text, baseline } of laid) {
      x += dx;
      for (const item of text.items) {
        const piece = pieceOf(item, pieces);
        if (piece !== undefined && (item.kind === "glyphs" || item.kind === "path")) {
          items.push({ piece, item: moved(item, x, chunk.y - baseline) });
        }
      }
      const size = Math.max(...pieces.map(({ style }) => fontSizeOf(style)));
      boxes.push([x, chunk.y - ASCENT * size, x + width, chunk.y + DESCENT * size]);
      x += width;
    }
    pen = x;
  }
  const bounds = unionOfBounds(boxes);
  return bounds === undefined || items.length === 0 ? undefined : { items, bounds };
}

/** A text whose glyphs do not matter: an item for each piece, about where it is. */
export function placeWithoutFonts(chunks: readonly TextChunk[]): PlacedText | undefined {
  let pen = 0;
  const items = chunks.flatMap((chunk) => {
    pen = chunk.x ?? pen;
    return chunk.pieces.map((piece): PlacedItem => {
      const size = fontSizeOf(piece.style);
      const x = pen + piece.dx;
      pen = x + piece.text.length * size * MEAN_WIDTH;
      const item: DisplayGlyphs = {
        kind: "glyphs",
        face: "",
        size,
        fill: { kind: "color", rgb: [0, 0, 0] },
        opacity: 1,
        x,
        y: chunk.y - piece.rise,
        glyphs: [],
        clusters: [],
        isRightToLeft: false,
      };
      return { piece, item };
    });
  });
  const bounds = itemsBounds(items.map(({ item }) => item));
  return bounds === undefined ? undefined : { items, bounds };
}

interface Part {
  readonly dx: number;
  readonly pieces: readonly TextPiece[];
}

interface LaidPart extends Part {
  readonly text: LaidText;
  readonly width: number;
  /** Below the line's top. */
  readonly baseline: number;
}

/** Pieces up to the next one that is moved. */
function partsOf({ pieces }: TextChunk): Part[] {
  const parts: { dx: number; pieces: TextPiece[] }[] = [];
  for (const piece of pieces) {
    const last = parts.at(-1);
    if (last === undefined || piece.dx !== 0) {
      parts.push({ dx: piece.dx, pieces: [piece] });
    } else {
      last.pieces.push(piece);
    }
  }
  return parts;
}

function layOutParts(parts: readonly Part[], fonts: DrawingFonts, spacing: number): LaidPart[] {
  return parts.map((part) => {
    const style = part.pieces[0]?.style ?? new Map<string, string>();
    const text = layOutText(
      {
        width: WIDTH,
        height: WIDTH,
        padding: 0,
        verticalAlign: "top",
        fixedHeight: true,
        overflowMode: "visible",
        overflowPolicy: "template",
        fontSize: Math.max(1, ...part.pieces.map((piece) => fontSizeOf(piece.style))),
        minFontSize: 1,
        maxLines: 1,
        language: "",
        textTransform: "none",
        features: {},
        fallbackFonts: [],
        paragraphs: [
          {
            textAlign: "left",
            lineHeight: 1,
            spaceBefore: 0,
            spaceAfter: 0,
            direction: isRightToLeft(style) ? "rtl" : "ltr",
            runs: part.pieces.map((piece, i) => runOf(piece, i, fonts, spacing)),
          },
        ],
      },
      fonts,
    );
    const { item, piece } = firstGlyphs(text.items, part.pieces) ?? {};
    const baseline = item === undefined ? 0 : item.y + (piece?.rise ?? 0);
    return { ...part, text, width: text.contentWidth, baseline };
  });
}

function firstGlyphs(items: readonly DisplayItem[], pieces: readonly TextPiece[]) {
  const item = items.find((one) => one.kind === "glyphs");
  return item && { item, piece: pieceOf(item, pieces) };
}

/** A run with its number as its color, by which its items are found again. Spaces do not break, and do not hang. */
function runOf(
  { text, style, rise }: TextPiece,
  number: number,
  fonts: DrawingFonts,
  spacing: number,
): TextRun {
  const fontSize = fontSizeOf(style);
  const lines = style.get("text-decoration") ?? "";
  return {
    text: text.replaceAll(" ", "\u00a0"),
    fontFamily: fonts.familyOf(familiesOf(style)),
    font: undefined,
    fontSize,
    fontWeight: weightOf(style),
    fontStyle: /^(?:italic|oblique)/.test(style.get("font-style") ?? "") ? "italic" : "normal",
    fill: hexColor([(number >> 16) & 255, (number >> 8) & 255, number & 255]),
    fillOpacity: 1,
    charSpacing: (length(style.get("letter-spacing"), 0, fontSize) ?? 0) + spacing,
    underline: lines.includes("underline"),
    strikethrough: lines.includes("line-through"),
    baselineShift: rise,
    link: undefined,
  };
}

function pieceOf(item: DisplayItem, pieces: readonly TextPiece[]): TextPiece | undefined {
  const paint = item.kind === "glyphs" ? item.fill : item.kind === "path" ? item.fill?.paint : null;
  if (paint?.kind !== "color") {
    return undefined;
  }
  const [r, g, b] = paint.rgb;
  return pieces[(r << 16) | (g << 8) | b];
}

function moved(
  item: DisplayGlyphs | DisplayPath,
  x: number,
  y: number,
): DisplayGlyphs | DisplayPath {
  if (item.kind === "path") {
    return { ...item, path: transformPath(item.path, [1, 0, 0, 1, x, y]) };
  }
  const clusters = item.clusters.map(({ text }) => ({ text: text.replaceAll("\u00a0", " ") }));
  return { ...item, x: item.x + x, y: item.y + y, clusters };
}

/** An item with its paints; undefined if it paints nothing. */
export function paintedText(
  item: DisplayGlyphs | DisplayPath,
  fill: Fill | null,
  stroke: Stroke | null,
): DisplayItem | undefined {
  if (fill === null && stroke === null) {
    return undefined;
  }
  if (item.kind === "path") {
    return { ...item, fill, stroke };
  }
  const paint = fill ?? { paint: { kind: "color" as const, rgb: [0, 0, 0] as const }, opacity: 0 };
  return {
    ...item,
    fill: paint.paint,
    opacity: paint.opacity,
    ...(stroke !== null && { stroke }),
  };
}

function spacingFor(wanted: number, laid: readonly LaidPart[], { pieces }: TextChunk): number {
  const width = laid.reduce((sum, part) => sum + part.dx + part.width, 0);
  const gaps = pieces.reduce((sum, { text }) => sum + Array.from(text).length, -1);
  return gaps < 1 ? 0 : (wanted - width) / gaps;
}

function isRightToLeft(style: Style): boolean {
  return style.get("direction") === "rtl";
}

function anchorShare({ pieces }: TextChunk): number {
  const style = pieces[0]?.style ?? new Map<string, string>();
  switch (style.get("text-anchor")) {
    case "middle":
      return 0.5;
    case "end":
      return isRightToLeft(style) ? 0 : 1;
    default:
      return isRightToLeft(style) ? 1 : 0;
  }
}
