import { encode, QrCodeDataType } from "uqr";
import type { ErrorCorrection } from "../../contracts/code-symbol.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { maskQr, type Modules } from "./mask-qr.ts";

export interface QrMatrix {
  /** Modules on each side, without a quiet zone. */
  readonly size: number;
  /** Row by row. */
  readonly dark: Modules;
  readonly errorCorrection: ErrorCorrection;
}

/** Capacity of a version 40 code in bytes, at each level (ISO/IEC 18004 table 7). */
const BYTES_MAX = { L: 2_953, M: 2_331, Q: 1_663, H: 1_273 } as const;

/** By the two bits of the format information: 01 = L, 00 = M, 11 = Q, 10 = H (ISO/IEC 18004 §7.9). */
const LEVELS = ["M", "L", "H", "Q"] as const;

/**
 * The matrix of a text with at least this error correction: the level is raised as long as the size
 * stays the same. Throws NodeError `CODE_TEXT_INVALID` if the text is too long for every version.
 */
export function encodeQr(text: string, least: ErrorCorrection): QrMatrix {
  const matrix = tryEncode(text, least);
  if (matrix === undefined) {
    throw new NodeError(
      "CODE_TEXT_INVALID",
      `The text takes ${new TextEncoder().encode(text).length} bytes; a QR code with error correction ${least} holds at most ${BYTES_MAX[least]}. Shorten it${least === "L" ? "" : ", or lower error_correction (a logo needs H)"}.`,
    );
  }
  const { size, data, types } = matrix;
  const drawn = new Uint8Array(size * size);
  const isData = new Uint8Array(size * size);
  for (let y = 0, at = 0; y < size; y++) {
    const [row = [], kinds = []] = [data[y], types[y]];
    for (let x = 0; x < size; x++, at++) {
      drawn[at] = row[x] === true ? 1 : 0;
      isData[at] = kinds[x] === QrCodeDataType.Data ? 1 : 0;
    }
  }
  // The encoder raises the level without returning it; the format bits of the matrix contain it.
  const level = levelOf(drawn, size);
  return {
    size,
    dark: maskQr(drawn, isData, size, level),
    errorCorrection: LEVELS[level] ?? "L",
  };
}

/** With mask 0: the encoder is ten times slower when it selects the best mask. */
function tryEncode(text: string, ecc: ErrorCorrection): ReturnType<typeof encode> | undefined {
  try {
    return encode(text, { ecc, boostEcc: true, border: 0, maskPattern: 0 });
  } catch (error) {
    if (error instanceof RangeError) {
      return undefined;
    }
    throw error;
  }
}

/**
 * The two level bits of the format information, next to the upper left finder pattern, unmasked
 * with 10….
 */
function levelOf(dark: Modules, size: number): number {
  return (((dark[8 * size] ?? 0) << 1) | (dark[8 * size + 1] ?? 0)) ^ 0b10;
}
