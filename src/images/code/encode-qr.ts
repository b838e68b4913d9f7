import { encode } from "uqr";
import type { ErrorCorrection } from "../../contracts/code-symbol.ts";
import { NodeError } from "../../lib/node-error.ts";

export interface QrMatrix {
  /** Modules a side, without a quiet zone. */
  readonly size: number;
  readonly dark: readonly (readonly boolean[])[];
  readonly errorCorrection: ErrorCorrection;
}

/** Bytes that a version 40 code holds at each level (ISO/IEC 18004 table 7). */
const BYTES_MAX = { L: 2_953, M: 2_331, Q: 1_663, H: 1_273 } as const;
const LEVELS = ["L", "M", "Q", "H"] as const;

/**
 * The matrix of a text with at least this error correction: the level rises as far as it costs no
 * further module. Throws NodeError `CODE_TEXT_INVALID` when no version holds the text.
 */
export function encodeQr(text: string, least: ErrorCorrection): QrMatrix {
  const matrix = tryEncode(text, least);
  if (matrix === undefined) {
    throw new NodeError(
      "CODE_TEXT_INVALID",
      `The text takes ${new TextEncoder().encode(text).length} bytes; a QR code with error correction ${least} holds at most ${BYTES_MAX[least]}. Shorten it${least === "L" ? "" : ", or lower error_correction (a logo needs H)"}.`,
    );
  }
  // The encoder raises the level but does not tell: the format bits of the matrix do.
  return { size: matrix.size, dark: matrix.data, errorCorrection: levelOf(matrix.data) };
}

function tryEncode(text: string, ecc: ErrorCorrection): ReturnType<typeof encode> | undefined {
  try {
    return encode(text, { ecc, boostEcc: true, border: 0 });
  } catch (error) {
    if (error instanceof RangeError) {
      return undefined;
    }
    throw error;
  }
}

/** The two level bits of the format information, beside the upper left finder, unmasked. */
function levelOf(dark: readonly (readonly boolean[])[]): ErrorCorrection {
  const high = dark[8]?.[0] === true ? 1 : 0;
  const low = dark[8]?.[1] === true ? 1 : 0;
  // Masked with 10…; 01 = L, 00 = M, 11 = Q, 10 = H (ISO/IEC 18004 §7.9).
  const bits = ((high << 1) | low) ^ 0b10;
  return ([LEVELS[1], LEVELS[0], LEVELS[3], LEVELS[2]] as const)[bits] ?? "L";
}
