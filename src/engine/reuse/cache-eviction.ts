/** What the objects of a workspace's result cache evict when they hold more than its plan allows. */
import type { CacheSize } from "../../contracts/runs/result-cache.ts";

/** The part of the plan's figure that an eviction frees beyond it, so that the next writes need none. */
const ROOM = 1 / 64;
/** Results whose last uses differ by less than this part of the oldest one's age are unused for equally long. */
const EQUAL_AGE = 1 / 16;
const EQUAL_AGE_MIN_MS = 60_000;

export interface Eviction {
  /** Of the object that evicts. */
  readonly digit: string;
  readonly bytes: number;
  /** Only what was not used after this. */
  readonly untilMs: number;
}

/** Bytes that an eviction leaves when there are more than `max`. */
export function roomyMax(max: number): number {
  return max - Math.floor(max * ROOM);
}

/** Bytes by which an object may grow before it tells the one that counts. All sixteen grow by half of the room at most. */
export function untoldMax(max: number): number {
  return Math.floor((max * ROOM) / 32);
}

/** Bytes that these objects hold beyond `max`; negative below it. */
export function bytesOver(parts: ReadonlyMap<string, CacheSize>, max: number): number {
  return [...parts.values()].reduce((sum, { bytes }) => sum + bytes, -max);
}

/**
 * The next eviction, which is a call: of the object that has the longest unused result, up to about the age of those of the
 * others. Null if these objects hold at most `max` bytes.
 */
export function nextEviction(
  parts: ReadonlyMap<string, CacheSize>,
  max: number,
  nowMs: number,
): Eviction | null {
  const bytes = bytesOver(parts, max);
  const held = [...parts].flatMap(([digit, { oldest_ms: at }]) =>
    at === null ? [] : [{ digit, at }],
  );
  const [oldest, next] = held.toSorted((a, b) => a.at - b.at);
  if (bytes <= 0 || oldest === undefined) {
    return null;
  }
  const equalMs = Math.max(EQUAL_AGE_MIN_MS, Math.floor((nowMs - oldest.at) * EQUAL_AGE));
  const untilMs = next === undefined ? Number.MAX_SAFE_INTEGER : next.at + equalMs;
  return { digit: oldest.digit, bytes, untilMs };
}
