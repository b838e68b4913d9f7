import * as z from "zod";

/** The paginated envelope of every list (docs/contract/conventions.md#lists). */
export function listOf<T extends z.ZodType>(item: T) {
  return z.object({
    data: z.array(item).describe("The items of this page."),
    has_more: z.boolean().describe("Whether more pages exist; stop when false."),
    next_cursor: z.string().nullable().describe("Pass as `starting_after` for the next page."),
    total_count: z.int().describe("How many match in all."),
  });
}
