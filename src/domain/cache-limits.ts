/**
 * Caches in an isolate of the API Worker, so that most requests ask neither D1 nor what isolates share.
 * bench/scale/simulate-shared-reads.ts calculates the remaining reads from these values
 * (docs/scaling.md).
 */
export const CACHE_LIMITS = {
  /**
   * A revoked key's tokens must stop working within 60 s (docs/contract/access.md#tokens); the
   * cache may use half of that.
   */
  keys: { ttlMs: 30_000, refreshMs: 15_000, entriesMax: 5_000 },
  /** By code. A change by the operator reaches every isolate within the first time. */
  plans: { ttlMs: 30_000, refreshMs: 15_000, entriesMax: 5_000 },
  /** The providers of the system and of a workspace: up to 100 models each, so only a few are kept. */
  providers: { ttlMs: 30_000, refreshMs: 15_000, entriesMax: 200 },
  /**
   * In characters of text: a definition, also a small one, takes about ten times as many bytes when
   * parsed and compiled (bench/scale/weigh-definitions.ts). `each` is for the entry itself.
   */
  definitions: { charsMax: 2 * 1024 * 1024, each: 128, bytesOfChar: 10 },
} as const;
