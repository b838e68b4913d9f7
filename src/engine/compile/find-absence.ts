import type { DraftNode } from "./draft.ts";
import { hasDefault, opensAxis } from "../../nodes/define-node.ts";
import type { Scopes } from "./place-scopes.ts";

/**
 * Finds the outputs that a branch or an optional input can make absent, as `node → ports` [E8]. Conservative if a value
 * decides: a branch counts as able to go either way.
 */
export function findAbsence(
  ordered: readonly DraftNode[],
  scopes: Scopes,
): (draft: DraftNode, port: string) => boolean {
  const absent = new Map<DraftNode, Set<string>>();
  const axisMayBeAbsent: boolean[] = [];
  const mayBe = (draft: DraftNode, port: string) => absent.get(draft)?.has(port) ?? false;

  for (const draft of ordered) {
    const place = scopes.of.get(draft);
    const never = missesInput(draft, mayBe);
    const isAbsentAsAWhole =
      draft.type.role === "aggregator"
        ? never || closedAxes(scopes, place).some((axis) => axisMayBeAbsent[axis] === true)
        : never;
    if (opensAxis(draft.type) && place !== undefined) {
      axisMayBeAbsent[place.axis] = isAbsentAsAWhole;
    }
    const ports = [...draft.outputs.values()].filter(
      (port) => isAbsentAsAWhole || port.optional === true,
    );
    absent.set(draft, new Set(ports.map((port) => port.name)));
    // Output nodes have no ports; the empty name represents the node itself.
    const inOwnAxes = (scopes.scopes[place?.scope ?? 0]?.axes ?? []).some(
      (axis) => axisMayBeAbsent[axis] === true,
    );
    if (isAbsentAsAWhole || (draft.type.role === "output" && inOwnAxes)) {
      absent.get(draft)?.add("");
    }
  }
  return mayBe;
}

function closedAxes(
  scopes: Scopes,
  place: { scope: number; outputScope: number } | undefined,
): number[] {
  const open = scopes.scopes[place?.outputScope ?? 0]?.axes ?? [];
  return (scopes.scopes[place?.scope ?? 0]?.axes ?? []).filter((axis) => !open.includes(axis));
}

function missesInput(
  draft: DraftNode,
  mayBe: (draft: DraftNode, port: string) => boolean,
): boolean {
  const { type, params } = draft;
  if (type.role === "input") {
    return params !== undefined && !type.isRequired(params) && !hasDefault(type, params);
  }
  return [...draft.inputs.values()].some((port) => {
    const sources = draft.sources.get(port.name) ?? [];
    // Single elements of an aggregator's columns may be absent; an input that it reads once may not.
    const isColumn = type.role === "aggregator" && port.once !== true;
    if (port.required === false || isColumn || sources.length === 0) {
      return false;
    }
    return port.list === undefined
      ? sources.some((source) => mayBe(source.node, source.port))
      : sources.every((source) => mayBe(source.node, source.port));
  });
}
