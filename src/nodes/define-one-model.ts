/**
 * The parts of a node that asks for one capability of models: the models that it refers to, their checks, its cost, and
 * the order in which they are asked (docs/contract/models.md).
 */
import type { ReferencedModel } from "../contracts/models/model-calls.ts";
import type { ModelCapability } from "../contracts/models/model.ts";
import type { StoredReferences } from "../contracts/references.ts";
import type { UsageUnit } from "../contracts/runs/task.ts";
import { type Amounts, highestCost, mayCostLess } from "./define-model-costs.ts";
import {
  askInOrder,
  modelChain,
  modelParameterIssues,
  type ModelParams,
  modelReferences,
  unsupportedModels,
} from "./define-models.ts";
import type { TaskContext } from "./define-tools.ts";

/**
 * Returns the members of a node's definition that follow from its capability. `mostOf` returns the largest amounts of
 * one call; the node reports its usage in `unit`.
 */
export function oneModel<P extends ModelParams>(
  capability: ModelCapability,
  unit: UsageUnit,
  mostOf: (given: P) => Amounts,
) {
  return {
    capabilities: [capability],
    references: (given: P) => modelReferences(given, [capability]),
    check: (given: P, _connected: unknown, stored: StoredReferences) => [
      ...unsupportedModels(given, stored, { capability, needsVision: false }),
      ...modelParameterIssues(given, stored, capability),
    ],
    cost: {
      unit,
      milliCredits: (given: P, _connected: unknown, stored: StoredReferences) =>
        highestCost(modelChain(given, stored, capability), mostOf(given)),
      isCeiling: (given: P, stored: StoredReferences) =>
        mayCostLess(modelChain(given, stored, capability)),
    },
    timeLimitMs: 900_000,
  };
}

/**
 * Asks the models of a node in order, as `askInOrder` does. `ask` receives the values of the model's own parameters,
 * which belong to the first model; a fallback has others.
 */
export async function askOneModel<T>(
  { references, task }: Pick<TaskContext<"models">, "references" | "task">,
  given: ModelParams,
  capability: ModelCapability,
  ask: (model: ReferencedModel, parameters: ModelParams["model_parameters"]) => Promise<T>,
): Promise<T> {
  const chain = modelChain(given, references, capability);
  return await askInOrder(chain, given, task.attempt, (model) =>
    ask(model, model === chain[0] ? given.model_parameters : {}),
  );
}
