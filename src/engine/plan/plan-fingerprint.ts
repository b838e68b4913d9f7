import type { Plan } from "./plan.ts";

/**
 * The parts of a plan that the rows of a run depend on, as one text: two plans with the same text can continue the same
 * run. Rows refer to nodes, axes and scopes by number, so the text includes their order. Of a node's version it
 * includes the first number only, which is raised when the same inputs give different results or different state (see
 * `version` in `nodes/define-node.ts`). It excludes costs, since a run keeps the prices of its admission.
 */
export function planFingerprintText(plan: Plan): string {
  return JSON.stringify([
    1,
    plan.nodes.map((node) => [
      node.id,
      node.type.type,
      node.type.role,
      majorOf(node.type.version),
      node.placement,
      node.scope,
      node.outputScope,
      node.axis,
      // Only if there are any, so that runs from before references existed keep their text.
      ...(node.references === undefined
        ? []
        : [node.references.map(({ path, kind, id, version }) => [path, kind, id, version])]),
    ]),
    plan.axes.map(({ node, parentScope }) => [node, parentScope]),
    plan.scopes.map(({ prefix, axes }) => [prefix, ...axes]),
  ]);
}

function majorOf(version: string): string {
  return version.split(".", 1)[0] ?? version;
}
