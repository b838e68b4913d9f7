/**
 * The events of a run, derived from its log only. They contain names and positions: never a value, parameter, message
 * or address (docs/contract/trace.md#never-shown).
 */
import { isTerminal } from "../../contracts/runs/run.ts";
import type { RunEventBody } from "../../contracts/runs/run-events.ts";
import type { Layout } from "../layout/layout.ts";
import type { OutlineNode } from "../plan/outline.ts";
import type { LoggedDelta } from "./delta-text.ts";
import { nodeStateName } from "./node-state-name.ts";

/** The position of an event: its delta (0 is the initial state), and its index within the delta. */
export interface EventPlace {
  readonly seq: number;
  readonly sub: number;
}

export interface EventSource {
  readonly outline: { readonly nodes: readonly Pick<OutlineNode, "id" | "scope">[] };
  readonly layout: Layout;
}

/** Number of events of a delta. */
export function countEvents({ delta }: LoggedDelta): number {
  return (
    (delta.status === null ? 0 : isTerminal(delta.status) ? 2 : 1) +
    delta.nodes.length +
    delta.outputs.reduce((sum, range) => sum + range.count, 0) +
    (delta.progress === null ? 0 : 1)
  );
}

/**
 * Returns one event of a delta by its index: a live status, then nodes, outputs and progress, and finally a terminal
 * status and `done`. Undefined beyond the last.
 */
export function eventAt(
  { outline, layout }: EventSource,
  { delta, atMs }: LoggedDelta,
  position: number,
): RunEventBody | undefined {
  let at = position;
  const { status } = delta;
  if (status !== null && !isTerminal(status) && at-- === 0) {
    return { event: "status", atMs, data: { status } };
  }
  const changed = delta.nodes[at];
  if (changed !== undefined) {
    const { state, index } = changed;
    return {
      event: "node",
      atMs,
      data: {
        node_id: outline.nodes[index]?.id ?? "",
        state: nodeStateName(state, "running"),
        total: state.total < 0 || !Number.isFinite(state.total) ? null : state.total,
        completed: state.ok,
        reused: state.reused,
        failed: state.failed,
        blocked: state.blocked,
        skipped: state.absent,
      },
    };
  }
  at -= delta.nodes.length;
  for (const range of delta.outputs) {
    const node = outline.nodes[range.node];
    if (at < range.count && node !== undefined) {
      return {
        event: "output",
        atMs,
        data: {
          node_id: node.id,
          presence: PRESENCE[range.status],
          input_indices: layout.indices(node.scope, range.from + at),
        },
      };
    }
    at -= range.count;
  }
  if (delta.progress !== null && at-- === 0) {
    return { event: "progress", atMs, data: { progress: delta.progress } };
  }
  if (status !== null && isTerminal(status)) {
    if (at === 0) {
      return { event: "status", atMs, data: { status } };
    }
    if (at === 1) {
      return { event: "done", atMs, data: { status } };
    }
  }
  return undefined;
}

const PRESENCE = {
  ok: "present",
  failed: "missing",
  blocked: "missing",
  absent: "absent",
} as const;
