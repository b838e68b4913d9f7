/** @jsxImportSource react */
/** The canvas: nodes and wires on a grid of dots, minimap and zoom. */
import {
  Background,
  BackgroundVariant,
  type Connection,
  type Edge,
  type EdgeChange,
  type FinalConnectionState,
  type IsValidConnection,
  MiniMap,
  type NodeChange,
  type OnConnectStartParams,
  ReactFlow,
  useReactFlow,
  useStore as useFlowStore,
} from "@xyflow/react";
import { type DragEvent, useEffect, useMemo, useRef } from "react";
import { refuseConnection } from "../core/connect.ts";
import { type End, type Graph, moveNodes, type Point } from "../core/graph.ts";
import { issuesByNode, type Issue } from "../core/issues.ts";
import { NODE_WIDTH, nodeHeight } from "../core/node-size.ts";
import type { GraphPorts, Ports } from "../core/ports.ts";
import { addNodeOf, connectEnds } from "../state/edit.ts";
import { litWires } from "../core/lit-wires.ts";
import type { EditorStore } from "../state/store.ts";
import { useEditorState, useStore, useWords } from "./context.tsx";
import { Icon } from "./icons.tsx";
import { type CardData, type CardNode, NodeCard } from "./node-card.tsx";
import { WireEdge } from "./wire.tsx";

const NODE_TYPES = { card: NodeCard };
const EDGE_TYPES = { wire: WireEdge };
/** Type of the data of a drag from the palette. */
export const DRAG_TYPE = "application/x-edgeloom-node-type";
/** From this number on, nodes outside the view are not in the document. */
const RENDER_ALL_MAX = 200;
const NO_ISSUES: readonly Issue[] = [];

/** Flow nodes keep their identity while nothing that they show changes, so that only changed cards render. */
function useFlowNodes(): CardNode[] {
  const store = useStore();
  const history = useEditorState((state) => state.history);
  const catalog = useEditorState((state) => state.catalog);
  const issues = useEditorState((state) => state.issues);
  const run = useEditorState((state) => state.run);
  const selection = useEditorState((state) => state.selection);
  const canEdit = useEditorState((state) => state.canEdit);
  const cache = useRef(new Map<string, CardNode>());
  return useMemo(() => {
    const ports = store.ports();
    const byNode = issuesByNode(issues);
    const next = new Map<string, CardNode>();
    for (const node of history.present.nodes) {
      const before = cache.current.get(node.id);
      const entry = catalog.entries.get(node.type);
      const shown = samePorts(before?.data.ports, ports.of(node.id));
      const data: CardData = {
        node,
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
        before !== undefined && isSame(before.data, data) && before.selected === isSelected
          ? before
          : flowNode(data, isSelected),
      );
    }
    cache.current = next;
    return [...next.values()];
  }, [store, history, catalog, issues, run, selection, canEdit]);
}

function flowNode(data: CardData, selected: boolean): CardNode {
  const height = nodeHeight(data.ports);
  return {
    id: data.node.id,
    type: "card",
    position: data.node.position ?? { x: 0, y: 0 },
    data,
    selected,
    draggable: data.canEdit,
    measured: { width: NODE_WIDTH, height },
  };
}

function isSame(a: CardData, b: CardData): boolean {
  return Object.keys(b).every((key) => a[key] === b[key]);
}

/** The ports of before if nothing about them has changed: they are computed again with every change of the graph. */
function samePorts(before: Ports | undefined, now: Ports): Ports {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now;
}

function sameTypes(
  before: Readonly<Record<string, string>> | undefined,
  ports: GraphPorts,
  id: string,
  { outputs }: Ports,
): Readonly<Record<string, string>> {
  const now = Object.fromEntries(outputs.map(({ name }) => [name, ports.typeOf({ node: id, port: name })]));
  const isEqual =
    before !== undefined &&
    Object.keys(before).length === outputs.length &&
    outputs.every(({ name }) => before[name] === now[name]);
  return isEqual ? before : now;
}

function sameIssues(before: readonly Issue[] | undefined, now: readonly Issue[] = NO_ISSUES): readonly Issue[] {
  const isEqual =
    before?.length === now.length &&
    before.every((issue, at) => issue.message === now[at]?.message && issue.path === now[at]?.path);
  return isEqual ? before : now;
}

function useFlowEdges(): Edge[] {
  const store = useStore();
  const history = useEditorState((state) => state.history);
  const catalog = useEditorState((state) => state.catalog);
  const selection = useEditorState((state) => state.selection);
  const selectedWires = useEditorState((state) => state.selectedWires);
  const run = useEditorState((state) => state.run);
  const cache = useRef(new Map<string, Edge>());
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
    return [...next.values()];
    // The types of wires follow from the catalog.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [store, history, catalog, selection, selectedWires, run]);
}

/** A burst of this name is a drag: all its movements are one step. */
const DRAG_BURST = "drag";

function applyNodeChanges(store: EditorStore, changes: readonly NodeChange<CardNode>[]): void {
  const positions = new Map<string, Point>();
  let isDragEnd = false;
  const selection = new Set(store.state.selection);
  let isSelectionChanged = false;
  for (const change of changes) {
    if (change.type === "position" && change.position !== undefined) {
      positions.set(change.id, { x: Math.round(change.position.x), y: Math.round(change.position.y) });
      isDragEnd ||= change.dragging === false;
    } else if (change.type === "select") {
      isSelectionChanged = true;
      if (change.selected) {
        selection.add(change.id);
      } else {
        selection.delete(change.id);
      }
    }
  }
  if (isSelectionChanged) {
    store.set({ selection, ...(selection.size > 0 && { tab: "node" as const }) });
  }
  const moved = [...positions].filter(([id, { x, y }]) => {
    const node = store.graph.nodes.find((each) => each.id === id);
    return node?.position?.x !== x || node.position.y !== y;
  });
  if (moved.length > 0) {
    store.change(moveNodes(store.graph, new Map(moved)), DRAG_BURST);
  }
  if (isDragEnd) {
    store.endBurst();
  }
}

function applyEdgeChanges(store: EditorStore, changes: readonly EdgeChange[]): void {
  const selectedWires = new Set(store.state.selectedWires);
  let isChanged = false;
  for (const change of changes) {
    if (change.type === "select") {
      isChanged = true;
      if (change.selected) {
        selectedWires.add(change.id);
      } else {
        selectedWires.delete(change.id);
      }
    }
  }
  if (isChanged) {
    store.set({ selectedWires });
  }
}

function endsOf({ source, target, sourceHandle, targetHandle }: Connection | Edge): readonly [End, End] {
  return [
    { node: source, port: (sourceHandle ?? "").replace(/^out:/, "") },
    { node: target, port: (targetHandle ?? "").replace(/^in:/, "") },
  ];
}

export function Canvas() {
  const store = useStore();
  const words = useWords();
  const nodes = useFlowNodes();
  const edges = useFlowEdges();
  const flow = useReactFlow();
  const canEdit = useEditorState((state) => state.canEdit);
  const isDropped = useEditorState((state) => state.dropped !== null);
  const isValid: IsValidConnection = (connection) =>
    refuseConnection(store.ports(), ...endsOf(connection)) === undefined;
  const onConnectStart = (_event: unknown, { nodeId, handleId }: OnConnectStartParams) => {
    const [side, ...name] = (handleId ?? "").split(":");
    if (nodeId !== null && (side === "in" || side === "out")) {
      store.set({ picked: { node: nodeId, port: name.join(":"), side } });
    }
  };
  const onConnectEnd = (event: MouseEvent | TouchEvent, state: FinalConnectionState) => {
    const { picked } = store.state;
    store.set({ picked: null });
    if (picked === null || state.isValid === true) {
      return;
    }
    if (state.toHandle !== null && state.toNode !== null) {
      const name = (state.toHandle.id ?? "").replace(/^(?:in|out):/, "");
      const other = { node: state.toNode.id, port: name };
      // Refused: this says why.
      if (picked.side === "out") {
        connectEnds(store, picked, other);
      } else {
        connectEnds(store, other, picked);
      }
    } else if (state.toNode === null) {
      const point = "changedTouches" in event ? event.changedTouches[0] : event;
      if (point !== undefined) {
        dropWire(store, picked, flow.screenToFlowPosition({ x: point.clientX, y: point.clientY }));
      }
    }
  };
  const onDrop = (event: DragEvent) => {
    const entry = store.state.catalog.entries.get(event.dataTransfer.getData(DRAG_TYPE));
    if (entry !== undefined) {
      event.preventDefault();
      const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
      addNodeOf(store, entry, { x: Math.round(at.x - NODE_WIDTH / 2), y: Math.round(at.y - 20) });
    }
  };
  return (
    <div className="canvas" dir="ltr" role="region" aria-label={words("canvas")} data-svc-canvas="">
      <ReactFlow<CardNode>
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        onNodesChange={(changes) => {
          applyNodeChanges(store, changes);
        }}
        onEdgesChange={(changes) => {
          applyEdgeChanges(store, changes);
        }}
        onConnect={(connection) => {
          connectEnds(store, ...endsOf(connection));
        }}
        isValidConnection={isValid}
        onConnectStart={onConnectStart}
        onConnectEnd={onConnectEnd}
        onPaneClick={() => {
          store.set({ picked: null, dropped: null });
        }}
        onDrop={onDrop}
        onDragOver={(event) => {
          event.preventDefault();
        }}
        nodesFocusable={false}
        edgesFocusable={false}
        disableKeyboardA11y
        deleteKeyCode={null}
        multiSelectionKeyCode={["Meta", "Control"]}
        connectOnClick={false}
        nodesConnectable={canEdit}
        nodeDragThreshold={2}
        minZoom={0.1}
        maxZoom={2}
        onlyRenderVisibleElements={nodes.length > RENDER_ALL_MAX}
        zoomOnDoubleClick={false}
        elevateNodesOnSelect={false}
      >
        <Background variant={BackgroundVariant.Dots} gap={20} size={1.5} />
        <MiniMap
          pannable
          zoomable
          ariaLabel={words("minimap")}
          nodeClassName={(node) => `mini mini-${String((node as CardNode).data.run?.state ?? "idle")}`}
          nodeBorderRadius={4}
        />
      </ReactFlow>
      <Zoom />
      <GoToNode />
      {nodes.length === 0 && !isDropped && <EmptyCanvas />}
    </div>
  );
}

function dropWire(store: EditorStore, picked: End & { side: "in" | "out" }, at: Point): void {
  const ports = store.ports();
  const end = { node: picked.node, port: picked.port };
  const port = picked.side === "in" ? ports.input(end) : ports.output(end);
  store.set({
    dropped: {
      side: picked.side === "out" ? "from" : "to",
      type: picked.side === "out" ? ports.typeOf(end) : (port?.type ?? "any"),
      ...(port !== undefined && { port }),
      end,
      at: {
        x: Math.round(picked.side === "out" ? at.x : at.x - NODE_WIDTH),
        y: Math.round(at.y - 60),
      },
    },
    search: "",
    isPaletteOpen: true,
    status: store.words("fitting"),
  });
}

function EmptyCanvas() {
  const words = useWords();
  const canEdit = useEditorState((state) => state.canEdit);
  return (
    <div className="empty" data-svc-empty="">
      <Icon name="graph" size={24} />
      <b>{words("emptyTitle")}</b>
      {canEdit && <p>{words("emptyHelp")}</p>}
    </div>
  );
}

function Zoom() {
  const words = useWords();
  const { zoomIn, zoomOut, zoomTo } = useReactFlow();
  const zoom = useFlowStore(({ transform }) => transform[2]);
  return (
    <div className="zoom btns" role="group" aria-label={words("zoom")}>
      <button className="btn btn-s btn-i" aria-label={words("zoomOut")} onClick={() => void zoomOut()}>
        <Icon name="minus" />
      </button>
      <button className="btn btn-s zoom-n" onClick={() => void zoomTo(1)}>
        {`${String(Math.round(zoom * 100))}%`}
      </button>
      <button className="btn btn-s btn-i" aria-label={words("zoomIn")} onClick={() => void zoomIn()}>
        <Icon name="plus" />
      </button>
    </div>
  );
}

/** Shows the node that was asked for, and moves the focus to it if no parameter was. */
function GoToNode() {
  const goal = useEditorState((state) => state.goal);
  const graph = useEditorState((state) => state.history.present);
  const latest = useRef<Graph>(graph);
  latest.current = graph;
  const { setCenter, getZoom, fitView } = useReactFlow();
  const phase = useEditorState((state) => state.phase);
  const workflow = useEditorState((state) => state.stored);
  const isEmpty = graph.nodes.length === 0;
  useEffect(() => {
    if (phase === "ready" && !isEmpty) {
      void fitView({ maxZoom: 1, padding: 0.12 });
    }
    // Again after a load, and when the first node has been added.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [phase, workflow === null, isEmpty, fitView]);
  useEffect(() => {
    const node = latest.current.nodes.find(({ id }) => id === goal.node);
    if (node === undefined) {
      return;
    }
    const { x, y } = node.position ?? { x: 0, y: 0 };
    void setCenter(x + NODE_WIDTH / 2, y + 80, { zoom: Math.max(getZoom(), 0.6) });
    if (goal.parameter === null) {
      requestAnimationFrame(() => {
        document.querySelector<HTMLElement>(`[data-svc-node="${CSS.escape(node.id)}"]`)?.focus({ preventScroll: true });
      });
    }
  }, [goal, setCenter, getZoom]);
  return null;
}

