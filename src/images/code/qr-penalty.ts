import { bitAt, MARGIN, type QrBits, wordsPerLine } from "./qr-bits.ts";

/** ISO/IEC 18004 §7.8.3: blocks of 2 by 2, patterns like a finder's, an unequal share of dark. */
const BLOCK_PENALTY = 3;
const FINDER_PENALTY = 40;
const SHARE_PENALTY = 10;

/**
 * The penalty by which a mask is chosen: whole words at a time, since eight masks of each code are
 * judged and looking at module after module is most of what a code costs.
 */
export function qrPenalty({ size, rows, columns }: QrBits): number {
  const words = wordsPerLine(size);
  const modules = size * size;
  let penalty = linesPenalty(rows, size, words) + linesPenalty(columns, size, words);
  let dark = 0;
  for (let at = 0; at < rows.length; at++) {
    dark += ones(rows[at] as number);
  }
  // Two of a row, two of the row above.
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
  return penalty + steps * SHARE_PENALTY;
}

/** Runs of five and more of one colour, and patterns like a finder's, in every line. */
function linesPenalty(lines: Int32Array, size: number, words: number): number {
  let runs = 0;
  let finders = 0;
  for (let line = 0; line < lines.length; line += words) {
    let wasFive = 0;
    let wasSix = 0;
    // A run of 6 + k dark modules has 1 + k places where six begin.
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
    // Runs of seven are the finders' own edges, which cannot be the middle of a wider pattern.
    if (sixes !== 2 * darkRuns || eights !== 0) {
      finders += wideFinders(lines, line, size);
    }
  }
  return runs + finders * FINDER_PENALTY;
}

/** Patterns like a finder's whose thinnest part is two modules wide or more: there are hardly any. */
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
  // Light and dark in turns; before the first and after the last is light without end.
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

/** A word's bits that belong to the first `length` modules of a line. */
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
