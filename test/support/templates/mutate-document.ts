/** Random changes of design documents: the fuzzers' supply of documents of every wrong shape, and of valid ones. */
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";

/** Mulberry32: the same documents in each run. */
export function randomOf(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const STRANGE: readonly JsonValue[] = [
  null,
  true,
  -1,
  0.5,
  1e308,
  20_000,
  "",
  "x",
  "#GGGGGG",
  "\u0000",
  "\udfff",
  "NaN",
  "M0 0L-Infinity 0",
  [],
  [[]],
  {},
  { $type: "text" },
  { __proto__: null, field: "title", operator: "equals" },
  "00000000-0000-4000-8000-000000000101",
  "text",
  "continue",
  { all: [{ all: [] }] },
];

interface Spot {
  readonly holder: Record<string, JsonValue> | JsonValue[];
  readonly key: string | number;
}

function spotsOf(value: JsonValue, found: Spot[] = []): Spot[] {
  if (typeof value === "object" && value !== null) {
    for (const key of Object.keys(value)) {
      const at = Array.isArray(value) ? Number(key) : key;
      found.push({ holder: value as never, key: at });
      spotsOf((value as never)[key], found);
    }
  }
  return found;
}

/** One to three changes: another value, a value from elsewhere, a member removed, doubled or added. */
export function mutate(document: JsonValue, random: (below: number) => number): void {
  for (let left = 1 + random(3); left > 0; left -= 1) {
    const spots = spotsOf(document);
    const { holder, key } = spots[random(spots.length)] as Spot;
    const other = spots[random(spots.length)] as Spot;
    const members = holder as Record<string | number, JsonValue>;
    switch (random(5)) {
      case 0:
        members[key] = structuredClone(STRANGE[random(STRANGE.length)] as JsonValue);
        break;
      case 1:
        members[key] = structuredClone((other.holder as typeof members)[other.key] as JsonValue);
        break;
      case 2:
        if (Array.isArray(holder)) {
          holder.splice(Number(key), 1);
        } else {
          delete members[key];
        }
        break;
      case 3:
        if (Array.isArray(holder)) {
          holder.push(structuredClone(members[key] as JsonValue));
        } else {
          members[`${key}x`] = 1;
        }
        break;
      default:
        members[String(other.key)] = structuredClone(STRANGE[random(STRANGE.length)] as JsonValue);
    }
  }
}

/** Whether a problem's path names a place of the document: it, or the object that lacks it, is there. */
export function pathExists(document: JsonValue, path: string): boolean {
  const keys = [...path.matchAll(/\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\.?([^.[\]]+)/g)].map(
    ([, index, quoted, plain]) =>
      index === undefined
        ? quoted === undefined
          ? (plain ?? "")
          : JSON.parse(`"${quoted}"`)
        : Number(index),
  ) as (string | number)[];
  let at: JsonValue | undefined = document;
  for (const [i, key] of keys.entries()) {
    if (typeof at !== "object" || at === null) {
      return false;
    }
    const isLast = i === keys.length - 1;
    if (!isLast && !Object.hasOwn(at, key)) {
      return false;
    }
    at = (at as Record<string | number, JsonValue>)[key];
  }
  return true;
}
