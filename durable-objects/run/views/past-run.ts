/**
 * A run as it was at one of its events (docs/contract/executions.md#past-states): the state is folded from the log, and
 * the rows show nothing that was settled later.
 */
import { isTerminal } from "../../../src/contracts/runs/run.ts";
import { restoreLayout } from "../../../src/engine/drive/restore-layout.ts";
import type { LoggedDelta } from "../../../src/engine/events/delta-text.ts";
import { type PastState, pastState } from "../../../src/engine/events/past-state.ts";
import { countEvents, type EventPlace } from "../../../src/engine/events/run-events.ts";
import { newRunState, type RunState } from "../../../src/engine/step/run-state.ts";
import type { LiveRun } from "../live-run.ts";
import type { RunStore } from "../state/run-store.ts";
import type { RunLog } from "./run-log.ts";

/** The rows from which the documents of a run are made. */
export interface ShownRows extends Pick<
  RunStore,
  | "axisRows"
  | "cellsBetween"
  | "fileCellsBetween"
  | "firstFailed"
  | "getMetadata"
  | "metadataWith"
  | "settledBetween"
  | "skipped"
> {
  readonly log: Pick<RunLog, "newPhasesAfter">;
}

export interface PastRun {
  readonly run: LiveRun;
  readonly rows: ShownRows;
  /** The last event of the commit. */
  readonly last: EventPlace;
  readonly atMs: number;
}

/** Entries of the log that are read at a time. */
const PAGE_ENTRIES = 64;

/** Returns the run after the whole commit of an event that it has issued (`issuedPlace`). */
export function pastRun(run: LiveRun, store: RunStore, { seq }: EventPlace): PastRun {
  const { metadata, outline } = run;
  let last: EventPlace = { seq: 0, sub: 0 };
  let atMs = metadata.created_at_ms;
  const past = pastState(newRunState(outline), entries());
  const layout = restoreLayout(outline, past.state, store);
  return {
    run: { metadata, outline, layout, state: past.state, machine: null },
    rows: pastRows(run, store, past),
    last,
    atMs,
  };

  function* entries() {
    for (const entry of logged(store.log)) {
      const count = countEvents(entry);
      // An entry without events belongs to the commit before it.
      if (entry.seq > seq && count > 0) {
        return;
      }
      if (count > 0) {
        last = { seq: entry.seq, sub: count - 1 };
        ({ atMs } = entry);
      }
      yield entry;
    }
  }
}

function* logged(log: RunLog): Generator<LoggedDelta> {
  for (let next = 1; ;) {
    const page = log.from(next, PAGE_ENTRIES);
    yield* page;
    const end = page.at(-1);
    if (end === undefined || page.length < PAGE_ENTRIES) {
      return;
    }
    next = end.seq + 1;
  }
}

/** Metadata that a run counts while a node works, by the beginning of its name. */
const RETRIES = "retries.";
const OF_WORK = /^(?:retries|models|media|notes)\.(\d+)$/;

function pastRows(run: LiveRun, store: RunStore, past: PastState): ShownRows {
  const { state, seq } = past;
  const isNow = seq === store.log.head;
  const outputs = new Set(run.outline.outputs.map(({ node }) => node));
  // The log has no attempts, model calls or failures of single elements: only those of nodes that have ended are known.
  const isKnown = (node: number) => isNow || hasEnded(state, node);
  const isKnownName = (name: string) => {
    const [, node] = OF_WORK.exec(name) ?? [];
    return node === undefined || isKnown(Number(node));
  };
  const existed = <T extends { readonly element: number }>(node: number, cells: readonly T[]) =>
    outputs.has(node) ? cells.filter(({ element }) => past.hasSettled(node, element)) : [...cells];
  return {
    axisRows: (axis) => (isKnown(run.outline.axes[axis]?.node ?? -1) ? store.axisRows(axis) : []),
    cellsBetween: (node, from, to) => existed(node, store.cellsBetween(node, from, to)),
    fileCellsBetween: (node, from, to) => existed(node, store.fileCellsBetween(node, from, to)),
    settledBetween: (node, from, to) => existed(node, store.settledBetween(node, from, to)),
    firstFailed: (node) => (isKnown(node) ? store.firstFailed(node) : undefined),
    skipped: () => store.skipped().filter(({ node }) => isKnown(node)),
    getMetadata: (name) =>
      isTooEarly(name, state) || !isKnownName(name) ? undefined : store.getMetadata(name),
    metadataWith: (prefix) =>
      store.metadataWith(prefix).filter(([name]) => prefix !== RETRIES || isKnownName(name)),
    log: {
      newPhasesAfter: (after) =>
        store.log.newPhasesAfter(after).filter((entry) => entry.seq <= seq),
    },
  };
}

function hasEnded({ status, nodes }: RunState, node: number): boolean {
  const now = nodes[node];
  return isTerminal(status) || now?.phase === "settled" || (now?.whole ?? null) !== null;
}

/** Times that the commits of the run's start and end record. */
function isTooEarly(name: string, { status }: RunState): boolean {
  return (
    (name === "started_at" && status === "pending") ||
    (name === "completed_at" && !isTerminal(status))
  );
}
