import * as z from "zod";

const WORKFLOW_STATUSES = ["draft", "published", "archived"] as const;

/** A row of `workflows` without the text of its definition. */
export const WorkflowRow = z.object({
  seq: z.int(),
  id: z.string(),
  workspace_id: z.string(),
  name: z.string(),
  description: z.string(),
  tags: z.string().transform((text) => z.array(z.string()).parse(JSON.parse(text))),
  folder_id: z.string().nullable(),
  status: z.enum(WORKFLOW_STATUSES),
  version: z.int(),
  revision: z.int(),
  content_hash: z.string(),
  pointer_seq: z.int(),
  pointer_synced_seq: z.int(),
  created_at_ms: z.int(),
  updated_at_ms: z.int(),
  delete_requested_at_ms: z.int().nullable(),
  deleted_at_ms: z.int().nullable(),
});
export type WorkflowRow = z.infer<typeof WorkflowRow>;

export const WORKFLOW_COLUMNS = Object.keys(WorkflowRow.shape).join(", ");

/** The columns of a row that locate the text of its definition (`readDefinitionText`). */
export const StoredDefinition = z.object({
  definition: z.string().nullable(),
  definition_key: z.string().nullable(),
});

/** The text of a definition and the pins of its templates (`contracts/template-pins.ts`). */
export const StoredPinned = StoredDefinition.extend({ template_pins: z.string().nullable() });
export type StoredPinned = z.infer<typeof StoredPinned>;
