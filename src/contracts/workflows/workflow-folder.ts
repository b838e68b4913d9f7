import * as z from "zod";
import { listOf } from "../list.ts";
import { Name } from "../name.ts";
import { WorkflowItem } from "./workflow.ts";

export const WorkflowFolder = z
  .object({
    id: z.string().describe("Id of the folder."),
    name: z.string().describe("Name of the folder, unique in its parent."),
    parent_id: z.string().nullable().describe("The folder that it lies in; null is the top level."),
    path: z.string().describe("The names from the top level down, each after a slash."),
    workflow_count: z.int().describe("Workflows directly in the folder."),
    folder_count: z.int().describe("Folders directly in the folder."),
    created_at: z.iso.datetime().describe("When the folder was created."),
  })
  .meta({ id: "WorkflowFolder" });
export type WorkflowFolder = z.infer<typeof WorkflowFolder>;
export const WorkflowFolderList = listOf(WorkflowFolder).meta({ id: "WorkflowFolderList" });

export const WorkflowFolderContent = z
  .object({
    folder: WorkflowFolder.nullable().describe("The folder itself; null for the top level."),
    subfolders: z.array(WorkflowFolder).describe("The folders directly in it, by name."),
    workflows: z.array(WorkflowItem).describe("Of any status, newest first."),
    has_more: z.boolean().describe("Whether there are more workflows."),
    next_cursor: z
      .string()
      .nullable()
      .describe("Pass as `starting_after` for the next page; null on the last page."),
    total_count: z.int().describe("How many workflows match in all."),
  })
  .meta({ id: "WorkflowFolderContent" });
export type WorkflowFolderContent = z.infer<typeof WorkflowFolderContent>;

export const FolderName = Name.refine(
  (name) => !name.includes("/"),
  'Must not contain "/", which separates the names in a path',
);

export const MoveWorkflowsResult = z
  .object({
    moved: z.int().describe("How many workflows were moved."),
    folder_id: z
      .string()
      .nullable()
      .describe("The folder they were moved to; null is the top level."),
    workflow_ids: z.array(z.string()).describe("The workflows that were moved."),
  })
  .meta({ id: "MoveWorkflowsResult" });
export type MoveWorkflowsResult = z.infer<typeof MoveWorkflowsResult>;
