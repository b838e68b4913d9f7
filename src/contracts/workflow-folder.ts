import * as z from "zod";
import { listOf } from "./list.ts";
import { Name } from "./name.ts";
import { WorkflowItem } from "./workflow.ts";

export const WorkflowFolder = z
  .object({
    id: z.string(),
    name: z.string(),
    parent_id: z.string().nullable().describe("null is the top level."),
    path: z.string().describe("The names from the top level down, each after a slash."),
    workflow_count: z.int().describe("Workflows lying directly in it."),
    folder_count: z.int().describe("Folders lying directly in it."),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "WorkflowFolder" });
export type WorkflowFolder = z.infer<typeof WorkflowFolder>;
export const WorkflowFolderList = listOf(WorkflowFolder).meta({ id: "WorkflowFolderList" });

export const WorkflowFolderContent = z
  .object({
    folder: WorkflowFolder.nullable().describe("null for the top level."),
    subfolders: z.array(WorkflowFolder),
    workflows: z.array(WorkflowItem).describe("Of any status, newest first."),
    has_more: z.boolean().describe("Whether there are more workflows."),
    next_cursor: z.string().nullable(),
    total_count: z.int().describe("How many workflows match in all."),
  })
  .meta({ id: "WorkflowFolderContent" });
export type WorkflowFolderContent = z.infer<typeof WorkflowFolderContent>;

export const FolderName = Name.refine(
  (name) => !name.includes("/"),
  'Must not contain "/", which separates the names in a path',
);

export const MoveWorkflowsResult = z
  .object({ moved: z.int(), folder_id: z.string().nullable(), workflow_ids: z.array(z.string()) })
  .meta({ id: "MoveWorkflowsResult" });
export type MoveWorkflowsResult = z.infer<typeof MoveWorkflowsResult>;
