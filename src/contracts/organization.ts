import { z } from "zod";

export const Organization = z
  .object({ id: z.string(), name: z.string(), plan: z.string(), created_at: z.string() })
  .meta({ id: "Organization" });
export type Organization = z.infer<typeof Organization>;

export const Workspace = z
  .object({
    id: z.string(),
    organization_id: z.string(),
    name: z.string(),
    plan: z.string(),
    created_at: z.string(),
  })
  .meta({ id: "Workspace" });
export type Workspace = z.infer<typeof Workspace>;
