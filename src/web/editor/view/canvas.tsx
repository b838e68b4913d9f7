/** @jsxImportSource react */
/** The canvas: nodes and wires on a grid of dots, minimap and zoom. */
import {
  type Connection,
  type Edge,
  type EdgeChange,
  type FinalConnectionState,
  type NodeChange,
  type OnConnectStartParams,
  ReactFlow,
  useReactFlow,
  useStore as useFlowStore,
} from "@xyflow/react";
import {
  type DragEvent,
  type KeyboardEvent,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
} from "react";
import { refuseConnection } from "../core/connect.ts";
import type { End, Graph, Point } from "../core/graph.ts";
import { NODE_WIDTH } from "../core/node-size.ts";
import { addNodeOf, connectEnds } from "../state/edit.ts";
import type { EditorStore } from "../state/store.ts";
import { useEditorState, useStore, useWords } from "./context.tsx";
import { Icon } from "./icons.tsx";
import { applyEdgeChanges, applyNodeChanges } from "./flow-changes.ts";
import { useFlowEdges, useFlowNodes } from "./flow-graph.ts";
import { type CardNode, NodeCard } from "./node-card.tsx";
import { FIT } from "./fit-button.tsx";
import { Grid } from "./grid.tsx";
import { Minimap } from "./minimap.tsx";
import { OverviewWires } from "./overview-wires.tsx";
import { WireEdge } from "./wire.tsx";

const NODE_TYPES = { card: NodeCard };
const EDGE_TYPES = { wire: WireEdge };
const NO_EDGES: Edge[] = [];
/** Type of the data of a drag from the palette. */
export const DRAG_TYPE = "application/x-edgeloom-node-type";
/** The package's English descriptions of keys that are not its own here; nothing refers to them. */
const NO_DESCRIPTIONS = {
  "node.a11yDescription.default": "",
  "node.a11yDescription.keyboardDisabled": "",
  "edge.a11yDescription.default": "",
} as const;
/** From this zoom on, the targets of handles, of 28 px, have at least 24 px. */
const NEAR_ZOOM = 24 / 28;
/** At which 1,000 nodes in a square of 40 columns fit a canvas of 600 px. */
const MIN_ZOOM = 0.05;
/** Below this zoom, letters of 13 px have less than 6.5 px. */
const OVERVIEW_ZOOM = 0.5;
/** Below this zoom, the large letters of outlines have less than 5.2 px. */
const NAMELESS_ZOOM = 0.2;
/** From this number on, nodes outside the view are not in the document. */
const RENDER_ALL_MAX = 200;

function endsOf({
  source,
  target,
  sourceHandle,
  targetHandle,
}: Connection | Edge): readonly [End, End] {
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
  const isOverview = useEditorState((state) => state.isOverview);
  const isNameless = useFlowStore(({ transform }) => transform[2] < NAMELESS_ZOOM);
  // The canvas tells each new function to all that listen to its state, which are several for each card.
  const on = useMemo(() => handlers(store, flow), [store, flow]);
  return (
    <div
      className={isNameless ? "canvas is-nameless" : "canvas"}
      dir="ltr"
      role="region"
      aria-label={words("canvas")}
      data-svc-canvas=""
      tabIndex={-1}
      onKeyDown={(event) => {
        if (nodes.length > RENDER_ALL_MAX && event.key === "Tab" && passCard(store, event)) {
          event.preventDefault();
        }
      }}
    >
      <Grid />
      <ReactFlow<CardNode>
        nodes={nodes}
        edges={isOverview ? NO_EDGES : edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        {...on}
        nodesFocusable={false}
        edgesFocusable={false}
        disableKeyboardA11y
        ariaLabelConfig={NO_DESCRIPTIONS}
        deleteKeyCode={null}
        multiSelectionKeyCode={["Meta", "Control"]}
        connectOnClick={false}
        nodesConnectable={canEdit}
        nodeDragThreshold={2}
        minZoom={MIN_ZOOM}
        maxZoom={2}
        onlyRenderVisibleElements={nodes.length > RENDER_ALL_MAX && !isOverview}
        zoomOnDoubleClick={false}
        elevateNodesOnSelect={false}
      >
        {isOverview && <OverviewWires nodes={nodes} edges={edges} />}
      </ReactFlow>
      {nodes.length > 0 && <Minimap nodes={nodes} />}
      <Zoom />
      <Distance />
      <GoToNode />
      {nodes.length === 0 && !isDropped && <EmptyCanvas />}
    </div>
  );
}

/** What the canvas reports, as changes of the document and of the selection. */
function handlers(store: EditorStore, flow: ReturnType<typeof useReactFlow>) {
  return {
    onNodesChange: (changes: NodeChange<CardNode>[]) => {
      applyNodeChanges(store, changes);
    },
    onEdgesChange: (changes: EdgeChange[]) => {
      applyEdgeChanges(store, changes);
    },
    onConnect: (connection: Connection) => {
      connectEnds(store, ...endsOf(connection));
    },
    isValidConnection: (connection: Connection | Edge) =>
      refuseConnection(store.ports(), ...endsOf(connection)) === undefined,
    onConnectStart: (_event: unknown, { nodeId, handleId }: OnConnectStartParams) => {
      const [side, ...name] = (handleId ?? "").split(":");
      if (nodeId !== null && (side === "in" || side === "out")) {
        store.set({ picked: { node: nodeId, port: name.join(":"), side } });
      }
    },
    onConnectEnd: (event: MouseEvent | TouchEvent, state: FinalConnectionState) => {
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
          const at = flow.screenToFlowPosition({ x: point.clientX, y: point.clientY });
          dropWire(store, picked, at);
        }
      }
    },
    onPaneClick: () => {
      store.set({ picked: null, dropped: null });
    },
    onDrop: (event: DragEvent) => {
      const entry = store.state.catalog.entries.get(event.dataTransfer.getData(DRAG_TYPE));
      if (entry !== undefined) {
        event.preventDefault();
        const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
        addNodeOf(store, entry, { x: Math.round(at.x - NODE_WIDTH / 2), y: Math.round(at.y - 20) });
      }
    },
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
    },
  };
}

/**
 * Moves the focus from a card to the one before or after it in the document, which may be out of view. Returns false where
 * the browser's own order is right: within a card, and at the ends.
 */
function passCard(
  store: EditorStore,
  { target, currentTarget, shiftKey }: KeyboardEvent<HTMLElement>,
): boolean {
  const { goal } = store.state;
  const card = (target as Element).closest<HTMLElement>("[data-svc-node]");
  const stops = [...(card?.querySelectorAll<HTMLElement>("[tabindex='0']") ?? [])];
  if (card !== null && target !== (shiftKey ? card : (stops.at(-1) ?? card))) {
    return false;
  }
  // The canvas itself has the focus while a card comes into view.
  const from = card?.dataset["svcNode"] ?? (target === currentTarget ? goal.node : null);
  const { nodes } = store.graph;
  const at = nodes.findIndex(({ id }) => id === from);
  const next = at === -1 ? undefined : nodes[shiftKey ? at - 1 : at + 1];
  if (next === undefined) {
    return false;
  }
  currentTarget.focus({ preventScroll: true });
  store.set({ goal: { node: next.id, parameter: null, n: goal.n + 1 } });
  return true;
}

/** Frames that a card which comes into view may take until it is in the document. */
const FRAMES_MAX = 60;

function focusCard(id: string, frames = 0): void {
  requestAnimationFrame(() => {
    const card = document.querySelector<HTMLElement>(`[data-svc-node="${CSS.escape(id)}"]`);
    if (card !== null) {
      card.focus({ preventScroll: true });
    } else if (frames < FRAMES_MAX) {
      focusCard(id, frames + 1);
    }
  });
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
      {canEdit && (
        <>
          <p className="beside-palette">{words("emptyHelp")}</p>
          <p className="without-palette">{words("emptyHelpList")}</p>
        </>
      )}
    </div>
  );
}

function Zoom() {
  const words = useWords();
  const { zoomIn, zoomOut, zoomTo } = useReactFlow();
  const zoom = useFlowStore(({ transform }) => transform[2]);
  return (
    <div className="zoom btns" role="group" aria-label={words("zoom")}>
      <button
        className="btn btn-s btn-i"
        aria-label={words("zoomOut")}
        onClick={() => void zoomOut()}
      >
        <Icon name="minus" />
      </button>
      <button className="btn btn-s zoom-n" onClick={() => void zoomTo(1)}>
        {`${String(Math.round(zoom * 100))}%`}
      </button>
      <button
        className="btn btn-s btn-i"
        aria-label={words("zoomIn")}
        onClick={() => void zoomIn()}
      >
        <Icon name="plus" />
      </button>
    </div>
  );
}

/** Notes whether handles are too small to be targets, and cards to be read. */
function Distance() {
  const store = useStore();
  const isFar = useFlowStore(({ transform }) => transform[2] < NEAR_ZOOM);
  const isOverview = useFlowStore(({ transform }) => transform[2] < OVERVIEW_ZOOM);
  useLayoutEffect(() => {
    store.set({ isFar, isOverview });
  }, [store, isFar, isOverview]);
  return null;
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
      void fitView(FIT);
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
      focusCard(node.id);
    }
  }, [goal, setCenter, getZoom]);
  return null;
}
