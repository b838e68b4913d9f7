import * as z from "zod";

/** `GET /api/v1/cache` (docs/contract/cache.md). */
export const CacheStatistics = z
  .object({
    entries: z.int().describe("Results that are kept for other runs."),
    bytes: z.int().describe("Their values and files."),
    max_bytes: z.int().describe("The most that the plan keeps; the longest unused go first."),
    hits: z.int().describe("Look-ups of this calendar month, UTC, that found a result."),
    misses: z.int().describe("Look-ups of this calendar month that found none."),
    credits_saved: z
      .number()
      .describe("What the results that were found this month had been charged, in credits."),
  })
  .meta({ id: "CacheStatistics" });
export type CacheStatistics = z.infer<typeof CacheStatistics>;
