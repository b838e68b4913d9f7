import type { Path, PathSegment } from "../display-list.ts";
import { arcToCurves } from "./arc-to-curves.ts";

/** Coordinates beyond this are refused: they lie far outside of every page, and sums of them lose digits. */
const COORDINATE_MAX = 1_000_000;

export interface PathDataProblem {
  /** Offset of the first character that does not fit. */
  readonly at: number;
  /** What is expected there, for people. */
  readonly reason: string;
}

export type PathDataResult =
  | { readonly ok: true; readonly path: Path }
  | { readonly ok: false; readonly problem: PathDataProblem };

/**
 * Reads SVG path data (SVG 2, 9.3) into absolute moves, lines, cubic curves and closings. Shorthands, quadratic
 * curves and arcs are converted. In time linear in the text; the first thing that does not fit is the problem, nothing
 * is drawn up to it.
 */
export function readPathData(text: string): PathDataResult {
  const reader = new PathReader(text);
  try {
    return { ok: true, path: { segments: reader.read() } };
  } catch (cause) {
    if (cause instanceof Unfit) {
      return { ok: false, problem: { at: cause.at, reason: cause.message } };
    }
    throw cause;
  }
}

class Unfit extends Error {
  readonly at: number;

  constructor(at: number, reason: string) {
    super(reason);
    this.at = at;
  }
}

/** Numbers of one repetition of each command. */
const ARGUMENTS: Readonly<Record<string, number>> = {
  M: 2,
  L: 2,
  H: 1,
  V: 1,
  C: 6,
  S: 4,
  Q: 4,
  T: 2,
  A: 7,
  Z: 0,
};

// Sticky: matched where the reader stands. A number has no second dot, so "1.5.5" is two numbers.
const NUMBER = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;

interface ControlPoint {
  readonly kind: "cubic" | "quadratic";
  readonly x: number;
  readonly y: number;
}

class PathReader {
  readonly #text: string;
  readonly #segments: PathSegment[] = [];
  #at = 0;
  #x = 0;
  #y = 0;
  /** Where the current subpath starts. */
  #startX = 0;
  #startY = 0;
  /** The control point that a shorthand mirrors, and of which kind of curve it is. */
  #mirrored: ControlPoint | null = null;
  #isClosed = false;

  constructor(text: string) {
    this.#text = text;
  }

  read(): PathSegment[] {
    this.#skipSpace();
    if (this.#at === this.#text.length) {
      throw new Unfit(0, "it has no commands; begin with a move such as M 0 0");
    }
    while (this.#at < this.#text.length) {
      const letter = this.#text[this.#at] ?? "";
      const command = letter.toUpperCase();
      const count = ARGUMENTS[command];
      if (count === undefined || !/[A-Za-z]/.test(letter)) {
        throw new Unfit(
          this.#at,
          "a command is expected: one of M, L, H, V, C, S, Q, T, A, Z in either letter case",
        );
      }
      if (this.#segments.length === 0 && command !== "M") {
        throw new Unfit(this.#at, "the first command must be a move such as M 0 0");
      }
      this.#at += 1;
      this.#skipSpace();
      this.#repeat(command, letter !== command, count);
    }
    return this.#segments;
  }

  /** The command as often as it has numbers; more pairs after a move are lines. */
  #repeat(command: string, isRelative: boolean, count: number): void {
    if (count === 0) {
      this.#close();
      return;
    }
    let current = command;
    do {
      this.#draw(current, isRelative, command === "A" ? this.#arc() : this.#numbers(count));
      current = current === "M" ? "L" : current;
    } while (this.#hasAnother());
  }

  #hasAnother(): boolean {
    const before = this.#at;
    this.#skipSpace();
    const hasComma = this.#text[this.#at] === ",";
    if (hasComma) {
      this.#at += 1;
      this.#skipSpace();
    }
    const code = this.#text.charCodeAt(this.#at);
    const isNumber = isDigit(code) || code === 0x2b || code === 0x2d || code === 0x2e;
    if (hasComma && !isNumber) {
      throw new Unfit(before, "a number is expected after the comma");
    }
    return isNumber;
  }

  #numbers(count: number): number[] {
    const numbers: number[] = [];
    for (let i = 0; i < count; i += 1) {
      if (i > 0) {
        this.#skipSeparator();
      }
      numbers.push(this.#number());
    }
    return numbers;
  }

  #arc(): number[] {
    const radii = this.#numbers(3);
    this.#skipSeparator();
    const isLarge = this.#flag();
    this.#skipSeparator();
    const isSweep = this.#flag();
    this.#skipSeparator();
    return [...radii, isLarge, isSweep, ...this.#numbers(2)];
  }

  #flag(): number {
    const found = this.#text[this.#at];
    if (found !== "0" && found !== "1") {
      throw new Unfit(this.#at, "a flag of an arc must be 0 or 1");
    }
    this.#at += 1;
    return Number(found);
  }

  #number(): number {
    NUMBER.lastIndex = this.#at;
    const found = NUMBER.exec(this.#text);
    if (found === null) {
      throw new Unfit(this.#at, "a number is expected");
    }
    const value = Number(found[0]);
    if (!(Math.abs(value) <= COORDINATE_MAX)) {
      throw new Unfit(this.#at, `a number must be within ±${COORDINATE_MAX}`);
    }
    this.#at += found[0].length;
    return value;
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) {
      this.#at += 1;
    }
  }

  #skipSeparator(): void {
    this.#skipSpace();
    if (this.#text[this.#at] === ",") {
      this.#at += 1;
      this.#skipSpace();
    }
  }

  #draw(command: string, isRelative: boolean, numbers: readonly number[]): void {
    const dx = isRelative ? this.#x : 0;
    const dy = isRelative ? this.#y : 0;
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0] = numbers;
    const mirrored = this.#mirrored;
    this.#mirrored = null;
    switch (command) {
      case "M":
        this.#move(dx + a, dy + b);
        break;
      case "L":
        this.#line(dx + a, dy + b);
        break;
      case "H":
        this.#line(dx + a, this.#y);
        break;
      case "V":
        this.#line(this.#x, dy + a);
        break;
      case "C":
        this.#curve(dx + a, dy + b, dx + c, dy + d, dx + e, dy + f);
        this.#mirrored = { kind: "cubic", x: dx + c, y: dy + d };
        break;
      case "S": {
        const [x1, y1] = this.#mirror(mirrored, "cubic");
        this.#curve(x1, y1, dx + a, dy + b, dx + c, dy + d);
        this.#mirrored = { kind: "cubic", x: dx + a, y: dy + b };
        break;
      }
      case "Q":
        this.#quadratic(dx + a, dy + b, dx + c, dy + d);
        break;
      case "T": {
        const [x1, y1] = this.#mirror(mirrored, "quadratic");
        this.#quadratic(x1, y1, dx + a, dy + b);
        break;
      }
      default:
        this.#arcTo(a, b, c, d === 1, e === 1, dx + f, dy + g);
    }
  }

  #mirror(mirrored: ControlPoint | null, kind: ControlPoint["kind"]): [number, number] {
    return mirrored?.kind === kind
      ? [2 * this.#x - mirrored.x, 2 * this.#y - mirrored.y]
      : [this.#x, this.#y];
  }

  #move(x: number, y: number): void {
    this.#startX = x;
    this.#startY = y;
    this.#isClosed = false;
    this.#segments.push(["M", x, y]);
    this.#goTo(x, y);
  }

  #line(x: number, y: number): void {
    this.#open();
    this.#segments.push(["L", x, y]);
    this.#goTo(x, y);
  }

  #curve(x1: number, y1: number, x2: number, y2: number, x: number, y: number): void {
    this.#open();
    this.#segments.push(["C", x1, y1, x2, y2, x, y]);
    this.#goTo(x, y);
  }

  #quadratic(cx: number, cy: number, x: number, y: number): void {
    const [x0, y0] = [this.#x, this.#y];
    this.#curve(
      x0 + (2 / 3) * (cx - x0),
      y0 + (2 / 3) * (cy - y0),
      x + (2 / 3) * (cx - x),
      y + (2 / 3) * (cy - y),
      x,
      y,
    );
    this.#mirrored = { kind: "quadratic", x: cx, y: cy };
  }

  #arcTo(
    rx: number,
    ry: number,
    degrees: number,
    isLarge: boolean,
    isSweep: boolean,
    x: number,
    y: number,
  ): void {
    const [x0, y0] = [this.#x, this.#y];
    if (x0 === x && y0 === y) {
      return;
    }
    if (rx === 0 || ry === 0) {
      this.#line(x, y);
      return;
    }
    for (const curve of arcToCurves({ x0, y0, rx, ry, degrees, isLarge, isSweep, x, y })) {
      this.#curve(...curve);
    }
  }

  #close(): void {
    if (!this.#isClosed) {
      this.#segments.push(["Z"]);
    }
    this.#isClosed = true;
    this.#mirrored = null;
    this.#x = this.#startX;
    this.#y = this.#startY;
  }

  /** What follows a closing without a move starts where the closed subpath did. */
  #open(): void {
    if (this.#isClosed) {
      this.#segments.push(["M", this.#startX, this.#startY]);
      this.#isClosed = false;
    }
  }

  #goTo(x: number, y: number): void {
    if (!(Math.abs(x) <= COORDINATE_MAX && Math.abs(y) <= COORDINATE_MAX)) {
      throw new Unfit(this.#at, `the path leaves the range of ±${COORDINATE_MAX}`);
    }
    this.#x = x;
    this.#y = y;
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Space, tab, line feed, form feed, carriage return. */
function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b);
}
