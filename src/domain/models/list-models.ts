import {
  MODEL_CAPABILITIES,
  type Model,
  type ModelCapability,
  type ModelList,
} from "../../contracts/models/model.ts";
import { type CatalogPage, catalogPage } from "../catalog/catalog-page.ts";
import { compareTexts } from "./available-models.ts";
import { defaultModel } from "./default-models.ts";
import { describeModel } from "./describe-model.ts";
import type { WorkspaceModels } from "./workspace-models.ts";

/**
 * A page of the models that a workspace can use, by slug. An unknown capability has none. Throws `invalid_request` for
 * a cursor that is not in the list.
 */
export function listModels(
  models: WorkspaceModels,
  query: CatalogPage & { readonly capability?: string | undefined },
): ModelList {
  const { capability } = query;
  const found = capability === undefined ? modelsOfAll(models) : modelsOfNamed(models, capability);
  return catalogPage(found, ({ model }) => model, query, "model");
}

function modelsOfNamed(models: WorkspaceModels, name: string): Model[] {
  const capability = MODEL_CAPABILITIES.find((known) => known === name);
  return capability === undefined ? [] : modelsOf(models, capability);
}

/** The models that serve a capability, by slug. */
export function modelsOf(
  { available, overrides }: WorkspaceModels,
  capability: ModelCapability,
): Model[] {
  const { model: chosen } = defaultModel(available, overrides, capability);
  return available
    .filter(({ entry }) => entry.capabilities.includes(capability))
    .map((each) => describeModel(each, each.entry.model === chosen))
    .toSorted((a, b) => compareTexts(a.model, b.model));
}

function modelsOfAll({ available, overrides }: WorkspaceModels): Model[] {
  const defaults = new Set(
    MODEL_CAPABILITIES.map((each) => defaultModel(available, overrides, each).model),
  );
  return available
    .map((each) => describeModel(each, defaults.has(each.entry.model)))
    .toSorted((a, b) => compareTexts(a.model, b.model));
}
