/** The parts of a CFF table; omitted parts are harmless. */
export interface CffSpec {
  readonly charstrings: readonly (readonly number[])[];
  readonly globalSubrs?: readonly (readonly number[])[];
  readonly localSubrs?: readonly (readonly number[])[];
  readonly names?: readonly (readonly number[])[];
  /** Entries before the standard ones: operands and operator, encoded. */
  readonly top?: readonly number[];
  /** Replaces the correct offset. */
  readonly charstringsAt?: number;
  readonly privateSize?: number;
  /** Tables that a CID font has; both together make it one. */
  readonly fdSelect?: readonly number[];
  readonly charset?: readonly number[];
}

const [CHARSET, CHARSTRINGS, PRIVATE, SUBRS] = [15, 17, 18, 19];

/** Number in a CFF dictionary, always in five bytes, so that offsets do not move. */
const long = (value: number): number[] => [
  29,
  (value >>> 24) & 0xff,
  (value >>> 16) & 0xff,
  (value >>> 8) & 0xff,
  value & 0xff,
];

/** A byte string list (INDEX) with offsets of four bytes. */
export function cffIndex(entries: readonly (readonly number[])[]): number[] {
  if (entries.length === 0) {
    return [0, 0];
  }
  const offsets = [1];
  for (const { length } of entries) {
    offsets.push((offsets.at(-1) ?? 1) + length);
  }
  return [
    entries.length >> 8,
    entries.length & 0xff,
    4,
    ...offsets.flatMap((offset) => long(offset).slice(1)),
    ...entries.flat(),
  ];
}

/** A CFF table. Subroutine numbers in programs are biased by 107. */
export function makeCff(spec: CffSpec): Uint8Array<ArrayBuffer> {
  const locals = spec.localSubrs === undefined ? [] : cffIndex(spec.localSubrs);
  const privateDict = spec.localSubrs === undefined ? [] : [...long(6), SUBRS];
  const charset = spec.charset ?? [];
  const charstrings = cffIndex(spec.charstrings);
  const isCid = spec.fdSelect !== undefined;
  const build = (at: {
    charset: number;
    charstrings: number;
    privateDict: number;
    fdArray: number;
    fdSelect: number;
  }): { head: number[]; fdArray: number[] } => {
    const ownPrivate = [
      ...long(spec.privateSize ?? privateDict.length),
      ...long(at.privateDict),
      PRIVATE,
    ];
    const top = [
      ...(isCid ? [...long(1), ...long(2), ...long(0), 12, 30] : []),
      ...(spec.top ?? []),
      ...(spec.charset === undefined ? [] : [...long(at.charset), CHARSET]),
      ...long(spec.charstringsAt ?? at.charstrings),
      CHARSTRINGS,
      ...(isCid ? [...long(at.fdArray), 12, 36, ...long(at.fdSelect), 12, 37] : ownPrivate),
    ];
    return {
      head: [
        1,
        0,
        4,
        4,
        ...cffIndex(spec.names ?? [[65]]),
        ...cffIndex([top]),
        ...cffIndex([]),
        ...cffIndex(spec.globalSubrs ?? []),
      ],
      fdArray: isCid ? cffIndex([ownPrivate]) : [],
    };
  };
  const none = { charset: 0, charstrings: 0, privateDict: 0, fdArray: 0, fdSelect: 0 };
  const measured = build(none);
  const at = { ...none, charset: measured.head.length };
  at.charstrings = at.charset + charset.length;
  at.privateDict = at.charstrings + charstrings.length;
  at.fdArray = at.privateDict + privateDict.length + locals.length;
  at.fdSelect = at.fdArray + measured.fdArray.length;
  const { head, fdArray } = build(at);
  const parts = [head, charset, charstrings, privateDict, locals, fdArray, spec.fdSelect ?? []];
  return Uint8Array.from(parts.flat());
}

/** A program that draws a triangle. */
export const TRIANGLE: readonly number[] = [139, 139, 21, 239, 6, 239, 7, 14];

/** Calls subroutine `index` of a list of fewer than 1,240: bias 107. */
export const callLocal = (index: number): number[] => [28, ...short(index - 107), 10];
export const callGlobal = (index: number): number[] => [28, ...short(index - 107), 29];

function short(value: number): number[] {
  return [(value >> 8) & 0xff, value & 0xff];
}
