/** This run as the source of retries: what their run objects read of it, and what their submits need. */
import type {
  DescribeSourceRequest,
  HoldState,
  OpenedSource,
  RetryRerun,
  SourceCell,
  SourceCellsPage,
  SourceCellsRequest,
  SourceDescription,
} from "../../../src/contracts/runs/run-source.ts";
import type { CellRow } from "../../../src/engine/drive/run-rows.ts";
import { isTerminal } from "../../../src/contracts/runs/run.ts";
import { mayHoldFile, readOutputs } from "../../../src/engine/values/cell-outputs.ts";
import { encodeSpilled, encodeValue, isSpilled } from "../../../src/engine/values.ts";
import { isEnumerator, submittedNode } from "../../../src/engine/plan/node-kind.ts";
import type { OutlineNode } from "../../../src/engine/plan/outline.ts";
import type { PlanNode } from "../../../src/engine/plan/plan.ts";
import { CELL_STATUSES, type CellStatus } from "../../../src/engine/step/run-state.ts";
import { countNeeded } from "../../../src/engine/reuse/count-needed.ts";
import { LIMITS } from "../../../src/lib/limits/limits-table.ts";
import { fail, ok, type Result } from "../../../src/lib/result.ts";
import type { LiveRun } from "../live-run.ts";
import { REMOVED_KEY, type OutputExpiry } from "../output-expiry.ts";
import type { RunStore } from "../state/run-store.ts";
import { encodeState } from "../state/state-text.ts";
import { notesOf } from "../views/node-notes.ts";
import { BLOCK_ELEMENTS } from "../blocks/block-keys.ts";
import { withDigests } from "./source-digests.ts";
import type { SourceHolds } from "./source-holds.ts";
import { sourcePlan } from "./source-plan.ts";

/** Characters of one page of cells, its last element apart. */
const PAGE_CHARS = 4 * 1024 * 1024;
/** Cells read from the rows at once. Cells of several nodes at the same elements share rows. */
const CELLS_AT_ONCE = 32;
const EXPIRED = fail(
  "outputs_expired",
  "The outputs of this execution have been deleted at the end of their retention, so a retry has nothing to take over. Submit the workflow again.",
);

interface SourceParts {
  readonly store: RunStore;
  readonly files: R2Bucket;
  readonly expiry: OutputExpiry;
  readonly holds: SourceHolds;
}

export class RunSource {
  readonly #parts: SourceParts;

  constructor(parts: SourceParts) {
    this.#parts = parts;
  }

  /** Keeps the values of the run for a retry, which may open it again after its outputs have expired. */
  open(run: LiveRun, holder: string): Result<OpenedSource> {
    const { expiry, holds, store } = this.#parts;
    if (expiry.hasBegun && (!holds.has(holder) || store.hasDroppedValues)) {
      return EXPIRED;
    }
    const refused = notEnded(run);
    if (refused !== undefined) {
      return refused;
    }
    holds.add(holder);
    const { outline, metadata } = run;
    return ok({
      ...this.#definition(run),
      outline: metadata.kept_plan?.outline,
      state: encodeState(run.state),
      axis_rows: outline.axes.flatMap(({ index }) => store.axisRows(index)),
      notes: outline.axes.flatMap(({ node }) => {
        const notes = notesOf(store, node);
        return notes === undefined ? [] : [[node, notes] as const];
      }),
    });
  }

  async read({
    node,
    beside = [],
    from,
    to,
  }: SourceCellsRequest): Promise<Result<SourceCellsPage>> {
    const { store, files } = this.#parts;
    if (store.hasDroppedValues) {
      return EXPIRED;
    }
    const cells: SourceCell[] = [];
    let chars = 0;
    const nodes = [node, ...beside];
    const step = Math.max(1, Math.floor(CELLS_AT_ONCE / nodes.length));
    let at = from;
    for (let length = 0; at < to && chars < PAGE_CHARS; at += length) {
      // Never across two blocks: each of the nodes would read both again.
      length = Math.min(step, to - at, BLOCK_ELEMENTS - (at % BLOCK_ELEMENTS));
      const first = at;
      const elements = Array.from({ length }, (_, i) => first + i);
      const rows = nodes.flatMap((each) => store.wholeCellsAt(each, elements));
      for (const row of rows) {
        const body = isWithoutDigest(row) ? await withDigests(files, row.body) : row.body;
        cells.push(body === row.body ? row : { ...row, body });
        chars += body.length;
      }
    }
    return ok({ cells, next: at < to ? at : null });
  }

  describe(
    run: LiveRun,
    { rerun, workspace_id }: DescribeSourceRequest,
  ): Result<SourceDescription> {
    const refused = notEnded(run);
    if (refused !== undefined) {
      return refused;
    }
    if (this.#parts.expiry.hasBegun) {
      return EXPIRED;
    }
    const { metadata, outline, layout, state } = run;
    const definition = this.#definition(run);
    const made = sourcePlan(workspace_id, definition, metadata.kept_plan?.outline);
    const asked =
      rerun === null
        ? undefined
        : { node: rerun.node, ...(rerun.indices !== null && { indices: rerun.indices }) };
    const ends = new SettledEnds(run, this.#parts.store);
    const settled = (of: PlanNode) => ends.of(of.index);
    const counted = made && countNeeded({ plan: made.plan, state, layout, settled }, asked);
    return ok({
      workflow_id: metadata.workflow_id,
      workflow_version: metadata.workflow_version,
      is_draft: metadata.is_draft === true,
      interface_id: metadata.interface_id,
      status: state.status,
      admission_limits: metadata.admission_limits,
      definition_json: definition.definition_json,
      references_json: definition.references_json,
      retry_root: metadata.origin?.retry_root ?? null,
      inputs: outline.nodes.flatMap((input) => this.#submitted(input)),
      parameter_overrides: metadata.parameter_overrides,
      unknown_indices: unknownIndices(run, rerun),
      runs:
        counted === undefined
          ? null
          : [...counted].map(([of, elements]) => ({ node_id: of.id, elements })),
    });
  }

  /** What this run, as a retry, needs of its own source. */
  holdState({ state }: LiveRun): HoldState {
    if (!isTerminal(state.status)) {
      return "reading";
    }
    const hasReused = state.nodes.some(({ reused }) => reused > 0);
    const isRemoved = this.#parts.store.getMetadata(REMOVED_KEY) !== undefined;
    return isRemoved || !hasReused ? "gone" : "keeping";
  }

  #definition({ metadata }: LiveRun) {
    return {
      run_id: metadata.run_id,
      workflow_id: metadata.workflow_id,
      workflow_version: metadata.workflow_version,
      is_draft: metadata.is_draft === true,
      definition_json: this.#parts.store.getText("definition"),
      references_json: JSON.stringify(metadata.references ?? []),
      parameter_overrides: metadata.parameter_overrides,
    };
  }

  /** The value that was submitted for an input; its own cell where the input processes nothing. */
  #submitted(node: OutlineNode): SourceDescription["inputs"] {
    if (!node.typeName.startsWith("input/")) {
      return [];
    }
    const { store } = this.#parts;
    const [row] = [submittedNode(node), node.index].flatMap((at) => store.cellsAt(at, [0]));
    const [value] = row?.status === "ok" ? readOutputs(row.body).values() : [];
    return value === undefined
      ? []
      : [
          {
            node_id: node.id,
            stored: isSpilled(value) ? encodeSpilled(value.spilled) : encodeValue(value),
          },
        ];
  }
}

/** Whether a row may lack digests: most need no look at their outputs. */
function isWithoutDigest({ status, body }: CellRow): boolean {
  return status === "ok" && mayHoldFile(body);
}

/** How the elements of a run ended. Nodes of one scope share rows, which are read once for all of them. */
class SettledEnds {
  readonly #run: LiveRun;
  readonly #store: RunStore;
  /** By node. */
  readonly #ends = new Map<number, NodeEnds>();

  constructor(run: LiveRun, store: RunStore) {
    this.#run = run;
    this.#store = store;
  }

  of(index: number): Iterable<NodeEnd> {
    const { nodes } = this.#run.outline;
    const node = nodes[index];
    if (node !== undefined && isEnumerator(node)) {
      const rows = this.#store.axisRows(node.axis);
      return rows.map(({ parent, status }) => ({ element: parent, status }));
    }
    if (!this.#ends.has(index)) {
      const scope = node?.scope;
      this.#read(nodes.flatMap((of) => (of.scope === scope && !isEnumerator(of) ? of.index : [])));
    }
    return this.#ends.get(index) ?? [];
  }

  #read(nodes: readonly number[]): void {
    const ends = nodes.map((node) => {
      const total = this.#run.state.nodes[node]?.total ?? 0;
      return [node, new NodeEnds(Number.isFinite(total) ? Math.max(total, 0) : 0)] as const;
    });
    const most = Math.max(0, ...ends.map(([, { total }]) => total));
    for (let from = 0; from < most; from += BLOCK_ELEMENTS) {
      for (const [node, of] of ends) {
        const to = Math.min(from + BLOCK_ELEMENTS, of.total);
        for (const row of from < to ? this.#store.settledBetween(node, from, to) : []) {
          of.put(row);
        }
      }
    }
    ends.forEach(([node, of]) => this.#ends.set(node, of));
  }
}

interface NodeEnd {
  readonly element: number;
  readonly status: CellStatus;
}

/** A byte for each element of a node. */
class NodeEnds implements Iterable<NodeEnd> {
  readonly total: number;
  readonly #codes: Uint8Array;

  constructor(total: number) {
    this.total = total;
    this.#codes = new Uint8Array(total);
  }

  put({ element, status }: NodeEnd): void {
    this.#codes[element] = CELL_STATUSES.indexOf(status) + 1;
  }

  *[Symbol.iterator](): Iterator<NodeEnd> {
    for (const [element, code] of this.#codes.entries()) {
      const status = CELL_STATUSES[code - 1];
      if (status !== undefined) {
        yield { element, status };
      }
    }
  }
}

/** Positions of listed elements that the run does not have: as many as a problem document names. */
function unknownIndices({ outline, layout }: LiveRun, rerun: RetryRerun | null): number[] {
  const node = outline.nodes.find(({ id }) => id === rerun?.node);
  const scope = node?.closesAxes === true ? node.outputScope : (node?.scope ?? 0);
  const isLaid = node !== undefined && layout.isResolved(scope) && layout.count(scope) !== Infinity;
  return (rerun?.indices ?? [])
    .flatMap((indices, at) =>
      isLaid && layout.elementAt(scope, indices) !== undefined ? [] : [at],
    )
    .slice(0, LIMITS.problems_reported.value);
}

function notEnded({ state }: LiveRun) {
  return isTerminal(state.status)
    ? undefined
    : fail("invalid_state", `The run is ${state.status}. Retry it once it has ended.`);
}
