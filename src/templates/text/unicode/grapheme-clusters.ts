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
  const before: Before = { cluster: GCB.Control, picture: 0, conjunct: 0, indicators: 0 };
  for (let at = 0; at < text.length;) {
    const codePoint = text.codePointAt(at) ?? 0;
    const classes = classOf(codePoint);
    const [cluster, flags] = [clusterBreakOf(classes), flagsOf(classes)];
    starts[at] = isBreak(before.cluster, cluster) && !isJoined(before, cluster, flags) ? 1 : 0;
    goOn(before, cluster, flags);
    at += codePoint > 0xffff ? 2 : 1;
  }
  return starts;
}

/** What the code points before one are the end of. */
interface Before {
  cluster: number;
  picture: number;
  conjunct: number;
  /** Number of regional indicators in a row. */
  indicators: number;
}

/** GB9c, GB11, GB12 and GB13. */
function isJoined(
  { picture, conjunct, indicators }: Before,
  cluster: number,
  flags: number,
): boolean {
  return (
    (picture === JOINED_PICTURE && (flags & PICTOGRAPHIC) !== 0) ||
    (conjunct === LINKED_CONJUNCT && (flags & CONJUNCT_CONSONANT) !== 0) ||
    (cluster === GCB.Regional_Indicator && indicators % 2 === 1)
  );
}

function goOn(before: Before, cluster: number, flags: number): void {
  if ((flags & PICTOGRAPHIC) !== 0) {
    before.picture = PICTURE;
  } else if (before.picture === PICTURE && cluster === GCB.ZWJ) {
    before.picture = JOINED_PICTURE;
  } else if (cluster !== GCB.Extend) {
    before.picture = NO_PICTURE;
  }
  if ((flags & CONJUNCT_CONSONANT) !== 0) {
    before.conjunct = CONJUNCT;
  } else if (before.conjunct !== NO_CONJUNCT && (flags & CONJUNCT_LINKER) !== 0) {
    before.conjunct = LINKED_CONJUNCT;
  } else if ((flags & CONJUNCT_EXTEND) === 0) {
    before.conjunct = NO_CONJUNCT;
  }
  before.indicators = cluster === GCB.Regional_Indicator ? before.indicators + 1 : 0;
  before.cluster = cluster;
}

/** Hangul: what follows each without a break (GB6 to GB8), and what follows everything (GB9, GB9a). */
const KEPT: Readonly<Record<number, readonly number[]>> = {
  [GCB.L]: [GCB.L, GCB.V, GCB.LV, GCB.LVT],
  [GCB.LV]: [GCB.V, GCB.T],
  [GCB.V]: [GCB.V, GCB.T],
  [GCB.LVT]: [GCB.T],
  [GCB.T]: [GCB.T],
};

/** GB3 to GB9b and GB999, between two neighbors. */
function isBreak(before: number, after: number): boolean {
  if (before === GCB.CR) {
    return after !== GCB.LF;
  }
  if (isControl(before) || isControl(after)) {
    return true;
  }
  const isExtender = after === GCB.Extend || after === GCB.ZWJ || after === GCB.SpacingMark;
  return !isExtender && before !== GCB.Prepend && KEPT[before]?.includes(after) !== true;
}

function isControl(cluster: number): boolean {
  return cluster === GCB.CR || cluster === GCB.LF || cluster === GCB.Control;
}
