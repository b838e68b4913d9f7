/** [E41] Whether a node's elements may be taken from the result cache, and kept in it. */
import { CACHE_MODES, type CacheOptions } from "../../contracts/runs/cache-options.ts";
import { isCacheableAlways } from "./elsewhere.ts";

/**
 * `always`: deterministic, without effects outside, and worth a look-up. `explicit`: only where the node itself names a
 * mode. `never`: the others.
 */
export type Cacheable = "always" | "explicit" | "never";

export function cacheableOf(type: string): Cacheable {
  return isCacheableAlways(type) ? "always" : type.startsWith("ai/") ? "explicit" : "never";
}

/** How the elements of a node use the cache. */
export interface CacheUse {
  readonly writes: boolean;
  /** Seconds; null for any age. */
  readonly maxAge: number | null;
}

/**
 * [E41] Returns how a node uses the cache under the options of its run, each undefined if not given; undefined if it does
 * not. The lesser mode and the smaller age count; a side that says nothing takes the other's.
 */
export function cacheUse(
  type: string,
  node: CacheOptions | undefined,
  run: CacheOptions | undefined,
): CacheUse | undefined {
  const cacheable = cacheableOf(type);
  if (cacheable === "never" || (cacheable === "explicit" && node === undefined)) {
    return undefined;
  }
  const sides = [node, run].filter((side) => side !== undefined);
  const rank = Math.min(...sides.map(({ mode }) => CACHE_MODES.indexOf(mode)));
  if (sides.length === 0 || rank === 0) {
    return undefined;
  }
  const age = Math.min(...sides.map(({ max_age = Infinity }) => max_age));
  return {
    writes: CACHE_MODES[rank] === "read_write",
    maxAge: Number.isFinite(age) ? age : null,
  };
}
