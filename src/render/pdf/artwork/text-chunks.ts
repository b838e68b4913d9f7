import { ArtworkError } from "./artwork-error.ts";
import type { Style } from "./svg-styles.ts";
import type { SvgNode } from "./svg-node.ts";
import { length } from "./svg-values.ts";

/** Chunks and pieces of one text: a position for each character multiplies the work of a layout. */
const PIECES_MAX = 10_000;

/** Characters of one element with one style. */
export interface TextPiece {
  text: string;
  readonly node: SvgNode;
  readonly style: Style;
  /** Before its first character, in px. */
  readonly dx: number;
  /** Above the chunk's baseline, in px. */
  readonly rise: number;
}

/** Characters that follow each other from one point, and are anchored there together (SVG 2 §11.5). */
export interface TextChunk {
  /** Undefined for a chunk that begins where the one before it ends. */
  readonly x: number | undefined;
  readonly y: number;
  readonly pieces: TextPiece[];
}

export interface ChunkTools {
  styleOf(node: SvgNode, parent: Style): Style;
  /** Called for a part whose characters cannot be placed. */
  onUnsupported(node: SvgNode, part: string, message: string): void;
  /** The sizes that percentages are of. */
  readonly viewport: { readonly width: number; readonly height: number };
}

/** The size of the font in px; `SvgStyles` has resolved what is relative to the parent. */
export function fontSizeOf(style: Style): number {
  return length(style.get("font-size"), 16) ?? 16;
}

/** A text by the points at which its parts begin, white space collapsed unless it is preserved. */
export function textChunks(root: SvgNode, rootStyle: Style, tools: ChunkTools): TextChunk[] {
  const walk = new ChunkWalk(tools);
  walk.visit(root, rootStyle);
  return walk.chunks.map(trimmed).filter(({ pieces }) => pieces.length > 0);
}

type Position = "x" | "y" | "dx" | "dy";

class ChunkWalk {
  readonly chunks: TextChunk[] = [];
  readonly #tools: ChunkTools;
  #pieces = 0;
  /** Of the baseline, all `dy` added. */
  #y = 0;
  #dx = 0;

  constructor(tools: ChunkTools) {
    this.#tools = tools;
  }

  visit(node: SvgNode, style: Style): void {
    if (style.get("display") === "none") {
      return;
    }
    const lists = this.#positionsOf(node, style);
    const longest = Math.max(...Object.values(lists).map((list) => list.length));
    const isSpread = longest > 1;
    if (isSpread && node.content.some((part) => typeof part !== "string")) {
      const message = "Positions of single characters over several elements are not converted.";
      this.#tools.onUnsupported(node, node.name, message);
    }
    if (!isSpread) {
      this.#move(lists, 0);
    }
    for (const part of node.content) {
      if (typeof part === "string") {
        const text = spaced(part, style);
        if (isSpread) {
          this.#spread(text, node, style, lists, longest);
        } else {
          this.#add(text, node, style);
        }
      } else if (part.name === "tspan" || part.name === "a") {
        this.visit(part, this.#tools.styleOf(part, style));
      } else if (part.name === "textPath") {
        this.#tools.onUnsupported(part, "textPath", "Text on a path is not converted.");
      }
    }
  }

  #positionsOf(node: SvgNode, style: Style): Readonly<Record<Position, readonly number[]>> {
    const { width, height } = this.#tools.viewport;
    const size = fontSizeOf(style);
    const read = (name: Position): number[] => {
      const words =
        node.attributes
          .get(name)
          ?.trim()
          .split(/[\s,]+/, PIECES_MAX + 1) ?? [];
      const whole = name === "x" || name === "dx" ? width : height;
      return words.flatMap((word) => length(word, whole, size) ?? []);
    };
    return { x: read("x"), y: read("y"), dx: read("dx"), dy: read("dy") };
  }

  /** Moves on to the positions of the i-th character. */
  #move(lists: Readonly<Record<Position, readonly number[]>>, i: number): void {
    const [x, y] = [lists.x[i], lists.y[i]];
    this.#y = (y ?? this.#y) + (lists.dy[i] ?? 0);
    this.#dx += lists.dx[i] ?? 0;
    if (this.chunks.length === 0 || x !== undefined || y !== undefined) {
      this.#count();
      this.chunks.push({
        x: x ?? (this.chunks.length === 0 ? 0 : undefined),
        y: this.#y,
        pieces: [],
      });
    }
  }

  /** The first character of a list is the first that is drawn. */
  #spread(
    text: string,
    node: SvgNode,
    style: Style,
    lists: Readonly<Record<Position, readonly number[]>>,
    longest: number,
  ): void {
    const plain = isPreserved(style) ? text : text.trim();
    const characters = Array.from(plain);
    for (let i = 0; i < Math.min(longest, characters.length); i++) {
      this.#move(lists, i);
      const isLast = i === longest - 1;
      this.#add(isLast ? characters.slice(i).join("") : (characters[i] ?? ""), node, style);
    }
  }

  #add(text: string, node: SvgNode, style: Style): void {
    const chunk = this.chunks.at(-1);
    if (chunk === undefined || text === "") {
      return;
    }
    this.#count();
    const rise = chunk.y - this.#y + shiftOf(style);
    chunk.pieces.push({ text, node, style, dx: this.#dx, rise });
    this.#dx = 0;
  }

  #count(): void {
    if (++this.#pieces > PIECES_MAX) {
      throw new ArtworkError("too_large", `A text has more than ${PIECES_MAX} positions.`);
    }
  }
}

function isPreserved(style: Style): boolean {
  const white = style.get("white-space");
  return white === undefined || white === "initial"
    ? style.get("xml:space") === "preserve"
    : /^(?:pre|pre-wrap|break-spaces|preserve.*)$/.test(white);
}

/** Line ends and tabs are spaces, and so is what breaks lines elsewhere: a text of SVG is one line. */
function spaced(text: string, style: Style): string {
  const plain = isPreserved(style)
    ? text.replaceAll(/\r\n|[\t\n\r\v\f\u0085\u2028\u2029]/g, " ")
    : text.replaceAll(/[ \t\n\r\v\f\u0085\u2028\u2029]+/g, " ");
  switch (style.get("text-transform")) {
    case "uppercase":
      return plain.toUpperCase();
    case "lowercase":
      return plain.toLowerCase();
    default:
      return plain;
  }
}

/** White space at both ends, and after white space, is not drawn. */
function trimmed(chunk: TextChunk): TextChunk {
  let isAfterSpace = true;
  for (const piece of chunk.pieces) {
    if (!isPreserved(piece.style)) {
      piece.text = isAfterSpace ? piece.text.replace(/^ /, "") : piece.text;
    }
    isAfterSpace = piece.text === "" ? isAfterSpace : piece.text.endsWith(" ");
  }
  const last = chunk.pieces.findLast(({ text }) => text !== "");
  if (last !== undefined && !isPreserved(last.style)) {
    last.text = last.text.replace(/ $/, "");
  }
  return { ...chunk, pieces: chunk.pieces.filter(({ text }) => text !== "") };
}

/** Of Noto Sans, in sizes: by how much a baseline lies above the alphabetic one. */
const BASELINES: Readonly<Record<string, number>> = {
  middle: 0.268,
  central: 0.388,
  mathematical: 0.5345,
  hanging: 0.855,
  "text-before-edge": 1.069,
  "before-edge": 1.069,
  "text-top": 1.069,
  "text-after-edge": -0.293,
  "after-edge": -0.293,
  "text-bottom": -0.293,
  ideographic: -0.293,
};

/** How far characters stand above the baseline. */
function shiftOf(style: Style): number {
  const size = fontSizeOf(style);
  const aligned = style.get("alignment-baseline");
  const baseline =
    aligned === undefined || /^(?:auto|baseline|inherit)$/.test(aligned)
      ? style.get("dominant-baseline")
      : aligned;
  const shift = style.get("baseline-shift") ?? "baseline";
  const raised =
    shift === "sub"
      ? -0.2 * size
      : shift === "super"
        ? 0.4 * size
        : (length(shift, size, size) ?? 0);
  return raised - (BASELINES[baseline ?? ""] ?? 0) * size;
}
