import {
  fromNodeNumbers,
  type NodeNumbers,
  toNodeNumbers,
} from "../../src/engine/step/node-numbers.ts";
import type { RunState } from "../../src/engine/step/run-state.ts";

/**
 * The run's state as text. It is written with every commit, so nodes are lists of numbers and not
 * objects: 500 nodes take about 10 KB.
 */
export function encodeState(state: RunState): string {
  return JSON.stringify({ ...state, nodes: state.nodes.map((node) => toNodeNumbers(node)) });
}

export function decodeState(text: string): RunState {
  const { nodes, ...rest } = JSON.parse(text) as Omit<RunState, "nodes"> & {
    nodes: NodeNumbers[];
  };
  return { ...rest, nodes: nodes.map((node) => fromNodeNumbers(node)) };
}
