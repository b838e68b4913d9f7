import * as z from "zod";
import { timestampField } from "../timestamp.ts";

export const Organization = z
  .object({
    id: z.string().describe("Id of the organization, `org_…`."),
    name: z.string().describe("Name of the organization."),
    plan: z.string().describe("Code of its plan."),
    shard: z.int().describe("Number of the shard that has its rows."),
    created_at: timestampField.describe("When the organization was created."),
  })
  .meta({ id: "Organization" });
export type Organization = z.infer<typeof Organization>;

export const Workspace = z
  .object({
    id: z.string().describe("Id of the workspace, `ws_…`."),
    organization_id: z.string().describe("The organization that it belongs to."),
    name: z.string().describe("Name of the workspace."),
    plan: z.string().describe("Code of the plan that applies to it."),
    created_at: timestampField.describe("When the workspace was created."),
  })
  .meta({ id: "Workspace" });
export type Workspace = z.infer<typeof Workspace>;
