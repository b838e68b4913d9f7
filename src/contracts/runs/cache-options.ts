import * as z from "zod";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/** In ascending order: of two sides, the lesser one counts. */
export const CACHE_MODES = ["off", "read", "read_write"] as const;

/** How a run or a node uses the results of other runs (docs/contract/cache.md). */
export const CacheOptions = z
  .strictObject({
    mode: z
      .enum(CACHE_MODES)
      .describe("`read`: takes results. `read_write`: also keeps its own for other runs."),
    max_age: z
      .int()
      .min(1)
      .max(LIMITS.cache_max_age.value)
      .optional()
      .describe("Oldest result that is taken, in seconds; without it, any that is kept."),
  })
  .meta({ id: "CacheOptions" });
export type CacheOptions = z.infer<typeof CacheOptions>;
