/** What people do on the canvas, as changes of the document and of the selection. */
import type { EdgeChange, NodeChange } from "@xyflow/react";
import { moveNodes, type Point } from "../core/graph.ts";
import type { EditorStore } from "../state/store.ts";
import type { CardNode } from "./node-card.tsx";

/** A burst of this name is a drag: all its movements are one step. */
const DRAG_BURST = "drag";

export function applyNodeChanges(
  store: EditorStore,
  changes: readonly NodeChange<CardNode>[],
): void {
  const positions = new Map<string, Point>();
  let isDragEnd = false;
  const selection = new Set(store.state.selection);
  let isSelectionChanged = false;
  for (const change of changes) {
    if (change.type === "position" && change.position !== undefined) {
      positions.set(change.id, {
        x: Math.round(change.position.x),
        y: Math.round(change.position.y),
      });
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

export function applyEdgeChanges(store: EditorStore, changes: readonly EdgeChange[]): void {
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
