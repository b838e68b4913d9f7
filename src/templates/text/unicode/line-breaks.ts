import {
  classOf,
  EAST_ASIAN,
  FINAL_QUOTE,
  flagsOf,
  INITIAL_QUOTE,
  LB,
  lineBreakOf,
  MARK,
  PICTOGRAPHIC,
  UNASSIGNED,
} from "./character-classes.ts";

export const NO_BREAK = 0;
export const MAY_BREAK = 1;
export const MUST_BREAK = 2;

const THAI_AND_NEIGHBORS =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\ua9e0-\ua9ff\uaa60-\uaadf]/;

/** Above the flags of characters: the character is U+25CC, which UAX 14 treats as an aksara. */
const DOTTED_CIRCLE = 1 << 14;
/** What is before the first unit and after the last one. */
const EDGE = 255;

/** Classes by name, as a table from class to 1 or 0. */
function setOf(names: string): Uint8Array {
  const set = new Uint8Array(256);
  for (const name of names.split(" ")) {
    set[name === "EDGE" ? EDGE : LB[name as keyof typeof LB]] = 1;
  }
  return set;
}

function has(set: Uint8Array, unit: number): boolean {
  return set[unit] === 1;
}

const LINE_ENDS = setOf("BK CR LF NL");
const NO_MARKS = setOf("EDGE BK CR LF NL SP ZW");
const NEVER_FIRST = setOf("BK CR LF NL SP ZW");
const LOOSE = setOf("SP BA HY HH");
const CLOSERS = setOf("CL CP EX SY");
const PARENTHESES = setOf("CL CP");
const BEFORE_OPENING_QUOTE = setOf("EDGE BK CR LF NL OP QU GL SP ZW");
const AFTER_CLOSING_QUOTE = setOf("EDGE BK CR LF NL SP GL WJ CL QU CP EX IS SY ZW");
const WORD_EDGES = setOf("EDGE BK CR LF NL SP ZW CB GL");
const HYPHENS = setOf("HY HH");
const STAY_WITH_BEFORE = setOf("BA HH HY NS IN");
const LETTERS = setOf("AL HL");
const LETTERS_AND_NUMBERS = setOf("AL HL NU");
const IDEOGRAPHS = setOf("ID EB EM");
const AFFIXES = setOf("PR PO");
const JOINED_NUMBERS = setOf("PR PO HY IS");
const HANGUL = setOf("JL JV JT H2 H3");
const AFTER_JL = setOf("JL JV H2 H3");
const BEFORE_JV = setOf("JV H2");
const AFTER_JV = setOf("JV JT");
const BEFORE_JT = setOf("JT H3");

/** Characters with the marks that belong to them (LB9), as two parallel arrays. */
interface Units {
  readonly count: number;
  readonly classes: Uint8Array;
  readonly flags: Uint16Array;
  /** Where each begins, in UTF-16. */
  readonly starts: Uint32Array;
  /** 1 if the last character is a zero-width joiner, after which there is no break (LB8a). */
  readonly joins: Uint8Array;
}

/**
 * Line breaks by UAX 14 for Unicode 17: an array with an entry for each UTF-16 unit, which says whether a line may or must
 * break before it; the first is `NO_BREAK`. Words of Thai, Lao, Khmer and Burmese are found by `Intl.Segmenter`.
 */
export function lineBreaks(text: string): Uint8Array {
  const breaks = standardLineBreaks(text);
  if (THAI_AND_NEIGHBORS.test(text)) {
    addDictionaryBreaks(text, breaks);
  }
  return breaks;
}

let dictionary: Intl.Segmenter | undefined;

function addDictionaryBreaks(text: string, breaks: Uint8Array): void {
  dictionary ??= new Intl.Segmenter("th", { granularity: "word" });
  for (let from = 0; from < text.length;) {
    let to = from;
    for (let length = 1; to < text.length; to += length) {
      const codePoint = text.codePointAt(to) ?? 0;
      length = codePoint > 0xffff ? 2 : 1;
      if (lineBreakOf(classOf(codePoint)) !== LB.SA) {
        break;
      }
    }
    for (const { index } of to > from ? dictionary.segment(text.slice(from, to)) : []) {
      if (index > 0 && breaks[from + index] === NO_BREAK) {
        breaks[from + index] = MAY_BREAK;
      }
    }
    from = to + 1;
  }
}

/** `lineBreaks` without a dictionary: letters of Thai and its neighbors keep together. */
export function standardLineBreaks(text: string): Uint8Array {
  const units = unitsOf(text);
  const { count, classes, starts } = units;
  const breaks = new Uint8Array(text.length);
  const place: Place = { solid: -1, indicators: 0, isNumber: false, isClosedNumber: false };
  for (let i = 0; i + 1 < count; i++) {
    const unit = classes[i] ?? EDGE;
    place.indicators = unit === LB.RI ? place.indicators + 1 : 0;
    place.isClosedNumber = place.isNumber && (unit === LB.CL || unit === LB.CP);
    place.isNumber = unit === LB.NU || (place.isNumber && (unit === LB.SY || unit === LB.IS));
    if (unit !== LB.SP) {
      place.solid = i;
    }
    breaks[starts[i + 1] ?? 0] = breakAfter(units, i, place);
  }
  return breaks;
}

/** What the units up to one are the end of; kept while going forward, so that no rule looks back far. */
interface Place {
  /** The last unit that is not a space. */
  solid: number;
  /** Number of regional indicators in a row. */
  indicators: number;
  /** NU (SY | IS)*. */
  isNumber: boolean;
  /** NU (SY | IS)* (CL | CP). */
  isClosedNumber: boolean;
}

/** For short texts, which are the most: it is read until the next call only. */
const SCRATCH_LENGTH = 256;
const SCRATCH = roomFor(SCRATCH_LENGTH);

function roomFor(length: number): Omit<Units, "count"> {
  return {
    classes: new Uint8Array(length),
    flags: new Uint16Array(length),
    starts: new Uint32Array(length),
    joins: new Uint8Array(length),
  };
}

function unitsOf(text: string): Units {
  const { classes, flags, starts, joins } =
    text.length <= SCRATCH_LENGTH ? SCRATCH : roomFor(text.length);
  let count = 0;
  for (let at = 0; at < text.length;) {
    const codePoint = text.codePointAt(at) ?? 0;
    const number = classOf(codePoint);
    const bits = flagsOf(number);
    let unit = lineBreakOf(number);
    joins[count] = 0;
    if (unit === LB.SA) {
      unit = (bits & MARK) !== 0 ? LB.CM : LB.AL;
    }
    if (unit === LB.CM || unit === LB.ZWJ) {
      const before = count === 0 ? EDGE : (classes[count - 1] ?? EDGE);
      if (!has(NO_MARKS, before)) {
        joins[count - 1] = unit === LB.ZWJ ? 1 : 0;
        at += codePoint > 0xffff ? 2 : 1;
        continue;
      }
      joins[count] = unit === LB.ZWJ ? 1 : 0;
      unit = LB.AL;
    }
    classes[count] = unit;
    flags[count] = codePoint === 0x25cc ? bits | DOTTED_CIRCLE : bits;
    starts[count] = at;
    count++;
    at += codePoint > 0xffff ? 2 : 1;
  }
  return { count, classes, flags, starts, joins };
}

function classAt({ classes, count }: Units, i: number): number {
  return i < 0 || i >= count ? EDGE : (classes[i] ?? EDGE);
}

/** 0 beyond the ends. */
function flagsAt({ flags, count }: Units, i: number): number {
  return i < 0 || i >= count ? 0 : (flags[i] ?? 0);
}

/** The break between units `i` and `i + 1`. The rules stand in the order of UAX 14; the first that applies decides. */
function breakAfter(units: Units, i: number, place: Place): number {
  const before = classAt(units, i);
  const after = classAt(units, i + 1);
  // LB4 and LB5.
  if (has(LINE_ENDS, before)) {
    return before === LB.CR && after === LB.LF ? NO_BREAK : MUST_BREAK;
  }
  // LB6 and LB7.
  if (has(NEVER_FIRST, after)) {
    return NO_BREAK;
  }
  // LB8 and LB8a.
  if (classAt(units, place.solid) === LB.ZW) {
    return MAY_BREAK;
  }
  if (units.joins[i] === 1) {
    return NO_BREAK;
  }
  const isOpen =
    besideGlue(before, after) ??
    throughSpaces(units, i, place.solid) ??
    besideQuotes(units, i) ??
    besideHyphens(units, i) ??
    inNumbers(units, i, place) ??
    inLetters(units, i, place);
  return isOpen ? MAY_BREAK : NO_BREAK;
}

/** LB11 to LB13: true for a break, false for none, undefined if a later rule decides. */
function besideGlue(before: number, after: number): boolean | undefined {
  if (before === LB.WJ || after === LB.WJ || before === LB.GL) {
    return false;
  }
  return (after === LB.GL && !has(LOOSE, before)) || has(CLOSERS, after) ? false : undefined;
}

/** LB14 to LB18. */
function throughSpaces(units: Units, i: number, solid: number): boolean | undefined {
  const [before, after, next] = [classAt(units, i), classAt(units, i + 1), classAt(units, i + 2)];
  const last = classAt(units, solid);
  if (last === LB.OP) {
    return false;
  }
  if (last === LB.QU && (flagsAt(units, solid) & INITIAL_QUOTE) !== 0) {
    if (has(BEFORE_OPENING_QUOTE, classAt(units, solid - 1))) {
      return false;
    }
  }
  if (after === LB.QU && (flagsAt(units, i + 1) & FINAL_QUOTE) !== 0) {
    if (has(AFTER_CLOSING_QUOTE, next)) {
      return false;
    }
  }
  if (after === LB.IS) {
    return before === LB.SP && next === LB.NU;
  }
  if ((has(PARENTHESES, last) && after === LB.NS) || (last === LB.B2 && after === LB.B2)) {
    return false;
  }
  return before === LB.SP ? true : undefined;
}

/** LB19, LB19a and LB20. */
function besideQuotes(units: Units, i: number): boolean | undefined {
  const [before, after] = [classAt(units, i), classAt(units, i + 1)];
  const isEastAsian = (at: number) => (flagsAt(units, at) & EAST_ASIAN) !== 0;
  if (after === LB.QU) {
    const isOpening = (flagsAt(units, i + 1) & INITIAL_QUOTE) !== 0;
    if (!isOpening || !isEastAsian(i) || !isEastAsian(i + 2)) {
      return false;
    }
  }
  if (before === LB.QU) {
    const isClosing = (flagsAt(units, i) & FINAL_QUOTE) !== 0;
    if (!isClosing || !isEastAsian(i + 1) || !isEastAsian(i - 1)) {
      return false;
    }
  }
  return before === LB.CB || after === LB.CB ? true : undefined;
}

/** LB20a to LB22. */
function besideHyphens(units: Units, i: number): boolean | undefined {
  const [before, after] = [classAt(units, i), classAt(units, i + 1)];
  const previous = classAt(units, i - 1);
  const isHyphen = has(HYPHENS, before);
  const isKept =
    (isHyphen && has(LETTERS, after) && has(WORD_EDGES, previous)) ||
    has(STAY_WITH_BEFORE, after) ||
    before === LB.BB ||
    (previous === LB.HL && isHyphen && after !== LB.HL) ||
    (before === LB.SY && after === LB.HL);
  return isKept ? false : undefined;
}

/** LB23 to LB25. */
function inNumbers(units: Units, i: number, place: Place): boolean | undefined {
  const [before, after] = [classAt(units, i), classAt(units, i + 1)];
  const isKept =
    (has(LETTERS, before) && (after === LB.NU || has(AFFIXES, after))) ||
    (has(LETTERS, after) && (before === LB.NU || has(AFFIXES, before))) ||
    (before === LB.PR && has(IDEOGRAPHS, after)) ||
    (has(IDEOGRAPHS, before) && after === LB.PO) ||
    (has(AFFIXES, after) && (place.isNumber || place.isClosedNumber)) ||
    (after === LB.NU && (has(JOINED_NUMBERS, before) || place.isNumber));
  return isKept || (has(AFFIXES, before) && after === LB.OP && isNumberAt(units, i + 2))
    ? false
    : undefined;
}

/** NU, or IS NU. */
function isNumberAt(units: Units, i: number): boolean {
  const next = classAt(units, i);
  return next === LB.NU || (next === LB.IS && classAt(units, i + 1) === LB.NU);
}

/** LB26 to LB31. */
function inLetters(units: Units, i: number, place: Place): boolean {
  const [before, after] = [classAt(units, i), classAt(units, i + 1)];
  return !(
    isHangulKept(before, after) ||
    (has(LETTERS, before) && has(LETTERS, after)) ||
    isAksaraKept(units, i) ||
    (before === LB.IS && has(LETTERS, after)) ||
    isBracketKept(units, i) ||
    (before === LB.RI && after === LB.RI && place.indicators % 2 === 1) ||
    (after === LB.EM && (before === LB.EB || isReservedPicture(flagsAt(units, i))))
  );
}

/** LB26 and LB27. */
function isHangulKept(before: number, after: number): boolean {
  return (
    (before === LB.JL && has(AFTER_JL, after)) ||
    (has(BEFORE_JV, before) && has(AFTER_JV, after)) ||
    (has(BEFORE_JT, before) && after === LB.JT) ||
    (has(HANGUL, before) && after === LB.PO) ||
    (before === LB.PR && has(HANGUL, after))
  );
}

/** LB30. */
function isBracketKept(units: Units, i: number): boolean {
  const [before, after] = [classAt(units, i), classAt(units, i + 1)];
  const isNarrow = (at: number) => (flagsAt(units, at) & EAST_ASIAN) === 0;
  return (
    (has(LETTERS_AND_NUMBERS, before) && after === LB.OP && isNarrow(i + 1)) ||
    (before === LB.CP && isNarrow(i) && has(LETTERS_AND_NUMBERS, after))
  );
}

/** LB30b. */
function isReservedPicture(flags: number): boolean {
  return (flags & PICTOGRAPHIC) !== 0 && (flags & UNASSIGNED) !== 0;
}

/** LB28a. */
function isAksaraKept(units: Units, i: number): boolean {
  const isBase = (at: number) =>
    classAt(units, at) === LB.AK || (flagsAt(units, at) & DOTTED_CIRCLE) !== 0;
  const isBaseOrStart = (at: number) => isBase(at) || classAt(units, at) === LB.AS;
  const [before, after] = [classAt(units, i), classAt(units, i + 1)];
  if (before === LB.AP) {
    return isBaseOrStart(i + 1);
  }
  if (isBaseOrStart(i)) {
    const isFinal = isBaseOrStart(i + 1) && classAt(units, i + 2) === LB.VF;
    return after === LB.VF || after === LB.VI || isFinal;
  }
  return before === LB.VI && isBaseOrStart(i - 1) && isBase(i + 1);
}
