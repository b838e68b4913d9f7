import * as z from "zod";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/** The query of routes for one asset. A missing `path` is `invalid_request` (docs/contract/problems.md#codes). */
export const pathQuery = z.object({
  path: z
    .string({ error: "Name the asset: ?path= and the path that its upload returned." })
    .min(1, "Name the asset: ?path= and the path that its upload returned.")
    .max(LIMITS.asset_path.value)
    .describe("The asset's `path`."),
});

export const PATH_QUERY_CODES = { "query.path": "invalid_request" } as const;
