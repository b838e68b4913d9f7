import * as z from "zod";
import { ASSET_KINDS } from "./asset-types.ts";

const bytes = z.int().nonnegative();

/** docs/contract/access.md#storage. */
export const StorageUsage = z
  .object({
    total_bytes: bytes.describe("Bytes stored in all categories."),
    file_count: z.int().nonnegative().describe("Files stored in all categories."),
    breakdown: z
      .array(
        z.object({
          category: z
            .string()
            .describe(
              `Kinds of assets: ${ASSET_KINDS.join(", ")}; font: fonts, the same bytes once; outputs: files of runs; cache: values of results that are kept for other runs; upload_sessions: held for open ones.`,
            ),
          total_bytes: bytes.describe("Bytes stored in the category."),
          file_count: z.int().nonnegative().describe("Files stored in the category."),
        }),
      )
      .describe("The same by category."),
  })
  .meta({ id: "StorageUsage" });
export type StorageUsage = z.infer<typeof StorageUsage>;

export const StorageQuota = z
  .object({
    current_bytes: bytes.describe("Bytes stored, open upload sessions included."),
    max_bytes: bytes.nullable().describe("Bytes that may be stored; null without a quota."),
    usage_percent: z
      .number()
      .min(0)
      .max(100)
      .describe("Share of the quota that is used, from 0 to 100."),
    is_warning: z.boolean().describe("From 80 % on."),
    is_blocked: z.boolean().describe("Nothing more can be stored."),
  })
  .meta({ id: "StorageQuota" });
export type StorageQuota = z.infer<typeof StorageQuota>;
