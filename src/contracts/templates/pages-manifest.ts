import * as z from "zod";

const sha256 = z.string().describe("64 lower-case hex digits, of the file's bytes.");
const storageRef = z.string().describe("`storage://` and the path of the file.");

/** The pages that a render selected, with their files (docs/contract/templates.md#nodes). */
export const PagesManifest = z.strictObject({
  schema: z.literal("svc.design-pages-manifest/v1"),
  template_id: z.string(),
  revision: z.int().min(1).nullable(),
  version_id: z.string().nullable(),
  page_count: z.int().min(0).describe("Pages of the whole, selected or not."),
  pages: z.array(
    z.strictObject({
      page_number: z.int().min(1).describe("Number in the whole, from 1."),
      page_id: z.string(),
      label: z.string().describe("The number as it prints."),
      width: z.number().describe("In points."),
      height: z.number().describe("In points."),
      image: z
        .strictObject({
          storage_ref: storageRef,
          content_type: z.string(),
          width: z.int().describe("In pixels."),
          height: z.int().describe("In pixels."),
          size_bytes: z.int(),
          sha256,
        })
        .nullable()
        .describe("Null if the output has no page images."),
    }),
  ),
  pdf: z
    .strictObject({
      storage_ref: storageRef,
      page_count: z.int(),
      size_bytes: z.int(),
      sha256,
    })
    .nullable()
    .describe("Null if the output has no PDF."),
});
export type PagesManifest = z.infer<typeof PagesManifest>;
