import type { Plan } from "./plan.ts";

/**
 * Everything of a plan that the rows of a run depend on, as one text: two plans with the same text
 * can take the same run further. Numbers in the rows count nodes, axes and scopes, so their order is
 * in it. Of a node's version only the first number is: it is raised when the same inputs give other
 * results or leave other state (see `version` in `nodes/define-node.ts`). What a node costs is not in
 * it, since a run keeps the prices that it was admitted at.
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
      // Only where there are any: runs from before references were kept have the same text still.
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
