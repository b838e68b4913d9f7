/** The default models that operators choose for a workspace (docs/contract/models.md#defaults). */
import * as z from "zod";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { listOf } from "../list.ts";
import { MODEL_CAPABILITIES } from "./model.ts";

export const PutModelDefault = z
  .strictObject({
    model: z
      .string()
      .max(LIMITS.identifier.value)
      .describe("Slug of a model that the workspace can use and that has the capability."),
  })
  .meta({ id: "PutModelDefault" });

export const ModelDefault = z
  .object({
    capability: z.enum(MODEL_CAPABILITIES).describe("Code of the capability."),
    model: z.string().describe("Slug of the model."),
  })
  .meta({ id: "ModelDefault" });
export type ModelDefault = z.infer<typeof ModelDefault>;

export const ModelDefaultList = listOf(ModelDefault).meta({ id: "ModelDefaultList" });
export type ModelDefaultList = z.infer<typeof ModelDefaultList>;
