/** @jsxImportSource react */
/** All wires of a canvas that is seen from far away, as a few paths: each wire as elements of its own costs most of a frame. */
import { type Edge, getBezierPath, Position, ViewportPortal } from "@xyflow/react";
import { memo, useMemo, useRef } from "react";
import { NODE_WIDTH, portY } from "../core/node-size.ts";
import type { CardNode } from "./node-card.tsx";

interface DrawnWire {
  readonly source: CardNode;
  readonly target: CardNode;
  readonly path: string;
}

interface Strand {
  readonly key: string;
  readonly type: string;
  readonly className: string;
  readonly path: string;
}

export const OverviewWires = memo(function OverviewWires({
  nodes,
  edges,
}: {
  readonly nodes: readonly CardNode[];
  readonly edges: readonly Edge[];
}) {
  const drawn = useRef(new WeakMap<Edge, DrawnWire>());
  const strands = useMemo(() => strandsOf(nodes, edges, drawn.current), [nodes, edges]);
  return (
    <ViewportPortal>
      <svg className="strands" width="1" height="1" aria-hidden="true">
        {strands.map(({ key, type, className, path }) => (
          <path key={key} data-port={type} className={className} d={path} />
        ))}
      </svg>
    </ViewportPortal>
  );
});

/** One path for the wires of each color and width; those of wires whose ends have not changed are not computed again. */
function strandsOf(
  nodes: readonly CardNode[],
  edges: readonly Edge[],
  drawn: WeakMap<Edge, DrawnWire>,
): readonly Strand[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const strands = new Map<string, { type: string; className: string; paths: string[] }>();
  for (const edge of edges) {
    const [source, target] = [byId.get(edge.source), byId.get(edge.target)];
    if (source === undefined || target === undefined) {
      continue;
    }
    let wire = drawn.get(edge);
    if (wire?.source !== source || wire.target !== target) {
      wire = { source, target, path: pathOf(edge, source, target) };
      drawn.set(edge, wire);
    }
    const named = edge.data?.["type"];
    const type = typeof named === "string" ? named : "any";
    const className = `${edge.className ?? ""}${edge.selected === true ? " selected" : ""}`;
    const key = `${type} ${className}`;
    const strand = strands.get(key) ?? { type, className, paths: [] };
    strand.paths.push(wire.path);
    strands.set(key, strand);
  }
  return [...strands].map(([key, { type, className, paths }]) => ({
    key,
    type,
    className,
    path: paths.join(""),
  }));
}

function pathOf(edge: Edge, source: CardNode, target: CardNode): string {
  const [path] = getBezierPath({
    sourceX: source.position.x + NODE_WIDTH,
    sourceY:
      source.position.y + portY(source.data.ports, "out", (edge.sourceHandle ?? "").slice(4)),
    sourcePosition: Position.Right,
    targetX: target.position.x,
    targetY: target.position.y + portY(target.data.ports, "in", (edge.targetHandle ?? "").slice(3)),
    targetPosition: Position.Left,
  });
  return path;
}
