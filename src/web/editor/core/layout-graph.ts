/** Auto layout from left to right. Runs in a worker of the page: it takes seconds for hundreds of nodes. */
import { graphlib, layout } from "@dagrejs/dagre";
import type { Point } from "./graph.ts";

export interface LayoutNode {
  readonly id: string;
  /** In pixels of the canvas. */
  readonly width: number;
  readonly height: number;
}

export interface LayoutRequest {
  readonly nodes: readonly LayoutNode[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/** Distances between nodes, in pixels of the canvas. */
const RANK_GAP = 80;
const NODE_GAP = 32;

/** Returns the place of the upper left corner of each node, in whole pixels. */
export function layoutGraph({ nodes, edges }: LayoutRequest): ReadonlyMap<string, Point> {
  const graph = new graphlib.Graph({ multigraph: false });
  graph.setGraph({ rankdir: "LR", ranksep: RANK_GAP, nodesep: NODE_GAP, marginx: 0, marginy: 0 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of nodes) {
    graph.setNode(id, { width, height });
  }
  const known = new Set(nodes.map(({ id }) => id));
  for (const { from, to } of edges) {
    if (from !== to && known.has(from) && known.has(to)) {
      graph.setEdge(from, to);
    }
  }
  layout(graph);
  return new Map(
    nodes.map(({ id, width, height }) => {
      const { x = 0, y = 0 } = graph.node(id) as { x?: number; y?: number };
      return [id, { x: Math.round(x - width / 2), y: Math.round(y - height / 2) }];
    }),
  );
}
