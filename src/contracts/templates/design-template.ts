import * as z from "zod";
import { HEX_COLOR } from "../../lib/hex-color.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { LayoutReport } from "./layout-report.ts";
import { listOf } from "../list.ts";
import { Name } from "../name.ts";
import { timestampField } from "../timestamp.ts";

export const TemplateStatus = z.enum(["draft", "published", "archived"]);
export type TemplateStatus = z.infer<typeof TemplateStatus>;

/** A design template (docs/contract/templates.md#revisions). */
export const DesignTemplate = z
  .object({
    id: z.string().describe("Id of the template, `tpl_…`."),
    name: z.string().describe("Name that its author gave."),
    description: z.string().describe("Description that its author gave; may be empty."),
    tags: z.array(z.string()).describe("Tags that lists filter by."),
    status: TemplateStatus.describe("Only a `published` template can be chosen for a new node."),
    latest_revision: z.int().describe("The latest published revision; 0 before the first."),
    latest_version_id: z
      .string()
      .nullable()
      .describe("Id of that revision, `tplv_…`; null before the first."),
    page_count: z.int().describe("Pages of the draft."),
    draft_etag: z.string().describe("The draft's ETag, without quotes."),
    has_unpublished_changes: z
      .boolean()
      .describe("Whether the draft differs from the latest published revision."),
    source: z
      .object({
        kind: z.enum(["duplicate", "share"]).describe("How the template was copied."),
        revision: z
          .int()
          .nullable()
          .describe("The revision that was copied; null if it was a draft."),
      })
      .nullable()
      .describe("Where the first content came from; null if it was given."),
    created_at: timestampField.describe("When the template was created."),
    updated_at: timestampField.describe("When the template or its draft last changed."),
  })
  .meta({ id: "DesignTemplate" });
export type DesignTemplate = z.infer<typeof DesignTemplate>;
export const DesignTemplateList = listOf(DesignTemplate).meta({ id: "DesignTemplateList" });

/** One published revision of a template. */
export const TemplateVersion = z
  .object({
    id: z.string().describe("Id of the revision, `tplv_…`."),
    template_id: z.string().describe("Id of its template, `tpl_…`."),
    revision: z.int().describe("Number of the revision, from 1."),
    is_current: z.boolean().describe("The latest published revision."),
    content_hash: z
      .string()
      .describe("`sha256:` and the hex digest of the document's canonical JSON."),
    contract_hash: z
      .string()
      .describe("`sha256:` and the hex digest of the contract's canonical JSON."),
    page_count: z.int().describe("Pages of the document."),
    published_at: timestampField.describe("When the revision was published."),
  })
  .meta({ id: "DesignTemplateVersion" });
export type TemplateVersion = z.infer<typeof TemplateVersion>;
export const TemplateVersionList = listOf(TemplateVersion).meta({
  id: "DesignTemplateVersionList",
});

const description = z
  .string()
  .max(LIMITS.workflow_description.value)
  .refine((text) => text.isWellFormed() && !text.includes("\0"), "Must be well-formed text");
const tags = z
  .array(Name.max(LIMITS.tag.value))
  .max(LIMITS.tags.value)
  .transform((list) => [...new Set(list)]);

export const CreateTemplateBody = z.strictObject({
  name: Name,
  description: description.default(""),
  tags: tags.default([]),
  content: z.unknown().optional().describe("A design document; one empty A4 page when left out."),
});

export const PatchTemplateBody = z.strictObject({
  name: Name.optional(),
  description: description.optional(),
  tags: tags.optional(),
});
export type PatchTemplateBody = z.infer<typeof PatchTemplateBody>;

export const DuplicateTemplateBody = z.strictObject({
  revision: z.int().min(1).optional().describe("A published revision; the draft when left out."),
  name: Name.optional().describe("The name with ` (copy)` when left out."),
});
export type DuplicateTemplateBody = z.infer<typeof DuplicateTemplateBody>;

/** A design document in a response; `svc.design-document/2.0` is its whole schema. */
export const StoredDocument = z
  .looseObject({
    schemaVersion: z.string().describe("Always `2.0`."),
    pages: z.array(z.looseObject({})).describe("The pages, in order."),
  })
  .meta({ id: "StoredDesignDocument" });

const draftEtagField = z.string().describe("The draft's ETag, without quotes.");

/** A part of the document in the response to an edit, in the document's own form. */
function edited(name: string, what: string, id: string) {
  return z
    .object({
      draft_etag: draftEtagField,
      [name]: z.looseObject({}).describe(`${what}, in the document's own form.`),
    })
    .meta({ id });
}

export const EditedPage = edited("page", "The page", "EditedDesignPage");
export const EditedMaster = edited("master", "The master page", "EditedDesignMaster");
export const EditedElement = edited("element", "The element", "EditedDesignElement");

export const SvgImportBody = z.strictObject({
  page_id: z.string().describe("A GUID of a page or master page."),
  parent_id: z.string().nullable().optional().describe("The group, region or folder to put it in."),
  name: z.string().optional().describe("Name of the element; the drawing's own when left out."),
  svg: z.string().describe("The drawing's source, at most 10 MB."),
  left: z.number().default(0).describe("In points."),
  top: z.number().default(0).describe("In points."),
  width: z
    .number()
    .positive()
    .optional()
    .describe("In points. The drawing's own, or in proportion to `height`, when left out."),
  height: z.number().positive().optional().describe("As `width`."),
  mode: z
    .enum(["editable", "preserved"])
    .default("editable")
    .describe("`editable` makes elements of the drawing, `preserved` one artwork."),
});
export type SvgImportBody = z.output<typeof SvgImportBody>;

export const ImportedElement = z
  .object({
    draft_etag: draftEtagField,
    element: z.looseObject({}).describe("The element, in the document's own form."),
    report: z
      .object({
        objects: z.int().describe("Objects that the drawing draws, each use of one counted."),
        notes: z
          .array(
            z.object({
              field: z
                .string()
                .describe("The way to an element of the drawing: `svg/g[2]/path[1]`."),
              message: z.string().describe("How the import differs from the drawing."),
            }),
          )
          .describe("What was imported only approximately."),
      })
      .describe("What was imported."),
  })
  .meta({ id: "ImportedDesignElement" });

const paletteColor = z.string().regex(HEX_COLOR);
export const PaletteReplacementBody = z.union([
  z.strictObject({
    source_color: paletteColor.describe("A color of the drawing, `#RRGGBB`."),
    target_color: paletteColor.nullable().describe("The color to print instead; null resets it."),
  }),
  z.strictObject({ reset_all: z.literal(true).describe("Resets all colors.") }),
]);
export type PaletteReplacementBody = z.output<typeof PaletteReplacementBody>;

export const SvgPaletteView = z
  .object({
    draft_etag: draftEtagField,
    element_id: z.string().describe("Id of the `svg_artwork`."),
    colors: z
      .array(
        z.object({
          source_color: z.string().describe("The color in the drawing, `#rrggbb`."),
          current_color: z.string().describe("The color that prints in its place."),
          use_count: z
            .int()
            .describe("Fills, strokes and gradient stops of drawn objects that have it."),
        }),
      )
      .describe("The most used first, then by color."),
  })
  .meta({ id: "SvgPalette" });

export const EditedSampleSet = edited("sample_set", "The sample set", "EditedSampleSet");

const StoredSampleSet = z
  .object({
    id: z.string().describe("Id of the sample set in the document, a GUID."),
    name: z.string().describe("Name of the sample set."),
    values: z.record(z.string(), z.unknown()).describe("Values by field code."),
  })
  .meta({ id: "SampleSet" });
export const SampleSetList = listOf(StoredSampleSet).meta({ id: "SampleSetList" });

const ReadinessCheck = z
  .object({
    code: z
      .enum([
        "document_invalid",
        "font_unavailable",
        "image_unavailable",
        "sample_set_failed",
        "render_failed",
        "no_sample_sets",
        "required_field_not_exercised",
        "field_not_exercised",
        "condition_not_exercised",
        "list_not_exercised",
        "sample_value_unknown",
        "text_cut",
        "list_overflowed",
        "image_failed",
        "missing_glyphs",
        "outside_page",
        "incompatible_with_previous",
      ])
      .describe("The kind of problem."),
    severity: z.enum(["blocking", "warning"]).describe("`blocking` prevents publishing."),
    message: z.string().describe("What is wrong, for people."),
    suggested_action: z.string().describe("What to do about it, for people."),
    page_id: z.string().optional().describe("The page that has the problem."),
    element_id: z.string().optional().describe("The element that has the problem."),
    field: z.string().optional().describe("The field, such as `rows.price`."),
    sample_set_id: z.string().optional().describe("The sample set that shows the problem."),
  })
  .meta({ id: "PublishReadinessCheck" });
export type ReadinessCheck = z.infer<typeof ReadinessCheck>;

export const PublishReadiness = z
  .object({
    can_publish: z.boolean().describe("Whether no check is `blocking`."),
    draft_etag: draftEtagField,
    checks: z.array(ReadinessCheck).describe("Problems only, `blocking` ones first."),
  })
  .meta({ id: "PublishReadiness" });
export type PublishReadiness = z.infer<typeof PublishReadiness>;

const PreviewPage = z
  .object({
    page_number: z.int().describe("Number of the page in the output, from 1."),
    page_id: z.string().describe("Id of the page in the document."),
    width: z.int().describe("Of the image, in pixels."),
    height: z.int().describe("Of the image, in pixels."),
    width_pt: z.number().describe("Of the page, in points."),
    height_pt: z.number().describe("Of the page, in points."),
    image_url: z.string().describe("Address of the PNG, readable without a token for an hour."),
  })
  .meta({ id: "DesignPreviewPage" });

const ReadabilityCheck = z
  .object({
    code: z
      .enum([
        "text_cut",
        "text_shrunk",
        "text_overflowed",
        "list_overflowed",
        "image_failed",
        "missing_glyphs",
        "font_substituted",
        "text_small",
        "outside_page",
      ])
      .describe("The kind of problem."),
    severity: z.enum(["error", "warning", "info"]).describe("How serious it is."),
    message: z.string().describe("What a reader would miss, for people."),
    element_id: z.string().optional().describe("The element that has the problem."),
    page_number: z.int().optional().describe("The output page that shows it."),
  })
  .meta({ id: "DesignReadabilityCheck" });

export const ExactPreview = z
  .object({
    draft_etag: draftEtagField,
    sample_set_id: z.string().describe("Id of the sample set."),
    page_count: z.int().describe("Pages of the output."),
    pages: z.array(PreviewPage).describe("The output's pages, in order."),
    layout_report: LayoutReport.describe("What was printed, cut and left out."),
    readability_checks: z.array(ReadabilityCheck).describe("Problems that a designer can fix."),
    duration_ms: z.int().describe("Time that the preview took, in milliseconds."),
  })
  .meta({ id: "DesignTemplatePreview" });
export type ExactPreview = z.infer<typeof ExactPreview>;

export const PublishedTemplate = z
  .object({
    version: TemplateVersion.describe("The revision."),
    template: DesignTemplate.describe("The template after the publication."),
    draft_etag: z.string().describe("The draft's ETag, which did not change."),
  })
  .meta({ id: "PublishedDesignTemplate" });

const FieldType = z.enum(["text", "number", "date", "url", "image", "color", "boolean", "list"]);

/** A field, or a key of a list's items. */
const ContractField = z
  .object({
    code: z.string().describe("The key in `values`."),
    name: z.string().describe("Name of the field for people."),
    type: FieldType.describe("Type of the value."),
    required: z.boolean().describe("Whether a render without a value fails."),
    default: z.unknown().describe("What prints without a value; null if nothing does."),
    description: z.string().describe("Help for the field; may be empty."),
    format: z.looseObject({}).nullable().optional().describe("How the value is printed."),
    get item_keys() {
      return z.array(ContractField).optional().describe("Of a list: the keys of its items.");
    },
  })
  .meta({ id: "DesignTemplateField" });

export const TemplateContract = z
  .object({
    template_id: z.string().describe("Id of the template, `tpl_…`."),
    revision: z.int().describe("The revision."),
    version_id: z.string().describe("Id of the revision, `tplv_…`."),
    contract_hash: z.string().describe("`sha256:` and the hex digest of the rest."),
    page_count: z.int().describe("Pages of the document."),
    pages: z
      .array(
        z.object({
          id: z.string().describe("Id of the page in the document."),
          name: z.string().describe("Name of the page; may be empty."),
          width: z.number().describe("In points."),
          height: z.number().describe("In points."),
          fit_height: z.boolean().describe("Whether the page is as high as its content."),
        }),
      )
      .describe("The pages, in order."),
    fields: z.array(ContractField).describe("In the order of their first occurrence."),
  })
  .meta({ id: "DesignTemplateContract" });
