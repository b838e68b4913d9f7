import type { DEFAULT_SOURCES, ModelCapability } from "../../contracts/models/model.ts";
import type { AvailableModel } from "./available-models.ts";

export interface DefaultModel {
  /** Null if no model serves the capability. */
  readonly model: string | null;
  readonly source: (typeof DEFAULT_SOURCES)[number];
}

/** The workspace's own choices: slug by capability. */
export type DefaultOverrides = ReadonlyMap<ModelCapability, string>;

/**
 * The default model of a capability: the workspace's choice if that model is available, otherwise the first available
 * model (docs/contract/models.md#defaults). `models` has the order of `availableModels`.
 */
export function defaultModel(
  models: readonly AvailableModel[],
  overrides: DefaultOverrides,
  capability: ModelCapability,
): DefaultModel {
  const serving = models.filter(({ entry }) => entry.capabilities.includes(capability));
  const chosen = overrides.get(capability);
  if (chosen !== undefined && serving.some(({ entry }) => entry.model === chosen)) {
    return { model: chosen, source: "workspace_override" };
  }
  return { model: serving[0]?.entry.model ?? null, source: "system" };
}
