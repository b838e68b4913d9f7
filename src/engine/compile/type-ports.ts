import type { PortType } from "../../contracts/workflows/port-type.ts";
import type { ConnectedPort } from "../../nodes/define-ports.ts";
import type { DraftNode, DraftSource, IssueList } from "./draft.ts";
import { canFeed } from "../../contracts/workflows/can-feed.ts";

/** In topological order: determines the type of every output and checks each connection [E3]. */
export function typePorts(ordered: readonly DraftNode[], issues: IssueList): void {
  for (const draft of ordered) {
    const connected = connectedPorts(draft);
    for (const [portName, sources] of draft.sources) {
      const port = draft.inputs.get(portName);
      for (const source of sources) {
        const type = typeOfSource(source);
        if (port !== undefined && !canFeed(type, port)) {
          issues.add({
            code: "CONNECTION_TYPE_MISMATCH",
            path: `connections[${source.connection}]`,
            node_id: draft.definition.id,
            message: `"${source.node.definition.id}.${source.port}" is ${type} and cannot feed "${draft.definition.id}.${portName}", which takes ${[port.type, ...(port.accepts ?? [])].join(" or ")}.`,
            suggestion: suggestConversion(type, port.type),
          });
        }
      }
    }
    for (const port of draft.outputs.values()) {
      draft.outputTypes.set(port.name, outputType(draft, port.type, port.typeOf));
    }
    if (draft.params !== undefined) {
      for (const problem of draft.type.check?.(draft.params, connected, draft.stored) ?? []) {
        const isRepeated = issues.issues.some(
          (known) =>
            known.code === problem.code &&
            known.node_id === draft.definition.id &&
            known.code === "CALC_UNCONNECTED_VARIABLE",
        );
        if (!isRepeated) {
          issues.add({
            code: problem.code,
            path: `nodes[${draft.position}].parameters.${problem.path}`,
            node_id: draft.definition.id,
            message: problem.message,
            ...(problem.suggestion === undefined ? {} : { suggestion: problem.suggestion }),
          });
        }
      }
    }
  }
}

/** An output whose type is not known may have any type. */
function typeOfSource({ node, port }: DraftSource): PortType {
  return node.isUnsure ? "any" : (node.outputTypes.get(port) ?? "any");
}

/** The sources of a node's ports, once the types of preceding nodes are known. */
export function connectedPorts(draft: DraftNode): ConnectedPort[] {
  return [...draft.sources].flatMap(([port, sources]) =>
    sources.map((source) => ({ port, type: typeOfSource(source) })),
  );
}

function outputType(draft: DraftNode, declared: PortType, typeOf: string | undefined): PortType {
  if (typeOf === undefined) {
    return declared;
  }
  const types = new Set((draft.sources.get(typeOf) ?? []).map(typeOfSource));
  const [only] = types;
  return types.size === 1 && only !== undefined ? only : "any";
}

function suggestConversion(source: PortType, target: PortType): string {
  if (target === "text") {
    return "Put a text/template node between them to turn the value into text.";
  }
  if (source === "json") {
    return "Put a utility/json_path node between them to pick the value.";
  }
  return `Connect an output of type ${target} instead.`;
}
