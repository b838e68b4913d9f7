import * as z from "zod";
import { TemplateStatus } from "./design-template.ts";

const json = z.unknown();
const codes = z.array(z.string());

/** How one template node of a workflow stands to the latest revision. */
const TemplateNodeReview = z
  .object({
    node_id: z.string().describe("The node."),
    node_type: z.string().describe("Its type."),
    template_id: z.string().describe("The template that it names."),
    template_name: z.string().nullable().describe("Null if there is no such template."),
    template_status: TemplateStatus.nullable().describe("Null if there is no such template."),
    template_version_policy: z.string().describe("`pinned` or `latest_compatible`."),
    saved_revision: z.int().nullable().describe("The pinned revision; null for the draft."),
    latest_revision: z.int().describe("The latest published revision; 0 before the first."),
    is_current: z.boolean().describe("The pinned revision is the latest one."),
    changed_fields: z
      .object({
        added: codes.describe("Fields that the latest revision adds."),
        removed: codes.describe("Fields that it lacks."),
        retyped: codes.describe("Fields that have another type."),
        required: codes.describe("Fields that must be given from then on."),
      })
      .describe("Fields by what happened to them; keys of items as `rows.k`."),
    compatible: z.boolean().describe("Whether the node works with the latest revision unchanged."),
    changes: z
      .array(
        z.object({
          code: z.string().describe("What changed."),
          path: z.string().describe("The field, or `pages`."),
          from: json.describe("The type, default, limit or pages before the change."),
          to: json.describe("The same after the change."),
          compatible: z.boolean().describe("Whether the change by itself is compatible."),
        }),
      )
      .describe("Every change from the pinned revision to the latest."),
    counterexample: z
      .object({
        values: z.record(z.string(), json).describe("Values that only the pinned revision takes."),
        page_selection: z.string().optional().describe("A selection that means another page."),
        reason: z.string().describe("Why the latest revision refuses them."),
      })
      .nullable()
      .describe("A request that the change breaks; null if there is none."),
  })
  .meta({ id: "TemplateNodeReview" });
export type TemplateNodeReview = z.infer<typeof TemplateNodeReview>;

export const TemplateRevisions = z
  .object({
    workflow: z.string().describe("Id of the workflow."),
    definition_etag: z.string().describe("ETag of the working definition, without quotes."),
    nodes: z.array(TemplateNodeReview).describe("The template nodes, in the definition's order."),
  })
  .meta({ id: "TemplateRevisions" });
export type TemplateRevisions = z.infer<typeof TemplateRevisions>;

export const UpgradeTemplatesBody = z.strictObject({
  node_ids: z
    .array(z.string())
    .optional()
    .describe("Only these nodes; all template nodes when left out."),
});

export const UpgradedTemplates = z
  .object({
    upgraded: z
      .array(
        z.object({
          node_id: z.string().describe("The node."),
          from: z.int().describe("The revision before."),
          to: z.int().describe("The latest revision."),
        }),
      )
      .describe("Nodes that were moved."),
    skipped: z
      .array(
        z.object({
          node_id: z.string().describe("The node."),
          reason: z
            .enum(["incompatible", "current", "unpinned", "unavailable"])
            .describe("Why it was not moved."),
        }),
      )
      .describe("Nodes that were left as they are."),
    definition_etag: z.string().describe("ETag of the working definition, without quotes."),
  })
  .meta({ id: "UpgradedTemplates" });
export type UpgradedTemplates = z.infer<typeof UpgradedTemplates>;
