import type { ModelParametersSchema } from "../../contracts/models/model.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { describeModelParameters } from "./describe-model.ts";
import type { WorkspaceModels } from "./workspace-models.ts";

/** The parameters of a model that the workspace can use. Throws `not_found` for any other. */
export function getModelParameters(
  { available }: WorkspaceModels,
  model: string,
): ModelParametersSchema {
  const found = available.find(({ entry }) => entry.model === model);
  if (found === undefined) {
    throw new AppError(
      "not_found",
      `There is no model "${model.slice(0, 200).toWellFormed()}" that this workspace can use. GET /api/v1/models lists them.`,
    );
  }
  return describeModelParameters(found.entry);
}
