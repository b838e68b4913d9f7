/** The wires that are lit while nodes are selected: all that lead to them or from them. */
import type { Graph, Wire } from "./graph.ts";

const NONE: ReadonlySet<string> = new Set();

export function litWires(graph: Graph, selection: ReadonlySet<string>): ReadonlySet<string> {
  if (selection.size === 0) {
    return NONE;
  }
  const lit = new Set<string>();
  for (const [near, far] of [
    ["to", "from"],
    ["from", "to"],
  ] as const) {
    const byEnd = new Map<string, Wire[]>();
    for (const wire of graph.wires) {
      byEnd.set(wire[near].node, [...(byEnd.get(wire[near].node) ?? []), wire]);
    }
    const seen = new Set<string>();
    const open = [...selection];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (!seen.has(id)) {
        seen.add(id);
        for (const wire of byEnd.get(id) ?? []) {
          lit.add(wire.id);
          open.push(wire[far].node);
        }
      }
    }
  }
  return lit;
}
