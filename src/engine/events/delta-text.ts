import {
  fromNodeNumbers,
  type NodeNumbers,
  type OldNodeNumbers,
  toNodeNumbers,
} from "../step/node-numbers.ts";
import { CELL_STATUSES, type RunState } from "../step/run-state.ts";
import type { RunDelta } from "./run-delta.ts";

/** A delta as it is kept, and when it was committed. */
export interface LoggedDelta {
  /** 1, 2, 3 …: one for each commit that changed something. */
  readonly seq: number;
  /** Never earlier than that of the one before, whatever the clock does. */
  readonly atMs: number;
  readonly delta: RunDelta;
}

type Text = readonly [
  v: 1,
  /** 1 when a node opened or ended: `hasNewPhase` finds these without parsing. */
  newPhase: 0 | 1,
  atMs: number,
  status: RunDelta["status"],
  progress: number | null,
  stopped: RunState["stopped"],
  nodes: readonly (readonly [index: number, newPhase: 0 | 1, ...(NodeNumbers | OldNodeNumbers)])[],
  outputs: readonly (readonly [node: number, status: number, from: number, count: number])[],
];

/** One line of JSON; a delta of ten nodes has about 300 characters. */
export function encodeDelta(delta: RunDelta, atMs: number): string {
  const text: Text = [
    1,
    delta.nodes.some(({ isNewPhase }) => isNewPhase) ? 1 : 0,
    atMs,
    delta.status,
    delta.progress,
    delta.stopped,
    delta.nodes.map(({ index, state, isNewPhase }) => [
      index,
      isNewPhase ? 1 : 0,
      ...toNodeNumbers(state),
    ]),
    delta.outputs.map(({ node, status, from, count }) => [
      node,
      CELL_STATUSES.indexOf(status),
      from,
      count,
    ]),
  ];
  return JSON.stringify(text);
}

/** Throws TypeError on a version this code does not know. */
export function decodeDelta(seq: number, text: string): LoggedDelta {
  const [v, , atMs, status, progress, stopped, nodes, outputs] = JSON.parse(text) as Text;
  if (v !== 1) {
    throw new TypeError(`The log has a row of version ${String(v)}.`);
  }
  return {
    seq,
    atMs,
    delta: {
      status,
      progress,
      stopped,
      nodes: nodes.map(([index, isNewPhase, ...numbers]) => ({
        index,
        state: fromNodeNumbers(numbers),
        isNewPhase: isNewPhase === 1,
      })),
      outputs: outputs.map(([node, number, from, count]) => ({
        node,
        status: CELL_STATUSES[number] ?? "failed",
        from,
        count,
      })),
    },
  };
}

/** How the text of a delta begins in which a node opened or ended. */
export const NEW_PHASE_PREFIX = "[1,1,";
