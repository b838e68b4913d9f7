import type { SkippedItems } from "../../../src/engine/drive/run-rows.ts";
import {
  fromNodeNumbers,
  type NodeNumbers,
  toNodeNumbers,
} from "../../../src/engine/step/node-numbers.ts";
import type { RunState } from "../../../src/engine/step/run-state.ts";
import { FutureDatabaseError } from "../../shared/migrations.ts";
import type { LogTail } from "../views/run-log.ts";

export type MetaValue = string | number;

export const FILES_KEY = "files";

/** The data of a run besides its elements, in one row. It is written with every commit. */
export interface RunRow {
  /** Null before the first commit. */
  state: RunState | null;
  readonly metadata: Map<string, MetaValue>;
  readonly log: LogTail;
  readonly skipped: Map<number, SkippedItems>;
  /** The lowest failed element of each node. */
  readonly firstFailed: Map<number, number>;
  /** Whether any task was ever created. */
  hasTasks: boolean;
  /** By node, the group of its elements. */
  readonly groups: readonly number[];
}

/**
 * The run's state as text. It is written with every commit, so nodes are lists of numbers and not objects: 500 nodes
 * take about 10 KB.
 */
export function encodeState(state: RunState): string {
  return JSON.stringify({ ...state, nodes: state.nodes.map((node) => toNodeNumbers(node)) });
}

export function decodeState(text: string): RunState {
  return restoreState(JSON.parse(text) as StateText);
}

type StateText = Omit<RunState, "nodes"> & { nodes: NodeNumbers[] };

function restoreState({ nodes, ...rest }: StateText): RunState {
  return { ...rest, nodes: nodes.map((node) => fromNodeNumbers(node)) };
}

/** Entries of the log are JSON already; the others are lists of pairs. */
export function encodeRunRow(row: RunRow): string {
  const { state, metadata, log, skipped, firstFailed, hasTasks, groups } = row;
  const rest = {
    facts: [...metadata],
    skipped: [...skipped.values()],
    first_failed: [...firstFailed],
    has_tasks: hasTasks,
    // All elements of a run that never fans out are in one group.
    groups: groups.some((group) => group !== 0) ? groups : [],
  };
  const entries = log.entries.join(",");
  return `{"v":1,"state":${state === null ? "null" : encodeState(state)},"log":{"from":${log.from},"entries":[${entries}]},${JSON.stringify(rest).slice(1)}`;
}

/**
 * Decodes the row. A damaged one is returned without a state, so that the run's next wake ends it; its content is lost,
 * so tasks and files are assumed, since both are deleted with the run. Throws FutureDatabaseError for a row of newer
 * code.
 */
export function readRunRow(text: string | undefined): RunRow {
  try {
    return decodeRunRow(text);
  } catch (error) {
    if (error instanceof FutureDatabaseError) {
      throw error;
    }
    return {
      state: null,
      metadata: new Map([[FILES_KEY, 1]]),
      log: { from: 1, entries: [] },
      skipped: new Map(),
      firstFailed: new Map(),
      hasTasks: true,
      groups: [],
    };
  }
}

/** Throws for a text that `encodeRunRow` did not write. */
function decodeRunRow(text: string | undefined): RunRow {
  if (text === undefined) {
    throw new Error("the run's row is missing");
  }
  const row = JSON.parse(text) as {
    v: number;
    state: StateText | null;
    log: { from: number; entries: unknown[] };
    facts: [string, MetaValue][];
    skipped: SkippedItems[];
    first_failed: [number, number][];
    has_tasks: boolean;
    groups: number[];
  };
  if (row.v !== 1) {
    throw new FutureDatabaseError(
      `The row of the run has version ${row.v}; this code knows version 1. Deploy the newer code again.`,
    );
  }
  return {
    state: row.state === null ? null : restoreState(row.state),
    metadata: new Map(row.facts),
    log: {
      from: row.log.from,
      entries: row.log.entries.map((entry) => JSON.stringify(entry)),
    },
    skipped: new Map(row.skipped.map((items) => [items.node, items])),
    firstFailed: new Map(row.first_failed),
    hasTasks: row.has_tasks,
    groups: row.groups,
  };
}
