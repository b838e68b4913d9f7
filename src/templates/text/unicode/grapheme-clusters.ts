import {
  classOf,
  clusterBreakOf,
  CONJUNCT_CONSONANT,
  CONJUNCT_EXTEND,
  CONJUNCT_LINKER,
  flagsOf,
  GCB,
  PICTOGRAPHIC,
} from "./character-classes.ts";

/** Whether the code points before it are a pictograph with extenders, then also with a joiner. */
const NO_PICTURE = 0;
const PICTURE = 1;
const JOINED_PICTURE = 2;

/** Whether the code points before it are a consonant with extenders, then also with a linker. */
const NO_CONJUNCT = 0;
const CONJUNCT = 1;
const LINKED_CONJUNCT = 2;

/**
 * The extended grapheme clusters of UAX 29: an array with an entry for each UTF-16 unit, 1 where a cluster begins. It does
 * not depend on the ICU of the machine, as `Intl.Segmenter` does.
 */
export function graphemeStarts(text: string): Uint8Array {
  const starts = new Uint8Array(text.length);
  let before: number = -1;
  let picture = NO_PICTURE;
  let conjunct = NO_CONJUNCT;
  let indicators = 0;
  for (let at = 0; at < text.length;) {
    const codePoint = text.codePointAt(at) ?? 0;
    const classes = classOf(codePoint);
    const [cluster, flags] = [clusterBreakOf(classes), flagsOf(classes)];
    const isJoined =
      (picture === JOINED_PICTURE && (flags & PICTOGRAPHIC) !== 0) ||
      (conjunct === LINKED_CONJUNCT && (flags & CONJUNCT_CONSONANT) !== 0) ||
      (cluster === GCB.Regional_Indicator && indicators % 2 === 1);
    starts[at] = before === -1 || (!isJoined && isBreak(before, cluster)) ? 1 : 0;
    if ((flags & PICTOGRAPHIC) !== 0) {
      picture = PICTURE;
    } else if (picture === PICTURE && cluster === GCB.ZWJ) {
      picture = JOINED_PICTURE;
    } else if (cluster !== GCB.Extend) {
      picture = NO_PICTURE;
    }
    if ((flags & CONJUNCT_CONSONANT) !== 0) {
      conjunct = CONJUNCT;
    } else if (conjunct !== NO_CONJUNCT && (flags & CONJUNCT_LINKER) !== 0) {
      conjunct = LINKED_CONJUNCT;
    } else if ((flags & CONJUNCT_EXTEND) === 0) {
      conjunct = NO_CONJUNCT;
    }
    indicators = cluster === GCB.Regional_Indicator ? indicators + 1 : 0;
    before = cluster;
    at += codePoint > 0xffff ? 2 : 1;
  }
  return starts;
}

/** GB3 to GB9b and GB999, between two neighbors. */
function isBreak(before: number, after: number): boolean {
  if (before === GCB.CR) {
    return after !== GCB.LF;
  }
  if (before <= GCB.Control && before !== GCB.Other) {
    return true;
  }
  switch (after) {
    case GCB.CR:
    case GCB.LF:
    case GCB.Control:
      return true;
    case GCB.Extend:
    case GCB.ZWJ:
    case GCB.SpacingMark:
      return false;
    case GCB.L:
    case GCB.LV:
    case GCB.LVT:
      return before !== GCB.L && before !== GCB.Prepend;
    case GCB.V:
      return !(before === GCB.L || before === GCB.V || before === GCB.LV || before === GCB.Prepend);
    case GCB.T:
      return !(
        before === GCB.V ||
        before === GCB.T ||
        before === GCB.LV ||
        before === GCB.LVT ||
        before === GCB.Prepend
      );
    default:
      return before !== GCB.Prepend;
  }
}
