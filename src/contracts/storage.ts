import * as z from "zod";
import { ASSET_KINDS } from "./asset-types.ts";

const bytes = z.int().nonnegative();

/** docs/contract/access.md#storage. */
export const StorageUsage = z
  .object({
    total_bytes: bytes,
    file_count: z.int().nonnegative(),
    breakdown: z.array(
      z.object({
        category: z
          .string()
          .describe(
            `${ASSET_KINDS.join(", ")}: assets; font: fonts, the same bytes once; outputs: files of runs; upload_sessions: held for open ones.`,
          ),
        total_bytes: bytes,
        file_count: z.int().nonnegative(),
      }),
    ),
  })
  .meta({ id: "StorageUsage" });
export type StorageUsage = z.infer<typeof StorageUsage>;

export const StorageQuota = z
  .object({
    current_bytes: bytes,
    max_bytes: bytes.nullable().describe("null without a quota."),
    usage_percent: z.number().min(0).max(100),
    is_warning: z.boolean().describe("From 80 % on."),
    is_blocked: z.boolean().describe("Nothing more can be stored."),
  })
  .meta({ id: "StorageQuota" });
export type StorageQuota = z.infer<typeof StorageQuota>;
