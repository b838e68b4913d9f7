/** Representations of a run for callers, built from its state and rows. */
import type { ExecutionListItem } from "../../../src/contracts/runs/execution-requests.ts";
import type { Execution } from "../../../src/contracts/runs/run.ts";
import { wholeOrigin } from "../../../src/contracts/runs/run-origin.ts";
import { isTerminal } from "../../../src/contracts/runs/run.ts";
import { progressMessage } from "../../../src/domain/executions/read/progress-message.ts";
import { isEnumerator } from "../../../src/engine/plan/node-kind.ts";
import type { OutlineNode } from "../../../src/engine/plan/outline.ts";
import type { CellFailure } from "../../../src/engine/step/cells.ts";
import { settledCount } from "../../../src/engine/step/run-state.ts";
import type { LiveRun } from "../live-run.ts";
import { chargedMilliCredits } from "../run-money.ts";
import { EXPIRED_KEY } from "../state/run-schema.ts";
import type { ShownRows } from "./past-run.ts";

/** The failure of a run and its location: `indices` of the element, null if no single one caused it. */
interface RunFailure extends CellFailure {
  readonly nodeId: string | null;
  readonly indices: readonly number[] | null;
}

/** [E16] The failure of the first failed node in topological order, at its lowest indices. */
export function runFailure(run: LiveRun, store: ShownRows): RunFailure | null {
  const { state } = run;
  if (state.stopped !== null) {
    const { code, message, node } = state.stopped;
    return { code, message, nodeId: run.outline.nodes[node]?.id ?? null, indices: null };
  }
  for (const node of run.outline.nodes) {
    const now = state.nodes[node.index];
    if (now?.whole?.status === "failed") {
      return { ...now.whole, nodeId: node.id, indices: null };
    }
    if (now === undefined || now.failed === 0) {
      continue;
    }
    return firstFailure(run, node, store);
  }
  return null;
}

function firstFailure(run: LiveRun, node: OutlineNode, store: ShownRows): RunFailure | null {
  if (isEnumerator(node)) {
    const row = store.axisRows(node.axis).find(({ failure }) => failure !== null);
    return row?.failure == null
      ? null
      : { ...row.failure, nodeId: node.id, indices: run.layout.indices(node.scope, row.parent) };
  }
  const row = store.firstFailed(node.index);
  if (row === undefined) {
    return null;
  }
  const scope = node.closesAxes ? node.outputScope : node.scope;
  const failure = JSON.parse(row.body) as CellFailure;
  return { ...failure, nodeId: node.id, indices: run.layout.indices(scope, row.element) };
}

export function reusedIterations({ state }: Pick<LiveRun, "state">): number {
  return state.nodes.reduce((sum, { reused }) => sum + reused, 0);
}

/** The public execution object (docs/contract/executions.md#fields); outputs and events are given. */
export function executionOf(
  run: LiveRun,
  store: ShownRows,
  shown: Pick<Execution, "outputs" | "outputs_total" | "last_event_id">,
): Execution {
  const { metadata, state } = run;
  const ended = isTerminal(state.status);
  const failure =
    state.status === "failed" || state.status === "partial_success" ? runFailure(run, store) : null;
  const charged = chargedMilliCredits(run, state);
  const expiredAt = isoOf(store.getMetadata(EXPIRED_KEY));
  return {
    id: metadata.run_id,
    workflow: metadata.workflow_id,
    workflow_name: metadata.workflow_name,
    workflow_version: metadata.workflow_version,
    interface: metadata.interface_id,
    status: state.status,
    progress: state.progress,
    progress_message: progressMessage(state.status, expiredAt !== null, {
      isHeld: metadata.is_held,
      working: state.status === "running" ? workingNode(run) : undefined,
    }),
    ...(ended || charged > 0 ? { credits_used: charged / 1000 } : {}),
    error_code: failure?.code ?? null,
    error_message: failure?.message ?? null,
    error_node_id: failure?.nodeId ?? null,
    error_indices: failure?.indices == null ? null : [...failure.indices],
    created_at: new Date(metadata.created_at_ms).toISOString(),
    started_at: isoOf(store.getMetadata("started_at")),
    completed_at: isoOf(store.getMetadata("completed_at")),
    end_user_id: metadata.embed?.end_user_id ?? null,
    embed: metadata.embed?.token ?? null,
    ...wholeOrigin(metadata.origin),
    is_draft: metadata.is_draft === true,
    reused_iterations: reusedIterations(run),
    ...(expiredAt !== null && { outputs_expired_at: expiredAt }),
    ...shown,
  };
}

/** The same as lists show it. */
export function listItemOf(run: LiveRun, store: ShownRows): ExecutionListItem {
  const none = { outputs: [], outputs_total: 0, last_event_id: "" };
  const { outputs_total: _total, last_event_id: _event, ...item } = executionOf(run, store, none);
  return item;
}

function isoOf(ms: string | number | undefined): string | null {
  return ms === undefined ? null : new Date(Number(ms)).toISOString();
}

/** The node in progress, `Resize: 3 of 10`. */
function workingNode({ outline, state }: LiveRun): string | undefined {
  const working = outline.nodes.find((node) => state.nodes[node.index]?.phase === "open");
  const now = working === undefined ? undefined : state.nodes[working.index];
  return working === undefined || now === undefined
    ? undefined
    : `${working.label}: ${settledCount(now)} of ${now.total}`;
}
