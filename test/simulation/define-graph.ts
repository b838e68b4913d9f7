import { Definition } from "../../src/contracts/workflows/definition.ts";

/** A node in `nodes[]` order; its label is its id. */
export type GraphNode = readonly [
  id: string,
  type: string,
  parameters?: Readonly<Record<string, unknown>>,
];

/** A definition of nodes in `nodes[]` order, and of `"node.port > node.port"` in connection order. */
export function defineGraph(nodes: readonly GraphNode[], links: readonly string[]): Definition {
  const end = (text: string): { node: string; port: string } => {
    const dot = text.lastIndexOf(".");
    return { node: text.slice(0, dot), port: text.slice(dot + 1) };
  };
  return Definition.parse({
    nodes: nodes.map(([id, type, parameters = {}]) => ({ id, type, label: id, parameters })),
    connections: links.map((link) => {
      const [from, to] = link.split(" > ");
      return { from: end(from!), to: end(to!) };
    }),
  });
}
