import * as z from "zod";
import { listOf } from "../list.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/**
 * Maximum size of a font file (docs/contract/fonts.md#uploads). One megabyte is 1,048,576 bytes.
 */
export const FONT_FILE_BYTES_MAX = LIMITS.font_file.value;
export const FONT_FAMILY_BYTES_MAX = LIMITS.font_family.value;
/** Nine weights, upright and italic, make 18 variants; each file costs a trial run. */
export const FONT_FILES_MAX = LIMITS.font_files.value;

export const FontCategory = z.enum(["sans-serif", "serif", "monospace", "display", "handwriting"]);
export type FontCategory = z.infer<typeof FontCategory>;

export const FontScope = z.enum(["system", "workspace"]);
export type FontScope = z.infer<typeof FontScope>;

const familyGuid = z.string().describe("Id of the family, a GUID.");
const versionGuid = z.string().describe("Id of the revision, a GUID.");
const fileGuid = z.string().describe("Id of the file, a GUID.");
const sha256 = z.string().describe("64 lower-case hex digits, of the file's bytes.");
const variant = z.string().describe("Weight, with `-italic` where it is: `400`, `700-italic`.");

/** Permanent identifier of one file of one revision (docs/decisions/fonts.md). */
export const FontReference = z
  .object({
    schema: z.literal("svc.font-reference/v1").describe("Name of this contract."),
    familyGuid,
    versionGuid,
    fileGuid,
    variant,
    sha256,
  })
  .meta({ id: "FontReference" });
export type FontReference = z.infer<typeof FontReference>;

export const FontFile = z
  .object({
    fileGuid,
    variant,
    weight: z.int().min(1).max(1000).describe("Weight of the variant, from 1 to 1000."),
    style: z.enum(["normal", "italic"]).describe("Whether the variant is upright or italic."),
    format: z.enum(["ttf", "otf"]).describe("By its outlines: TrueType or CFF."),
    sizeBytes: z.int().positive().describe("Size of the file in bytes."),
    sha256,
    downloadUrl: z.string().describe("Needs the bearer token, as every route here."),
    reference: FontReference.describe("Stored by a document to refer to exactly this file."),
  })
  .meta({ id: "FontFile" });
export type FontFile = z.infer<typeof FontFile>;

/** docs/contract/fonts.md#families. */
export const FontFamily = z
  .object({
    familyGuid,
    family: z.string().describe("As the fonts themselves name it."),
    displayName: z.string().describe("Name of the family in this workspace."),
    category: FontCategory.describe("Kind of the family."),
    scope: FontScope.describe("`system` families ship with the service."),
    status: z.enum(["active", "archived"]).describe("`archived` families are hidden from lists."),
    systemFallbackFamilyGuid: z
      .string()
      .nullable()
      .describe(
        "The system family that stands in for missing characters; null if none was chosen.",
      ),
    versionGuid: z.string().describe("Id of the current revision, a GUID."),
    revisionNumber: z.int().positive().describe("Number of the current revision, from 1."),
    files: z.array(FontFile).describe("Of the current revision, by weight, upright first."),
  })
  .meta({ id: "FontFamily" });
export type FontFamily = z.infer<typeof FontFamily>;

export const FontFamilyList = listOf(FontFamily).meta({ id: "FontFamilyList" });
export type FontFamilyList = z.infer<typeof FontFamilyList>;

/** Response to an upload (docs/contract/fonts.md#uploads). */
export const FontRevision = z
  .object({
    familyGuid,
    versionGuid,
    revisionNumber: z.int().positive().describe("Number of the revision, from 1."),
    family: z.string().describe("As the fonts themselves name it."),
    fingerprint: z.string().describe("The same for the same variants with the same bytes."),
    fileCount: z.int().positive().describe("Files in the revision."),
  })
  .meta({ id: "FontRevision" });
export type FontRevision = z.infer<typeof FontRevision>;

/** The form of an upload, for the API reference only: the service reads the form as a stream. */
export const FontForm = z
  .object({
    displayName: z
      .string()
      .min(1)
      .max(LIMITS.name.value)
      .describe("Unique in the workspace, ignoring case; archived families keep their names."),
    category: FontCategory,
    licenseAcknowledged: z
      .literal("true")
      .describe("That you hold the license to use these files here."),
    files: z
      .array(z.string().meta({ format: "binary" }))
      .describe(
        "The field once for each file: one TTF or OTF a variant, weight 400 upright among them.",
      ),
    systemFallbackFamilyGuid: z
      .string()
      .optional()
      .describe("A family of scope `system`. Empty takes an earlier one away."),
  })
  .meta({ id: "FontForm" });
