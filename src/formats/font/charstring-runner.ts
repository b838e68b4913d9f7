import type { CffIndex } from "./cff-index.ts";
import type { FontTable } from "./font-table.ts";
import { invalidFont } from "./invalid-font.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const STEPS_MAX = LIMITS.charstring_steps.value;
/** Adobe Technical Note 5177, appendix B. HarfBuzz allows a stack of 513 numbers, as in CFF2. */
const STACK_MAX = 513;
const CALLS_MAX = 10;

const [HSTEM, VSTEM, CALLSUBR, RETURN, ESCAPE, ENDCHAR] = [1, 3, 10, 11, 12, 14];
const [HSTEMHM, HINTMASK, CNTRMASK, VSTEMHM, SHORT, CALLGSUBR] = [18, 19, 20, 23, 28, 29];
const FIXED = 255;

/** Path operators that consume and clear the whole stack. */
const PATHS = new Set([4, 5, 6, 7, 8, 21, 22, 24, 25, 26, 27, 30, 31]);
/** Flex curves; second byte after the escape. */
const FLEXES = new Set([34, 35, 36, 37]);
/** Arithmetic operators after the escape: numbers taken from and put on the stack. */
const ARITHMETIC: ReadonlyMap<number, readonly [takes: number, gives: number]> = new Map([
  [0, [0, 0]], // dotsection
  [3, [2, 1]],
  [4, [2, 1]],
  [5, [1, 1]],
  [9, [1, 1]],
  [10, [2, 1]],
  [11, [2, 1]],
  [12, [2, 1]],
  [14, [1, 1]],
  [15, [2, 1]],
  [18, [1, 0]],
  [20, [2, 0]],
  [21, [1, 1]],
  [22, [4, 1]],
  [23, [0, 1]],
  [24, [2, 1]],
  [26, [1, 1]],
  [27, [1, 2]],
  [28, [2, 2]],
  [29, [1, 1]],
  [30, [2, 0]],
]);

/**
 * Runs Type 2 charstrings without drawing. Only literal numbers are tracked; results of arithmetic
 * are unknown and must not select a subroutine.
 */
export class CharstringRunner {
  readonly #bytes: Uint8Array;
  readonly #globalSubrs: CffIndex;
  #glyph = 0;
  #steps = 0;
  #stems = 0;
  readonly #stack = new Float64Array(STACK_MAX);
  #depth = 0;
  #hasEnded = false;

  constructor(cff: FontTable, globalSubrs: CffIndex) {
    this.#bytes = cff.bytes;
    this.#globalSubrs = globalSubrs;
  }

  /**
   * Number of steps of a glyph. Throws FontError if a program is cut off, loops or reads outside
   * the table.
   */
  run(glyph: number, start: number, end: number, localSubrs: CffIndex | undefined): number {
    this.#glyph = glyph;
    this.#steps = 0;
    this.#stems = 0;
    this.#depth = 0;
    this.#hasEnded = false;
    this.#execute(start, end, localSubrs, 0);
    if (!this.#hasEnded) {
      throw this.#invalid("never ends");
    }
    return this.#steps;
  }

  #execute(start: number, end: number, localSubrs: CffIndex | undefined, level: number): void {
    if (level > CALLS_MAX) {
      throw this.#invalid(`calls subroutines more than ${CALLS_MAX} deep`);
    }
    // A number or a mask may extend past `end` or the table: this is detected before it counts.
    const bytes = this.#bytes;
    for (let at = start; at < end && !this.#hasEnded;) {
      if (++this.#steps > STEPS_MAX) {
        throw this.#invalid(`takes more than ${STEPS_MAX} steps`);
      }
      const byte = bytes[at++] ?? 0;
      if (byte >= 32 || byte === SHORT) {
        at += this.#push(byte, at);
      } else if (byte === CALLSUBR || byte === CALLGSUBR) {
        this.#call(byte === CALLSUBR ? localSubrs : this.#globalSubrs, localSubrs, level);
      } else if (byte === RETURN) {
        return;
      } else if (byte === ESCAPE) {
        this.#escaped(bytes[at++] ?? 0);
      } else {
        at += this.#operator(byte);
      }
      if (at > end) {
        throw this.#invalid("is cut off");
      }
    }
  }

  /** Returns the number of bytes of the number after its first byte. */
  #push(byte: number, at: number): number {
    const next = this.#bytes[at] ?? 0;
    if (byte === SHORT) {
      this.#keep((((next << 8) | (this.#bytes[at + 1] ?? 0)) << 16) >> 16);
      return 2;
    }
    if (byte === FIXED) {
      // A fixed-point number: 16 bits of integer, 16 bits of fraction.
      const fraction = (this.#bytes[at + 2] ?? 0) * 256 + (this.#bytes[at + 3] ?? 0);
      const whole = (((next << 8) | (this.#bytes[at + 1] ?? 0)) << 16) >> 16;
      this.#keep(whole + fraction / 65_536);
      return 4;
    }
    if (byte <= 246) {
      this.#keep(byte - 139);
      return 0;
    }
    const low = next + 108;
    this.#keep(byte <= 250 ? (byte - 247) * 256 + low : -(byte - 251) * 256 - low);
    return 1;
  }

  #keep(value: number): void {
    if (this.#depth === STACK_MAX) {
      throw this.#invalid(`has more than ${STACK_MAX} numbers on its stack`);
    }
    this.#stack[this.#depth++] = value;
  }

  #call(subrs: CffIndex | undefined, localSubrs: CffIndex | undefined, level: number): void {
    const count = subrs?.count ?? 0;
    const bias = count < 1_240 ? 107 : count < 33_900 ? 1_131 : 32_768;
    const index = this.#depth === 0 ? Number.NaN : (this.#stack[--this.#depth] ?? 0) + bias;
    if (subrs === undefined || !Number.isInteger(index) || index < 0 || index >= count) {
      throw this.#invalid("calls a missing subroutine");
    }
    this.#execute(...subrs.span(index), localSubrs, level + 1);
  }

  /** Returns the number of bytes after the operator. */
  #operator(byte: number): number {
    if (byte === HSTEM || byte === VSTEM || byte === HSTEMHM || byte === VSTEMHM) {
      this.#countStems();
      return 0;
    }
    if (byte === HINTMASK || byte === CNTRMASK) {
      this.#countStems();
      return Math.ceil(this.#stems / 8);
    }
    if (byte === ENDCHAR) {
      // With four numbers left, it draws two other glyphs, like accented letters in Type 1 fonts.
      this.#steps += this.#depth >= 4 ? 2 * STEPS_MAX : 0;
      this.#hasEnded = true;
      return 0;
    }
    if (!PATHS.has(byte)) {
      throw this.#invalid(`has the unknown operator ${byte}`);
    }
    this.#depth = 0;
    return 0;
  }

  #escaped(byte: number): void {
    if (FLEXES.has(byte)) {
      this.#depth = 0;
      return;
    }
    const effect = ARITHMETIC.get(byte);
    if (effect === undefined) {
      throw this.#invalid(`has the unknown operator 12 ${byte}`);
    }
    const [takes, gives] = effect;
    if (this.#depth < takes) {
      throw this.#invalid("uses more numbers than it has");
    }
    this.#depth -= takes;
    for (let i = 0; i < gives; i++) {
      this.#keep(Number.NaN);
    }
  }

  #countStems(): void {
    this.#stems += this.#depth >> 1;
    this.#depth = 0;
  }

  #invalid(what: string): Error {
    return invalidFont(`The outline of glyph ${this.#glyph} ${what}`);
  }
}
