import type { FontTable } from "./font-table.ts";
import { invalidFont } from "./invalid-font.ts";

/** Maximum number of operands before an operator (Adobe Technical Note 5176 §4, appendix B). */
const OPERANDS_MAX = 48;
const ESCAPE = 12;
const [SHORT, LONG, REAL] = [28, 29, 30];

/**
 * A DICT of the CFF table: operands by operator, `1200 + n` for operators after the escape. Throws
 * FontError.
 */
export function readCffDict(
  table: FontTable,
  start: number,
  end: number,
): ReadonlyMap<number, readonly number[]> {
  const entries = new Map<number, readonly number[]>();
  let operands: number[] = [];
  for (let at = start; at < end;) {
    const byte = table.u8(at++);
    if (byte < 22) {
      const operator = byte === ESCAPE ? 1200 + table.u8(at++) : byte;
      entries.set(operator, operands);
      operands = [];
      continue;
    }
    if (operands.length === OPERANDS_MAX) {
      throw invalidFont("A dictionary in the table CFF has too many numbers in a row");
    }
    if (byte === SHORT) {
      operands.push(table.i16(at));
      at += 2;
    } else if (byte === LONG) {
      operands.push(table.u32(at) | 0);
      at += 4;
    } else if (byte === REAL) {
      // Real numbers are not used here; the nibbles of one end with 15.
      for (let packed = 0; (packed & 0x0f) !== 0x0f && packed >> 4 !== 0x0f;) {
        packed = table.u8(at++);
      }
      operands.push(Number.NaN);
    } else if (byte >= 32 && byte <= 246) {
      operands.push(byte - 139);
    } else if (byte >= 247 && byte <= 250) {
      operands.push((byte - 247) * 256 + table.u8(at++) + 108);
    } else if (byte >= 251 && byte <= 254) {
      operands.push(-(byte - 251) * 256 - table.u8(at++) - 108);
    } else {
      throw invalidFont(`A dictionary in the table CFF has the reserved byte ${byte}`);
    }
    if (at > end) {
      throw invalidFont("A dictionary in the table CFF is cut off");
    }
  }
  return entries;
}
