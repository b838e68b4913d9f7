/** One page of a node's iterations (docs/contract/trace.md#report): position, state, attempts and times of each. */
import type { RunIterationsRequest } from "../../../src/contracts/runs/run-object-api.ts";
import { isTerminal } from "../../../src/contracts/runs/run.ts";
import type { Usage } from "../../../src/contracts/runs/task.ts";
import type {
  IterationFilter,
  TraceIteration,
  TraceIterationPage,
} from "../../../src/contracts/runs/trace.ts";
import type { Reused } from "../../../src/engine/step/cells.ts";
import { isEnumerator } from "../../../src/engine/plan/node-kind.ts";
import type { OutlineNode } from "../../../src/engine/plan/outline.ts";
import { type Charge, worstCaseCharge } from "../../../src/engine/step/charge.ts";
import { type CellStatus, settledCount } from "../../../src/engine/step/run-state.ts";
import { nodeErrorGuide } from "../../../src/lib/errors/node-error-guides.ts";
import { fail, ok, type Result } from "../../../src/lib/result.ts";
import type { LiveRun } from "../live-run.ts";
import type { RunStore } from "../state/run-store.ts";
import { codeIn, roundedQuantity } from "./run-trace.ts";
import type { TaskStore } from "../tasks/task-store.ts";

/** A settled element, from any table. */
interface Settled {
  readonly status: CellStatus;
  readonly code: string | undefined;
  /** Null if the run itself executed it. */
  readonly attempts: number | null;
  readonly durationMs: number | null;
  readonly charge: Charge | undefined;
  readonly reused: Reused | undefined;
}

export function iterationsOf(
  run: LiveRun,
  store: RunStore,
  tasks: TaskStore,
  request: Pick<RunIterationsRequest, "node_id" | "page_size" | "after" | "states">,
): Result<TraceIterationPage> {
  const node = run.outline.nodes.find(({ id }) => id === request.node_id);
  if (node === undefined) {
    return fail(
      "not_found",
      `The run has no node "${request.node_id.slice(0, 200)}". Its trace lists its nodes.`,
    );
  }
  const total = countOf(run, node);
  const after = request.after === null ? -1 : readCursor(request.after);
  if (after === undefined || after >= Math.max(total, 1)) {
    return fail(
      "invalid_request",
      `after: "${(request.after ?? "").slice(0, 80)}" is not a cursor of this node. Send next_cursor of the previous page, or omit it.`,
    );
  }
  const read = (from: number, to: number) => page(run, store, tasks, node, from, to);
  return ok(
    request.states === null
      ? wholePage(read, after + 1, request.page_size, total)
      : filteredPage(read, after + 1, request.page_size, total, {
          states: new Set(request.states),
          count: countIn(run, tasks, node, total, new Set(request.states)),
        }),
  );
}

type ReadIterations = (from: number, to: number) => TraceIteration[];

function wholePage(
  read: ReadIterations,
  from: number,
  size: number,
  total: number,
): TraceIterationPage {
  const to = Math.min(from + size, total);
  return {
    data: read(from, to),
    has_more: to < total,
    next_cursor: to < total ? String(to - 1) : null,
    total_count: total,
  };
}

/** Iterations read at once if the page is filtered. */
const SCANNED_AT_ONCE = 500;

function filteredPage(
  read: ReadIterations,
  from: number,
  size: number,
  total: number,
  wanted: { readonly states: ReadonlySet<IterationFilter>; readonly count: number },
): TraceIterationPage {
  const data: TraceIteration[] = [];
  let last = -1;
  let hasMore = false;
  for (let at = from; at < total && !hasMore; at += SCANNED_AT_ONCE) {
    for (const [i, iteration] of read(at, Math.min(at + SCANNED_AT_ONCE, total)).entries()) {
      if (!wanted.states.has(FILTER_OF[iteration.state])) {
        continue;
      }
      if (data.length === size) {
        hasMore = true;
        break;
      }
      data.push(iteration);
      last = at + i;
    }
  }
  return {
    data,
    has_more: hasMore,
    next_cursor: hasMore ? String(last) : null,
    total_count: wanted.count,
  };
}

/** An iteration that had not started when its run ended never ran. */
const FILTER_OF: Readonly<Record<TraceIteration["state"], IterationFilter>> = {
  completed: "ok",
  failed: "failed",
  blocked: "blocked",
  skipped: "absent",
  running: "running",
  pending: "pending",
  cancelled: "pending",
};

/** Counts the iterations in one of the states, from counters. */
function countIn(
  run: LiveRun,
  tasks: TaskStore,
  node: OutlineNode,
  total: number,
  states: ReadonlySet<IterationFilter>,
): number {
  const now = run.state.nodes[node.index];
  if (now === undefined || total === 0) {
    return 0;
  }
  const running = isTerminal(run.state.status) ? 0 : tasks.runningOf(node.index);
  const counts: Readonly<Record<IterationFilter, number>> = {
    ok: now.ok,
    failed: now.failed,
    blocked: now.blocked,
    absent: now.absent,
    running,
    pending: total - settledCount(now) - running,
  };
  return [...states].reduce((sum, state) => sum + counts[state], 0);
}

/** A node that ended as a whole, or whose size is unknown, has no iterations to show. */
function countOf(run: LiveRun, node: OutlineNode): number {
  const now = run.state.nodes[node.index];
  return now === undefined || now.whole !== null || !Number.isFinite(now.total)
    ? 0
    : Math.max(now.total, 0);
}

/** A cursor is the position of the last iteration of a page. */
function readCursor(text: string): number | undefined {
  return /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : undefined;
}

function page(
  run: LiveRun,
  store: RunStore,
  tasks: TaskStore,
  node: OutlineNode,
  from: number,
  to: number,
): TraceIteration[] {
  const settled = isEnumerator(node)
    ? openedBetween(store, node, from, to)
    : settledBetween(store, node, from, to);
  const inFlight = tasks.inFlightBetween(node.index, from, to);
  const isOver = isTerminal(run.state.status);
  const scope = node.closesAxes ? node.outputScope : node.scope;
  return Array.from({ length: Math.max(to - from, 0) }, (_, i): TraceIteration => {
    const element = from + i;
    const input_indices = run.layout.indices(scope, element);
    const cell = settled.get(element);
    if (cell !== undefined) {
      return { input_indices, ...describe(node, cell) };
    }
    const task = inFlight.get(element);
    const attempts = task?.attempts ?? 0;
    return {
      input_indices,
      state: isOver ? "cancelled" : task?.isLeased === true ? "running" : "pending",
      retry_count: Math.max(attempts - 1, 0),
      attempt_count: attempts,
      duration_ms: null,
      credits: 0,
      usage: null,
      reused: null,
      error: null,
    };
  });
}

function describe(node: OutlineNode, cell: Settled): Omit<TraceIteration, "input_indices"> {
  // An iteration that never started has no attempt (docs/contract/trace.md#report).
  const hasRun = cell.reused === undefined && (cell.status === "ok" || cell.status === "failed");
  const attempts = cell.attempts ?? (hasRun ? 1 : 0);
  return {
    state: STATES[cell.status],
    retry_count: Math.max(attempts - 1, 0),
    attempt_count: attempts,
    duration_ms: cell.durationMs,
    credits: (cell.charge?.milliCredits ?? 0) / 1000,
    usage: usageOf(node, cell.charge),
    reused:
      cell.reused === undefined
        ? null
        : {
            by: cell.reused.isCached === true ? "cache" : "retry",
            execution: cell.reused.execution,
          },
    error:
      cell.status === "failed" && cell.code !== undefined
        ? { code: cell.code, message: nodeErrorGuide(cell.code) }
        : null,
  };
}

function usageOf({ costUnit: unit }: OutlineNode, charge: Charge | undefined): Usage | null {
  return unit === null || charge === undefined || charge.quantity === null
    ? null
    : { unit, quantity: roundedQuantity(charge.quantity) };
}

const STATES = {
  ok: "completed",
  failed: "failed",
  blocked: "blocked",
  absent: "skipped",
} as const;

function settledBetween(
  store: RunStore,
  node: OutlineNode,
  from: number,
  to: number,
): Map<number, Settled> {
  return new Map(
    store
      .settledBetween(node.index, from, to)
      .map(({ element, status, failure, attempts, ms, charge, reused }) => [
        element,
        {
          status,
          code: codeIn(failure ?? undefined),
          attempts,
          durationMs: ms,
          charge:
            charge ?? (status === "ok" && reused === undefined ? worstCaseCharge(node) : undefined),
          reused,
        },
      ]),
  );
}

/** The iterations of an enumerator are the elements of its scope that it runs at, not its items. */
function openedBetween(
  store: RunStore,
  node: OutlineNode,
  from: number,
  to: number,
): Map<number, Settled> {
  return new Map(
    store
      .axisRows(node.axis)
      .filter(({ parent }) => parent >= from && parent < to)
      .map(({ parent, status, failure, reused }) => [
        parent,
        {
          status,
          code: failure?.code,
          attempts: null,
          durationMs: null,
          charge: status === "ok" && reused === undefined ? worstCaseCharge(node) : undefined,
          reused,
        },
      ]),
  );
}
