import * as z from "zod";
import { listOf } from "../list.ts";
import { Name } from "../name.ts";

/** docs/contract/templates.md#color-profiles. */
export const ColorProfile = z
  .object({
    guid: z.string().describe("Id of the profile, a GUID."),
    name: z.string().describe("The output intent's `Info` in a PDF/X-4."),
    output_condition_identifier: z
      .string()
      .describe("The output intent's `OutputConditionIdentifier`, such as `FOGRA39`."),
    color_space: z.enum(["CMYK", "RGB", "GRAY"]).describe("The colors that the press takes."),
    sha256: z.string().describe("64 lower-case hex digits, of the profile's bytes."),
    size_bytes: z.int().positive().describe("Size of the profile in bytes."),
    created_at: z.iso.datetime().describe("When the profile was created."),
  })
  .meta({ id: "ColorProfile" });
export type ColorProfile = z.infer<typeof ColorProfile>;

export const ColorProfileList = listOf(ColorProfile).meta({ id: "ColorProfileList" });
export type ColorProfileList = z.infer<typeof ColorProfileList>;

/** Registered names are those of the ICC's registry; `Custom` is the one for a condition that has none. */
export const UNREGISTERED_CONDITION = "Custom";

export const CreateColorProfile = z
  .strictObject({
    asset_path: z
      .string({ error: "Name the asset: its path as the upload returned it." })
      .min(1, "Name the asset: its path as the upload returned it.")
      .describe("Path of an uploaded `.icc` file. The profile is a copy and outlives the asset."),
    name: Name.describe("The output intent's `Info`: what the press is called."),
    output_condition_identifier: Name.default(UNREGISTERED_CONDITION).describe(
      "Name of the printing condition, such as `FOGRA39`.",
    ),
  })
  .meta({ id: "CreateColorProfile" });
export type CreateColorProfile = z.output<typeof CreateColorProfile>;

/** A profile for the renderer, and as definitions and runs keep it. */
export interface ReferencedColorProfile {
  readonly guid: string;
  readonly name: string;
  readonly output_condition_identifier: string;
  readonly sha256: string;
  readonly size_bytes: number;
  /** Of its bytes in the store, which are never deleted. */
  readonly key: string;
}
