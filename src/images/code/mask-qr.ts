/**
 * A square of modules as bits, once by rows and once by columns: 32 modules in a word, the first in
 * the lowest bit, `MARGIN` light modules before each line and only light ones after it.
 */
interface QrBits {
  readonly size: number;
  readonly rows: Int32Array;
  readonly columns: Int32Array;
}

/**
 * As many light modules as a finder-like pattern has beside it, so that none begins before a line
 * does.
 */
const MARGIN = 4;

/** Number of words for a line of that many modules. */
function wordsPerLine(size: number): number {
  return Math.ceil((size + MARGIN) / 32);
}

function emptyBits(size: number): QrBits {
  const words = size * wordsPerLine(size);
  return { size, rows: new Int32Array(words), columns: new Int32Array(words) };
}

/** Sets one module, dark for 1. */
function setModule({ size, rows, columns }: QrBits, x: number, y: number, dark: number): void {
  const words = wordsPerLine(size);
  setBit(rows, y * words, x + MARGIN, dark);
  setBit(columns, x * words, y + MARGIN, dark);
}

/** 1 when the module is dark. */
function moduleAt({ size, rows }: QrBits, x: number, y: number): number {
  return bitAt(rows, y * wordsPerLine(size), x);
}

function setBit(lines: Int32Array, line: number, at: number, bit: number): void {
  const word = line + (at >>> 5);
  const mask = 1 << (at & 31);
  lines[word] = bit === 1 ? (lines[word] as number) | mask : (lines[word] as number) & ~mask;
}

/** The module at `x` of the line that begins at this word. */
function bitAt(lines: Int32Array, line: number, x: number): number {
  const at = x + MARGIN;
  return ((lines[line + (at >>> 5)] as number) >>> (at & 31)) & 1;
}

/** A QR matrix row by row: 1 is dark. */
export type Modules = Uint8Array;

/** ISO/IEC 18004 table 10: a mask inverts the module in column x and row y if the result is 0. */
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

/**
 * The data modules that each mask inverts in a symbol of this size; constant, and therefore cached.
 */
const masksOfSize = new Map<number, readonly QrBits[]>();

/**
 * Changes a matrix with mask 0 to the mask with the lowest penalty, the first of several. `isData`
 * is 1 where a mask applies; `levelBits` are the two bits of the error correction level.
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
    // From the previous mask, and from mask 0, to this one.
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
    // Around the corner of the upper left finder pattern; the timing pattern in row and column 6 is
    // skipped.
    setModule(bits, i < 8 ? 8 : i === 8 ? 7 : 14 - i, i < 6 ? i : i < 8 ? i + 1 : 8, dark);
    // Below the upper right finder pattern, then beside the lower left one.
    setModule(bits, i < 8 ? bits.size - 1 - i : 8, i < 8 ? 8 : bits.size - 15 + i, dark);
  }
}

/**
 * ISO/IEC 18004 §7.8.3: blocks of 2 by 2, finder-like patterns, an unequal proportion of dark
 * modules.
 */
const BLOCK_PENALTY = 3;
const FINDER_PENALTY = 40;
const RATIO_PENALTY = 10;

/**
 * The penalty that selects a mask. Whole words are evaluated at a time, because the eight masks of
 * each code are most of the work for a code.
 */
function qrPenalty({ size, rows, columns }: QrBits): number {
  const words = wordsPerLine(size);
  const modules = size * size;
  let penalty = linesPenalty(rows, size, words) + linesPenalty(columns, size, words);
  let dark = 0;
  for (let at = 0; at < rows.length; at++) {
    dark += ones(rows[at] as number);
  }
  // Two modules of a row, two of the row above.
  for (let word = 0; word < words; word++) {
    const pairs = within(word, size - 1);
    let line = rows[word] as number;
    let isPair = equalToNext(line, word + 1 < words ? (rows[word + 1] as number) : 0);
    for (let at = words + word; at < rows.length; at += words) {
      const below = rows[at] as number;
      const isPairBelow = equalToNext(below, word + 1 < words ? (rows[at + 1] as number) : 0);
      penalty += BLOCK_PENALTY * ones(isPair & isPairBelow & ~(line ^ below) & pairs);
      line = below;
      isPair = isPairBelow;
    }
  }
  const steps = Math.ceil(Math.abs(dark * 20 - modules * 10) / modules) - 1;
  return penalty + steps * RATIO_PENALTY;
}

/** Runs of five or more modules of one color, and finder-like patterns, in every line. */
function linesPenalty(lines: Int32Array, size: number, words: number): number {
  let runs = 0;
  let finders = 0;
  for (let line = 0; line < lines.length; line += words) {
    let wasFive = 0;
    let wasSix = 0;
    // A run of 6 + k dark modules has 1 + k positions at which six begin.
    let sixes = 0;
    let darkRuns = 0;
    let eights = 0;
    for (let word = 0; word < words; word++) {
      const low = lines[line + word] as number;
      const high = word + 1 < words ? (lines[line + word + 1] as number) : 0;
      const s1 = later(low, high, 1);
      const s2 = later(low, high, 2);
      const s3 = later(low, high, 3);
      const s4 = later(low, high, 4);
      const s5 = later(low, high, 5);
      const s6 = later(low, high, 6);
      const s7 = later(low, high, 7);
      const s8 = later(low, high, 8);
      const s9 = later(low, high, 9);
      const dark5 = low & s1 & s2 & s3 & s4;
      const light5 = ~(low | s1 | s2 | s3 | s4);
      const five = (dark5 | light5) & within(word, size - 4);
      // A run of 5 + k costs 3 + k.
      runs += ones(five) + 2 * ones(five & ~((five << 1) | wasFive));
      wasFive = five >>> 31;
      const six = dark5 & s5;
      sixes += ones(six);
      darkRuns += ones(six & ~((six << 1) | wasSix));
      wasSix = six >>> 31;
      eights |= six & s6 & s7;
      const core = s4 & ~s5 & s6 & s7 & s8 & ~s9 & later(low, high, 10);
      if (core !== 0) {
        const s11 = later(low, high, 11);
        const s12 = later(low, high, 12);
        const right4 = ~(s11 | s12 | later(low, high, 13) | later(low, high, 14));
        finders += ones(core & ~(low | s1 | s2 | s3) & ~s11) + ones(core & right4 & ~s3);
      }
    }
    // Runs of seven are the edges of the finder patterns, which cannot be the middle of a wider
    // pattern.
    if (sixes !== 2 * darkRuns || eights !== 0) {
      finders += wideFinders(lines, line, size);
    }
  }
  return runs + finders * FINDER_PENALTY;
}

/** Finder-like patterns whose thinnest part is two modules wide or more, which are rare. */
function wideFinders(lines: Int32Array, line: number, size: number): number {
  const ends: number[] = [];
  let color = 0;
  for (let x = 0; x <= size; x++) {
    const next = x === size ? 1 - color : bitAt(lines, line, x);
    if (next !== color) {
      ends.push(x);
      color = next;
    }
  }
  // Light and dark runs alternate; before the first and after the last, light continues
  // indefinitely.
  const runs = ends.map((end, i) => (i === 0 ? end + size : end - (ends[i - 1] ?? 0)));
  if (runs.length % 2 === 1) {
    runs.push((runs.pop() ?? 0) + size);
  } else {
    runs.push(size);
  }
  let found = 0;
  for (let i = 1; i + 5 < runs.length; i += 2) {
    const unit = runs[i] ?? 0;
    if (
      unit > 1 &&
      runs[i + 2] === unit * 3 &&
      [1, 3, 4].every((after) => runs[i + after] === unit)
    ) {
      const [left, right] = [runs[i - 1] ?? 0, runs[i + 5] ?? 0];
      found += left >= unit * 4 && right >= unit ? 1 : 0;
      found += right >= unit * 4 && left >= unit ? 1 : 0;
    }
  }
  return found;
}

/** The word that begins `by` modules later. */
function later(low: number, high: number, by: number): number {
  return (low >>> by) | (high << (32 - by));
}

function equalToNext(low: number, high: number): number {
  return ~(low ^ later(low, high, 1));
}

/** The bits of a word within the first `length` modules of a line. */
function within(word: number, length: number): number {
  const from = Math.max(MARGIN - word * 32, 0);
  const to = Math.min(MARGIN + length - word * 32, 32);
  return to <= from ? 0 : (-1 << from) & (-1 >>> (32 - to));
}

function ones(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
