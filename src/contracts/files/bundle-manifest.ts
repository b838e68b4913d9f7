/** Bundle manifests: named lists of stored files (docs/contract/bundles.md#manifests, docs/contract/bundles.md#validate). */
import * as z from "zod";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

export const BUNDLE_SCHEMA = "svc.bundle-manifest/v1";
/** Each entry is opened and read completely for its checksum, so more would not fit one request. */
export const BUNDLE_ASSETS_MAX = LIMITS.bundle_assets.value;
export const STORAGE_SCHEME = "storage://";

const Metadata = z.record(z.string(), z.unknown());
const idField = z.string().min(1).max(LIMITS.identifier.value);

/** One entry as sent; `metadata` is optional, and `sha256` is optional if the policy allows it. */
export const BundleEntry = z.strictObject({
  id: idField.describe("Id of the entry, unique in the bundle."),
  relativePath: z
    .string()
    .max(LIMITS.bundle_path_given.value)
    .describe("Portable: see the guide on bundles."),
  storageRef: z.string().describe("`storage://` and the asset's path."),
  mediaType: z.string().min(1).max(LIMITS.identifier.value).describe("Media type of the file."),
  sizeBytes: z.int().nonnegative().describe("Size of the file in bytes."),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "must be 64 lower-case hex digits")
    .optional()
    .describe("SHA-256 of the file as 64 lower-case hex digits."),
  metadata: Metadata.default({}).describe("Values that the author keeps with the file."),
});
export type BundleEntry = z.infer<typeof BundleEntry>;

export const BundleManifest = z
  .object({
    schema: z.literal(BUNDLE_SCHEMA).describe("Name of this contract."),
    bundleId: z.string().describe("Id that the author gave the bundle."),
    assets: z.array(BundleEntry).describe("The files of the bundle."),
  })
  .meta({ id: "BundleManifest" });
export type BundleManifest = z.infer<typeof BundleManifest>;

export const BUNDLE_ISSUES = [
  "INVALID_MANIFEST",
  "DUPLICATE_ASSET_ID",
  "INVALID_RELATIVE_PATH",
  "DUPLICATE_RELATIVE_PATH",
  "ASSET_SIZE_MISMATCH",
  "ASSET_MEDIA_TYPE_MISMATCH",
  "ASSET_CONTENT_SIGNATURE_MISMATCH",
  "CHECKSUM_MISSING",
  "ASSET_CHECKSUM_MISMATCH",
] as const;

export const BundleIssue = z.object({
  code: z.enum(BUNDLE_ISSUES).describe("Stable code of the issue."),
  path: z.string().describe("JSON path in the manifest."),
  asset_id: z.string().optional().describe("The `id` of the entry that has the issue."),
  message: z.string().describe("What is wrong, for people."),
});
export type BundleIssue = z.infer<typeof BundleIssue>;

export const BundleValidation = z
  .object({
    bundle: BundleManifest.describe("With the entries that were accepted."),
    supplied_asset_count: z.int().describe("Entries that were sent."),
    asset_count: z.int().describe("Entries that were accepted."),
    valid: z.boolean().describe("Whether there are no issues."),
    issues: z.array(BundleIssue).describe("Every problem of every entry."),
  })
  .meta({ id: "BundleValidation" });
export type BundleValidation = z.infer<typeof BundleValidation>;

export const BUNDLE_MODES = ["fail", "warn"] as const;
export const CHECKSUM_POLICIES = ["always", "if_present", "never"] as const;
export type ChecksumPolicy = (typeof CHECKSUM_POLICIES)[number];

export const ValidateBundle = z.strictObject({
  manifest: z.record(z.string(), z.unknown()),
  validation: z.enum(BUNDLE_MODES).default("fail"),
  verify_checksum: z.enum(CHECKSUM_POLICIES).default("if_present"),
});

export const ComposeBundle = z.strictObject({
  bundle_id: idField,
  include_checksum: z.boolean().default(true),
  assets: z
    .array(
      z.strictObject({
        asset_path: z.string().min(1).max(LIMITS.asset_path.value),
        file_name: z.string().min(1).max(LIMITS.asset_path.value).optional(),
        id: idField.optional(),
        relative_path: z.string().max(LIMITS.bundle_path_given.value).optional(),
        metadata: Metadata.default({}),
      }),
    )
    .max(BUNDLE_ASSETS_MAX),
});
export type ComposeBundle = z.infer<typeof ComposeBundle>;

/** The runner's checks that a run's node uses. */
export interface BundleTools {
  /**
   * Throws NodeError if storage is missing or belongs to another workspace; these are never
   * reported as issues.
   */
  validate(manifest: JsonValue, policy: ChecksumPolicy): Promise<BundleValidation>;
}
