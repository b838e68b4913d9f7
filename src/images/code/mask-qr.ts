import { emptyBits, moduleAt, type QrBits, setModule } from "./qr-bits.ts";
import { qrPenalty } from "./qr-penalty.ts";

/** A QR matrix row after row: 1 is dark. */
export type Modules = Uint8Array;

/** ISO/IEC 18004 table 10: where the rest is 0 a mask turns the module in column x and row y round. */
const RESTS: readonly ((x: number, y: number) => number)[] = [
  (x, y) => (x + y) % 2,
  (_, y) => y % 2,
  (x) => x % 3,
  (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
];

/** What each mask turns round in a symbol of this size, where data lies: always the same, so kept. */
const masksOfSize = new Map<number, readonly QrBits[]>();

/**
 * Gives a matrix that carries mask 0 the mask of least penalty, the first of several. `isData` is 1
 * where a mask applies; `levelBits` are the two of the error correction level.
 */
export function maskQr(given: Modules, isData: Modules, size: number, levelBits: number): Modules {
  let masks = masksOfSize.get(size);
  if (masks === undefined) {
    masks = RESTS.map((rest) => maskBits(rest, isData, size));
    masksOfSize.set(size, masks);
  }
  const masked = emptyBits(size);
  for (let at = 0, y = 0; y < size; y++) {
    for (let x = 0; x < size; x++, at++) {
      if (given[at] === 1) {
        setModule(masked, x, y, 1);
      }
    }
  }
  let best = 0;
  let leastPenalty = Infinity;
  masks.forEach((mask, number) => {
    // From the mask before, and from mask 0, to this one.
    if (number > 0) {
      turnRound(masked, masks[number - 1] as QrBits);
      turnRound(masked, mask);
    }
    drawFormat(masked, (levelBits << 3) | number);
    const penalty = qrPenalty(masked);
    if (penalty < leastPenalty) {
      leastPenalty = penalty;
      best = number;
    }
  });
  turnRound(masked, masks.at(-1) as QrBits);
  turnRound(masked, masks[best] as QrBits);
  drawFormat(masked, (levelBits << 3) | best);
  const modules = new Uint8Array(size * size);
  for (let at = 0, y = 0; y < size; y++) {
    for (let x = 0; x < size; x++, at++) {
      modules[at] = moduleAt(masked, x, y);
    }
  }
  return modules;
}

function maskBits(rest: (x: number, y: number) => number, isData: Modules, size: number): QrBits {
  const bits = emptyBits(size);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (isData[y * size + x] === 1 && rest(x, y) === 0) {
        setModule(bits, x, y, 1);
      }
    }
  }
  return bits;
}

function turnRound(bits: QrBits, mask: QrBits): void {
  for (let at = 0; at < bits.rows.length; at++) {
    bits.rows[at] = (bits.rows[at] as number) ^ (mask.rows[at] as number);
    bits.columns[at] = (bits.columns[at] as number) ^ (mask.columns[at] as number);
  }
}

/** Both copies of the format information with its error correction (ISO/IEC 18004 §7.9). */
function drawFormat(bits: QrBits, format: number): void {
  let rest = format;
  for (let i = 0; i < 10; i++) {
    rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
  }
  const word = ((format << 10) | rest) ^ 0x5412;
  for (let i = 0; i < 15; i++) {
    const dark = (word >>> i) & 1;
    // Around the upper left finder's corner; the timing pattern in row and column 6 is left out.
    setModule(bits, i < 8 ? 8 : i === 8 ? 7 : 14 - i, i < 6 ? i : i < 8 ? i + 1 : 8, dark);
    // Under the upper right finder, then beside the lower left.
    setModule(bits, i < 8 ? bits.size - 1 - i : 8, i < 8 ? 8 : bits.size - 15 + i, dark);
  }
}
