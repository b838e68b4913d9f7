/**
 * What an isolate of the API Worker keeps of what D1 knows, so that most requests ask D1 nothing.
 * bench/scale/simulate-d1-reads.ts computes from these what D1 is still asked (docs/scaling.md).
 */
export const CACHE_LIMITS = {
  /** A revoked key stops its live tokens within 60 s (docs/contract/access.md#tokens); half of that is ours to spend. */
  keys: { ttlMs: 30_000, refreshMs: 15_000, entriesMax: 5_000 },
  /** Of a workspace. A change by the operator reaches every isolate within the first. */
  plans: { ttlMs: 30_000, refreshMs: 15_000, entriesMax: 5_000 },
  /**
   * In characters of text: parsed and compiled, a definition takes some ten times as many bytes, a
   * small one too (bench/scale/weigh-definitions.ts). `each` is for the entry itself.
   */
  definitions: { charsMax: 2 * 1024 * 1024, each: 128, bytesOfChar: 10 },
} as const;
