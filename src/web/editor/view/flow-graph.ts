/** The document as nodes and edges of the canvas; those of before are kept while nothing that they show changes. */
import type { Edge } from "@xyflow/react";
import { useMemo, useRef } from "react";
import { type Issue, issuesByNode } from "../core/issues.ts";
import { litWires } from "../core/lit-wires.ts";
import { type GraphNode, titleOf } from "../core/graph.ts";
import { NODE_WIDTH, nodeHeight } from "../core/node-size.ts";
import type { GraphPorts, Ports } from "../core/ports.ts";
import { useEditorState, useStore } from "./context.tsx";
import type { CardData, CardNode } from "./node-card.tsx";

const NO_ISSUES: readonly Issue[] = [];
const ORIGIN = { x: 0, y: 0 } as const;

/** The list of before if all its entries are: the canvas takes every new list as a change of all nodes or all wires. */
function sameList<T>(before: T[], now: T[]): T[] {
  return before.length === now.length && now.every((each, at) => each === before[at])
    ? before
    : now;
}

/** Only cards that show something else, or at another place, are new. */
export function useFlowNodes(): CardNode[] {
  const store = useStore();
  const history = useEditorState((state) => state.history);
  const catalog = useEditorState((state) => state.catalog);
  const issues = useEditorState((state) => state.issues);
  const run = useEditorState((state) => state.run);
  const selection = useEditorState((state) => state.selection);
  const canEdit = useEditorState((state) => state.canEdit);
  const cache = useRef(new Map<string, CardNode>());
  const list = useRef<CardNode[]>([]);
  return useMemo(() => {
    const ports = store.ports();
    const byNode = issuesByNode(issues);
    const next = new Map<string, CardNode>();
    for (const node of history.present.nodes) {
      const before = cache.current.get(node.id);
      const entry = catalog.entries.get(node.type);
      const shown = samePorts(before?.data.ports, ports.of(node.id));
      const data: CardData = {
        title: titleOf(node, entry?.name),
        type: node.type,
        entry,
        ports: shown,
        types: sameTypes(before?.data.types, ports, node.id, shown),
        issues: sameIssues(before?.data.issues, byNode.get(node.id)),
        run: run?.nodes.get(node.id),
        canEdit,
      };
      const isSelected = selection.has(node.id);
      next.set(
        node.id,
        before !== undefined &&
          isSame(before.data, data) &&
          isAt(before, node) &&
          before.selected === isSelected
          ? before
          : flowNode(node, data, isSelected),
      );
    }
    cache.current = next;
    list.current = sameList(list.current, [...next.values()]);
    return list.current;
  }, [store, history, catalog, issues, run, selection, canEdit]);
}

function flowNode(
  { id, position = ORIGIN }: GraphNode,
  data: CardData,
  selected: boolean,
): CardNode {
  const height = nodeHeight(data.ports);
  return {
    id,
    type: "card",
    position,
    data,
    selected,
    draggable: data.canEdit,
    measured: { width: NODE_WIDTH, height },
  };
}

function isAt({ position }: CardNode, node: GraphNode): boolean {
  const { x, y } = node.position ?? ORIGIN;
  return position.x === x && position.y === y;
}

function isSame(a: CardData, b: CardData): boolean {
  return Object.keys(b).every((key) => a[key] === b[key]);
}

/** The ports of before if nothing about them has changed: they are computed again with every change of the graph. */
function samePorts(before: Ports | undefined, now: Ports): Ports {
  return before !== undefined && before !== now && JSON.stringify(before) === JSON.stringify(now)
    ? before
    : now;
}

function sameTypes(
  before: Readonly<Record<string, string>> | undefined,
  ports: GraphPorts,
  id: string,
  { outputs }: Ports,
): Readonly<Record<string, string>> {
  const now = Object.fromEntries(
    outputs.map(({ name }) => [name, ports.typeOf({ node: id, port: name })]),
  );
  const isEqual =
    before !== undefined &&
    Object.keys(before).length === outputs.length &&
    outputs.every(({ name }) => before[name] === now[name]);
  return isEqual ? before : now;
}

function sameIssues(
  before: readonly Issue[] | undefined,
  now: readonly Issue[] = NO_ISSUES,
): readonly Issue[] {
  const isEqual =
    before?.length === now.length &&
    before.every((issue, at) => issue.message === now[at]?.message && issue.path === now[at]?.path);
  return isEqual ? before : now;
}

export function useFlowEdges(): Edge[] {
  const store = useStore();
  const history = useEditorState((state) => state.history);
  const catalog = useEditorState((state) => state.catalog);
  const selection = useEditorState((state) => state.selection);
  const selectedWires = useEditorState((state) => state.selectedWires);
  const run = useEditorState((state) => state.run);
  const cache = useRef(new Map<string, Edge>());
  const list = useRef<Edge[]>([]);
  return useMemo(() => {
    const ports = store.ports();
    const graph = history.present;
    const lit = litWires(graph, selection);
    const next = new Map<string, Edge>();
    for (const { id, from, to } of graph.wires) {
      if (ports.output(from) === undefined || ports.input(to) === undefined) {
        continue;
      }
      const state = run?.nodes.get(to.node)?.state;
      const className = [
        "wire",
        ...(lit.has(id) ? ["is-hot"] : []),
        ...(state === "running" ? ["flow"] : []),
      ].join(" ");
      const type = ports.typeOf(from);
      const selected = selectedWires.has(id);
      const before = cache.current.get(id);
      next.set(
        id,
        before !== undefined &&
          before.className === className &&
          before.selected === selected &&
          before.data?.["type"] === type
          ? before
          : {
              id,
              type: "wire",
              source: from.node,
              target: to.node,
              sourceHandle: `out:${from.port}`,
              targetHandle: `in:${to.port}`,
              className,
              selected,
              data: { type },
              domAttributes: { "aria-hidden": true },
            },
      );
    }
    cache.current = next;
    list.current = sameList(list.current, [...next.values()]);
    return list.current;
    // The types of wires follow from the catalog.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [store, history, catalog, selection, selectedWires, run]);
}
