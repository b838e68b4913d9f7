import { CAPABILITIES } from "../../contracts/models/capabilities.ts";
import type { NodeTypeModels } from "../../contracts/models/model.ts";
import type { NodeType } from "../../nodes/define-roles.ts";
import { defaultModel } from "./default-models.ts";
import { modelsOf } from "./list-models.ts";
import type { WorkspaceModels } from "./workspace-models.ts";

/** The models that a node type can use, by capability in the order of the catalog. */
export function getNodeTypeModels(
  { type, capabilities: usable = [] }: Pick<NodeType, "type" | "capabilities">,
  models: WorkspaceModels,
): NodeTypeModels {
  return {
    node_type: type,
    capabilities: CAPABILITIES.filter(({ capability }) => usable.includes(capability)).map(
      ({ capability, display_name }) => {
        const { model, source } = defaultModel(models.available, models.overrides, capability);
        return {
          capability,
          display_name,
          default_model: model,
          default_source: source,
          models: modelsOf(models, capability),
        };
      },
    ),
  };
}
