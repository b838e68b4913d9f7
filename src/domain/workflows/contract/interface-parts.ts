import { NO_REFERENCES } from "../../../engine/compile/references.ts";
import type { Definition } from "../../../contracts/workflows/definition.ts";
import { IssueList } from "../../../engine/compile/draft.ts";
import { namePorts } from "../../../engine/compile/name-ports.ts";
import { readNodes } from "../../../engine/compile/read-nodes.ts";
import type { Plan } from "../../../engine/plan/plan.ts";
import type { NodeType } from "../../../nodes/define-roles.ts";

type InputType = Extract<NodeType, { role: "input" }>;

export interface InputPart {
  readonly nodeId: string;
  readonly name: string;
  readonly label: string;
  readonly type: InputType;
  /** Undefined if the parameters do not match their schema. */
  readonly params: unknown;
}

interface OutputPart {
  readonly nodeId: string;
  readonly key: string;
  readonly label: string;
  readonly type: string;
}

/** The parts of an interface, in `nodes[]` order. */
export interface InterfaceParts {
  readonly inputs: readonly InputPart[];
  readonly outputs: readonly OutputPart[];
}

/** From a plan, as runs use it. */
export function partsOfPlan(plan: Plan): InterfaceParts {
  const inputs: InputPart[] = [];
  for (const { node: index, name } of plan.inputs) {
    const node = plan.nodes[index];
    if (node !== undefined && node.type.role === "input") {
      const { id, label, type, params } = node;
      inputs.push({ nodeId: id, name, label, type, params });
    }
  }
  const outputs = plan.outputs.map(({ node, key, label, type }) => ({
    nodeId: plan.nodes[node]?.id ?? "",
    key,
    label,
    type,
  }));
  return { inputs, outputs };
}

/**
 * From a definition that does not compile: the readable nodes, so that an author sees the interface
 * grow.
 */
export function partsOfDraft(
  definition: Definition,
  findNodeType: (type: string) => NodeType | undefined,
): InterfaceParts {
  const ignored = new IssueList();
  const drafts = readNodes(definition, findNodeType, [], ignored, NO_REFERENCES);
  const inputNames = namePorts(
    drafts.filter((draft) => draft.type.role === "input"),
    () => undefined,
    ignored,
  );
  const outputDrafts = drafts.filter((draft) => draft.type.role === "output");
  const keyOf = (draft: (typeof drafts)[number]) => {
    const key = draft.definition.parameters["key"];
    return typeof key === "string" && key !== "" ? key : undefined;
  };
  const keys = namePorts(outputDrafts, keyOf, ignored);
  return {
    inputs: drafts.flatMap(({ type, definition: node, params }, index) => {
      const draft = drafts[index];
      const name = draft === undefined ? undefined : inputNames.get(draft);
      return type.role === "input" && name !== undefined
        ? [{ nodeId: node.id, name, label: node.label ?? node.id, type, params }]
        : [];
    }),
    outputs: outputDrafts.map((draft) => ({
      nodeId: draft.definition.id,
      key: keys.get(draft) ?? draft.definition.id,
      label: draft.definition.label ?? draft.definition.id,
      type: draft.type.type.slice("output/".length),
    })),
  };
}
