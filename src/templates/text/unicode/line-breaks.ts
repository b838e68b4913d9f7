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
  /** The last unit that is no space. */
  solid: number;
  /** Number of regional indicators in a row. */
  indicators: number;
  /** NU (SY | IS)*. */
  isNumber: boolean;
  /** NU (SY | IS)* (CL | CP). */
  isClosedNumber: boolean;
}

function unitsOf(text: string): Units {
  const classes = new Uint8Array(text.length);
  const flags = new Uint16Array(text.length);
  const starts = new Uint32Array(text.length);
  const joins = new Uint8Array(text.length);
  let count = 0;
  for (let at = 0; at < text.length;) {
    const codePoint = text.codePointAt(at) ?? 0;
    const number = classOf(codePoint);
    const bits = flagsOf(number);
    let unit = lineBreakOf(number);
    if (unit === LB.SA) {
      unit = (bits & MARK) !== 0 ? LB.CM : LB.AL;
    }
    if (unit === LB.CM || unit === LB.ZWJ) {
      const before = count === 0 ? EDGE : (classes[count - 1] ?? EDGE);
      if (takesMarks(before)) {
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

function takesMarks(unit: number): boolean {
  switch (unit) {
    case EDGE:
    case LB.BK:
    case LB.CR:
    case LB.LF:
    case LB.NL:
    case LB.SP:
    case LB.ZW:
      return false;
    default:
      return true;
  }
}

/** The break between units `i` and `i + 1`. The rules stand in the order of UAX 14; the first that applies decides. */
function breakAfter(units: Units, i: number, place: Place): number {
  const before = units.classes[i] ?? EDGE;
  const after = units.classes[i + 1] ?? EDGE;
  // LB4 and LB5.
  if (before === LB.BK || before === LB.LF || before === LB.NL) {
    return MUST_BREAK;
  }
  if (before === LB.CR) {
    return after === LB.LF ? NO_BREAK : MUST_BREAK;
  }
  // LB6 and LB7.
  if (isLineEnd(after) || after === LB.SP || after === LB.ZW) {
    return NO_BREAK;
  }
  // LB8 and LB8a.
  if (units.classes[place.solid] === LB.ZW && place.solid >= 0) {
    return MAY_BREAK;
  }
  if (units.joins[i] === 1) {
    return NO_BREAK;
  }
  const isOpen =
    throughSpaces(units, i, place.solid) ??
    besideQuotes(units, i) ??
    besideHyphens(units, i) ??
    inNumbers(units, i, place) ??
    inLetters(units, i, place);
  return isOpen ? MAY_BREAK : NO_BREAK;
}

function isLineEnd(unit: number): boolean {
  return unit === LB.BK || unit === LB.CR || unit === LB.LF || unit === LB.NL;
}

/** LB11 to LB18: true for a break, false for none, undefined if a later rule decides. */
function throughSpaces(units: Units, i: number, solid: number): boolean | undefined {
  const { classes, flags } = units;
  const [before, after] = [classes[i] ?? EDGE, classes[i + 1] ?? EDGE];
  if (before === LB.WJ || after === LB.WJ || before === LB.GL) {
    return false;
  }
  if (after === LB.GL) {
    const isLoose = before === LB.SP || before === LB.BA || before === LB.HY || before === LB.HH;
    if (!isLoose) {
      return false;
    }
  }
  if (after === LB.CL || after === LB.CP || after === LB.EX || after === LB.SY) {
    return false;
  }
  const last = solid < 0 ? EDGE : (classes[solid] ?? EDGE);
  if (last === LB.OP) {
    return false;
  }
  if (last === LB.QU && ((flags[solid] ?? 0) & INITIAL_QUOTE) !== 0) {
    const opener = solid === 0 ? EDGE : (classes[solid - 1] ?? EDGE);
    const isOpening =
      opener === EDGE ||
      isLineEnd(opener) ||
      opener === LB.OP ||
      opener === LB.QU ||
      opener === LB.GL ||
      opener === LB.SP ||
      opener === LB.ZW;
    if (isOpening) {
      return false;
    }
  }
  const next = i + 2 < units.count ? (classes[i + 2] ?? EDGE) : EDGE;
  if (after === LB.QU && ((flags[i + 1] ?? 0) & FINAL_QUOTE) !== 0 && closesBefore(next)) {
    return false;
  }
  if (after === LB.IS) {
    return before === LB.SP && next === LB.NU;
  }
  if ((last === LB.CL || last === LB.CP) && after === LB.NS) {
    return false;
  }
  if (last === LB.B2 && after === LB.B2) {
    return false;
  }
  return before === LB.SP ? true : undefined;
}

/** What may follow a closing quotation mark in LB15b. */
function closesBefore(next: number): boolean {
  switch (next) {
    case EDGE:
    case LB.SP:
    case LB.GL:
    case LB.WJ:
    case LB.CL:
    case LB.QU:
    case LB.CP:
    case LB.EX:
    case LB.IS:
    case LB.SY:
    case LB.ZW:
      return true;
    default:
      return isLineEnd(next);
  }
}

/** LB19, LB19a and LB20. */
function besideQuotes({ classes, flags, count }: Units, i: number): boolean | undefined {
  const [before, after] = [classes[i] ?? EDGE, classes[i + 1] ?? EDGE];
  const [left, right] = [flags[i] ?? 0, flags[i + 1] ?? 0];
  if (after === LB.QU) {
    const next = i + 2 < count ? (flags[i + 2] ?? 0) : 0;
    if ((right & INITIAL_QUOTE) === 0 || (left & EAST_ASIAN) === 0 || (next & EAST_ASIAN) === 0) {
      return false;
    }
  }
  if (before === LB.QU) {
    const previous = i > 0 ? (flags[i - 1] ?? 0) : 0;
    if ((left & FINAL_QUOTE) === 0 || (right & EAST_ASIAN) === 0 || (previous & EAST_ASIAN) === 0) {
      return false;
    }
  }
  return before === LB.CB || after === LB.CB ? true : undefined;
}

/** LB20a to LB22. */
function besideHyphens({ classes }: Units, i: number): boolean | undefined {
  const [before, after] = [classes[i] ?? EDGE, classes[i + 1] ?? EDGE];
  const previous = i > 0 ? (classes[i - 1] ?? EDGE) : EDGE;
  const isHyphen = before === LB.HY || before === LB.HH;
  if (isHyphen && (after === LB.AL || after === LB.HL)) {
    const startsWord =
      previous === EDGE ||
      isLineEnd(previous) ||
      previous === LB.SP ||
      previous === LB.ZW ||
      previous === LB.CB ||
      previous === LB.GL;
    if (startsWord) {
      return false;
    }
  }
  if (
    after === LB.BA ||
    after === LB.HH ||
    after === LB.HY ||
    after === LB.NS ||
    before === LB.BB ||
    (previous === LB.HL && isHyphen && after !== LB.HL) ||
    (before === LB.SY && after === LB.HL) ||
    after === LB.IN
  ) {
    return false;
  }
  return undefined;
}

function isLetter(unit: number): boolean {
  return unit === LB.AL || unit === LB.HL;
}

function isIdeograph(unit: number): boolean {
  return unit === LB.ID || unit === LB.EB || unit === LB.EM;
}

/** LB23 to LB25. */
function inNumbers({ classes, count }: Units, i: number, place: Place): boolean | undefined {
  const [before, after] = [classes[i] ?? EDGE, classes[i + 1] ?? EDGE];
  const isAffix = before === LB.PR || before === LB.PO;
  const isAffixed = after === LB.PR || after === LB.PO;
  if (
    (isLetter(before) && (after === LB.NU || isAffixed)) ||
    (isLetter(after) && (before === LB.NU || isAffix)) ||
    (before === LB.PR && isIdeograph(after)) ||
    (isIdeograph(before) && after === LB.PO) ||
    (isAffixed && (place.isNumber || place.isClosedNumber)) ||
    (after === LB.NU && (isAffix || before === LB.HY || before === LB.IS || place.isNumber))
  ) {
    return false;
  }
  if (isAffix && after === LB.OP) {
    const next = i + 2 < count ? classes[i + 2] : EDGE;
    const second = i + 3 < count ? classes[i + 3] : EDGE;
    if (next === LB.NU || (next === LB.IS && second === LB.NU)) {
      return false;
    }
  }
  return undefined;
}

function isHangul(unit: number): boolean {
  return unit === LB.JL || unit === LB.JV || unit === LB.JT || unit === LB.H2 || unit === LB.H3;
}

/** LB26 to LB31. */
function inLetters(units: Units, i: number, place: Place): boolean {
  const { classes, flags } = units;
  const [before, after] = [classes[i] ?? EDGE, classes[i + 1] ?? EDGE];
  const [left, right] = [flags[i] ?? 0, flags[i + 1] ?? 0];
  const isKept =
    (before === LB.JL && isHangul(after) && after !== LB.JT) ||
    ((before === LB.JV || before === LB.H2) && (after === LB.JV || after === LB.JT)) ||
    ((before === LB.JT || before === LB.H3) && after === LB.JT) ||
    (isHangul(before) && after === LB.PO) ||
    (before === LB.PR && isHangul(after)) ||
    (isLetter(before) && isLetter(after)) ||
    isAksaraKept(units, i) ||
    (before === LB.IS && isLetter(after)) ||
    ((isLetter(before) || before === LB.NU) && after === LB.OP && (right & EAST_ASIAN) === 0) ||
    (before === LB.CP && (left & EAST_ASIAN) === 0 && (isLetter(after) || after === LB.NU)) ||
    (before === LB.RI && after === LB.RI && place.indicators % 2 === 1) ||
    (after === LB.EM && (before === LB.EB || isReservedPicture(left)));
  return !isKept;
}

function isReservedPicture(flags: number): boolean {
  return (flags & PICTOGRAPHIC) !== 0 && (flags & UNASSIGNED) !== 0;
}

/** LB28a. */
function isAksaraKept({ classes, flags, count }: Units, i: number): boolean {
  const isBase = (at: number, withStart: boolean): boolean => {
    const unit = at < 0 || at >= count ? EDGE : classes[at];
    return (
      unit === LB.AK ||
      (withStart && unit === LB.AS) ||
      (unit !== EDGE && ((flags[at] ?? 0) & DOTTED_CIRCLE) !== 0)
    );
  };
  const [before, after] = [classes[i], classes[i + 1]];
  if (before === LB.AP) {
    return isBase(i + 1, true);
  }
  if (isBase(i, true)) {
    return (
      after === LB.VF ||
      after === LB.VI ||
      (isBase(i + 1, true) && i + 2 < count && classes[i + 2] === LB.VF)
    );
  }
  return before === LB.VI && isBase(i - 1, true) && isBase(i + 1, false);
}
