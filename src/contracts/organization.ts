import * as z from "zod";
import { timestampField } from "./timestamp.ts";

export const Organization = z
  .object({ id: z.string(), name: z.string(), plan: z.string(), created_at: timestampField })
  .meta({ id: "Organization" });
export type Organization = z.infer<typeof Organization>;

export const Workspace = z
  .object({
    id: z.string(),
    organization_id: z.string(),
    name: z.string(),
    plan: z.string(),
    created_at: timestampField,
  })
  .meta({ id: "Workspace" });
export type Workspace = z.infer<typeof Workspace>;
