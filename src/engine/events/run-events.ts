/**
 * What clients are told of a run, derived from its log and nothing else. Names and positions only:
 * no value, parameter, message or address ever stands in an event (docs/contract/trace.md#never-shown).
 */
import { isTerminal } from "../../contracts/run.ts";
import type { RunEventBody } from "../../contracts/run-events.ts";
import type { Layout } from "../layout/layout.ts";
import type { OutlineNode } from "../plan/outline.ts";
import type { LoggedDelta } from "./delta-text.ts";
import { nodeStateName } from "./node-state-name.ts";

/** The place of an event: the delta it comes from (0 is the run's birth), and which of its events it is. */
export interface EventPlace {
  readonly seq: number;
  readonly sub: number;
}

export interface EventSource {
  readonly outline: { readonly nodes: readonly Pick<OutlineNode, "id" | "scope">[] };
  readonly layout: Layout;
}

/** How many events a delta gives. */
export function countEvents({ delta }: LoggedDelta): number {
  return (
    (delta.status === null ? 0 : isTerminal(delta.status) ? 2 : 1) +
    delta.nodes.length +
    delta.outputs.reduce((sum, range) => sum + range.count, 0) +
    (delta.progress === null ? 0 : 1)
  );
}

/**
 * One event of a delta, by its position: a live status, then nodes, then outputs, then progress, and
 * a terminal status and `done` last. Undefined beyond the last.
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
