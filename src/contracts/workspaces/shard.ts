import * as z from "zod";

/** Number of a shard, in a body. */
export const ShardNumber = z.int().min(0).max(63);

export const Shard = z
  .object({
    shard: z.int().describe("Number of the shard; 0 has the directory, too."),
    binding: z.string().describe("Name of its D1 binding."),
    organizations: z.int().describe("Number of organizations that are at home there."),
    size_bytes: z.int().nullable().describe("Size of its database; null if it does not respond."),
    is_open: z.boolean().describe("Whether new organizations may come to it."),
  })
  .meta({ id: "Shard" });
export type Shard = z.infer<typeof Shard>;
