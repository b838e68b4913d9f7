import type { RunStart } from "../../../src/contracts/runs/run.ts";
import type { OpenedSource } from "../../../src/contracts/runs/run-source.ts";
import type { FindNodeType } from "../../../src/engine/compile/read-nodes.ts";
import { type Outline, unpackOutline } from "../../../src/engine/plan/outline.ts";
import type { Plan } from "../../../src/engine/plan/plan.ts";
import { planOf } from "../wake-run.ts";

type Compilable = Pick<
  OpenedSource,
  | "run_id"
  | "workflow_id"
  | "workflow_version"
  | "is_draft"
  | "definition_json"
  | "references_json"
  | "parameter_overrides"
>;

/**
 * The plan of an ended run under this code, with the outline of its start; undefined if this code makes another plan of
 * its definition, with which its rows cannot be read.
 */
export function sourcePlan(
  workspaceId: string,
  source: Compilable,
  packedOutline: unknown,
  find?: FindNodeType,
): { readonly plan: Plan; readonly outline: Outline } | undefined {
  const { run_id, workflow_id, workflow_version, is_draft, parameter_overrides } = source;
  const metadata = {
    workspace_id: workspaceId,
    run_id,
    workflow_id,
    workflow_version,
    is_draft,
    // Written by this service itself.
    references: JSON.parse(source.references_json) as NonNullable<RunStart["references"]>,
    parameter_overrides,
  };
  let plan: Plan;
  try {
    plan = planOf(metadata, () => source.definition_json, find);
  } catch {
    return undefined;
  }
  const outline = unpackOutline(packedOutline);
  return formOf(plan, (node) => node.type.type) === formOf(outline, (node) => node.typeName)
    ? { plan, outline }
    : undefined;
}

/** What numbers in rows refer to, as one text. */
function formOf<N extends Outline["nodes"][number] | Plan["nodes"][number]>(
  plan: { readonly nodes: readonly N[] } & Pick<Plan, "axes" | "scopes">,
  typeOf: (node: N) => string,
): string {
  return JSON.stringify([
    plan.nodes.map((node) => [node.id, typeOf(node), node.scope, node.outputScope, node.axis]),
    plan.axes.map(({ node, parentScope }) => [node, parentScope]),
    plan.scopes.map(({ prefix, axes }) => [prefix, ...axes]),
  ]);
}
