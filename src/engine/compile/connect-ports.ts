import type { Definition } from "../../contracts/workflows/definition.ts";
import type { DraftNode, IssueList } from "./draft.ts";
import { suggestName } from "../../lib/errors/suggest-name.ts";

/** Attaches connections to input ports in order. Types are checked later, when they are known [E2]. */
export function connectPorts(
  definition: Definition,
  drafts: readonly DraftNode[],
  issues: IssueList,
): void {
  const byId = new Map(drafts.map((draft) => [draft.definition.id, draft]));
  const declared = new Set(definition.nodes.map((node) => node.id));
  definition.connections.forEach(({ from, to }, index) => {
    const source = byId.get(from.node);
    const target = byId.get(to.node);
    const unknown: readonly (readonly ["from" | "to", string])[] = [
      ["from", from.node],
      ["to", to.node],
    ];
    for (const [end, id] of unknown) {
      if (!declared.has(id)) {
        const near = suggestName(id, [...declared]);
        issues.add({
          code: "UNKNOWN_NODE",
          path: `connections[${index}].${end}.node`,
          message: `No node has the id "${id}".`,
          ...(near === undefined ? {} : { suggestion: `Did you mean "${near}"?` }),
        });
      }
    }
    const hasOutput =
      source !== undefined &&
      (source.isUnsure || knowsPort(source, "outputs", from.port, index, issues));
    const hasInput = target !== undefined && knowsPort(target, "inputs", to.port, index, issues);
    if (!hasOutput || !hasInput) {
      return;
    }
    const port = target.inputs.get(to.port);
    const sources = target.sources.get(to.port) ?? [];
    if (sources.length > 0 && port?.list === undefined) {
      if (source.isUnsure) {
        return;
      }
      issues.add({
        code: "PORT_ALREADY_CONNECTED",
        path: `connections[${index}].to.port`,
        node_id: to.node,
        message: `Port "${to.port}" of node "${to.node}" takes one connection and already has one.`,
      });
      return;
    }
    sources.push({ node: source, port: from.port, connection: index });
    target.sources.set(to.port, sources);
  });
  for (const draft of drafts) {
    checkCounts(draft, issues);
  }
}

function knowsPort(
  draft: DraftNode,
  side: "inputs" | "outputs",
  port: string,
  connection: number,
  issues: IssueList,
): boolean {
  if (draft[side].has(port)) {
    return true;
  }
  if (draft.hasKnown[side]) {
    const names = [...draft[side].keys()];
    const near = suggestName(port, names);
    const listed = names.slice(0, 30).map((name) => `"${name}"`);
    issues.add({
      code: "unknown_port",
      path: `connections[${connection}].${side === "outputs" ? "from" : "to"}.port`,
      node_id: draft.definition.id,
      message: `Node "${draft.definition.id}" (${draft.type.type}) has no ${side === "outputs" ? "output" : "input"} "${port}". It has: ${listed.join(", ") || "none"}.`,
      ...(near === undefined ? {} : { suggestion: `Did you mean "${near}"?` }),
    });
  }
  return false;
}

function checkCounts(draft: DraftNode, issues: IssueList): void {
  const fromExpression = draft.type.dynamicPorts?.descriptors.some(
    (descriptor) => descriptor.derivation === "expression_variables",
  );
  for (const port of draft.inputs.values()) {
    const count = draft.sources.get(port.name)?.length ?? 0;
    if (count === 0 && (port.required ?? true) === true) {
      issues.add({
        code: fromExpression === true ? "CALC_UNCONNECTED_VARIABLE" : "PORT_NOT_CONNECTED",
        path: `nodes[${draft.position}]`,
        node_id: draft.definition.id,
        message: `Input "${port.name}" of node "${draft.definition.id}" (${draft.type.type}) is required and nothing is connected to it.`,
        suggestion: `Connect an output of type ${port.type} to "${port.name}".`,
      });
    }
    const { minCount = 0, maxCount = Infinity } = port.list ?? {};
    if ((count > 0 && count < minCount) || count > maxCount) {
      issues.add({
        code: "CONNECTION_COUNT",
        path: `nodes[${draft.position}]`,
        node_id: draft.definition.id,
        message: `Input "${port.name}" of node "${draft.definition.id}" takes ${minCount} to ${maxCount} connections, it has ${count}.`,
      });
    }
  }
}
