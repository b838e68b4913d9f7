/** What callers see of a run, made from its state and rows. */
import type { Execution } from "../../src/contracts/run.ts";
import { isTerminal } from "../../src/contracts/run.ts";
import { progressMessage } from "../../src/domain/executions/progress-message.ts";
import type { AxisRow } from "../../src/engine/drive/run-rows.ts";
import { isEnumerator } from "../../src/engine/plan/node-kind.ts";
import type { CellFailure } from "../../src/engine/step/cells.ts";
import type { RunState } from "../../src/engine/step/run-state.ts";
import { settledCount } from "../../src/engine/step/run-state.ts";
import type { LiveRun } from "./live-run.ts";
import { chargedMilliCredits } from "./run-money.ts";
import { EXPIRED_FACT } from "./run-schema.ts";
import type { RunStore } from "./run-store.ts";

/** [E16] The failure of the first failed node in topological order, at its lowest indices. */
export function runFailure(run: LiveRun, state: RunState, store: RunStore): CellFailure | null {
  if (state.stopped !== null) {
    return state.stopped;
  }
  for (const node of run.plan.nodes) {
    const now = state.nodes[node.index];
    if (now?.whole?.status === "failed") {
      return now.whole;
    }
    if (now === undefined || now.failed === 0) {
      continue;
    }
    if (isEnumerator(node)) {
      return firstAxisFailure(store.axisRows(node.axis));
    }
    const row = store.firstFailed(node.index);
    return row === undefined ? null : (JSON.parse(row.body) as CellFailure);
  }
  return null;
}

function firstAxisFailure(rows: readonly AxisRow[]): CellFailure | null {
  return rows.find((row) => row.failure !== null)?.failure ?? null;
}

/** The public execution object (spec 1 §2.3); `outputs` are given. */
export function executionOf(
  run: LiveRun,
  state: RunState,
  store: RunStore,
  outputs: Pick<Execution, "outputs" | "outputs_total">,
): Execution {
  const { facts } = run;
  const ended = isTerminal(state.status);
  const failure =
    state.status === "failed" || state.status === "partial_success"
      ? runFailure(run, state, store)
      : null;
  const charged = chargedMilliCredits(run, state);
  const expiredAt = ended ? isoOf(store.getFact(EXPIRED_FACT)) : null;
  return {
    id: facts.run_id,
    workflow: facts.workflow_id,
    workflow_name: facts.workflow_name,
    workflow_version: facts.workflow_version,
    interface: facts.interface_id,
    status: state.status,
    progress: state.progress,
    progress_message: progressMessage(state.status, expiredAt !== null, {
      isHeld: facts.is_held,
      working: state.status === "running" ? workingNode(run, state) : undefined,
    }),
    ...(ended || charged > 0 ? { credits_used: charged / 1000 } : {}),
    error_code: failure?.code ?? null,
    error_message: failure?.message ?? null,
    created_at: new Date(facts.created_at_ms).toISOString(),
    started_at: isoOf(store.getFact("started_at")),
    completed_at: isoOf(store.getFact("completed_at")),
    ...(expiredAt !== null && { outputs_expired_at: expiredAt }),
    ...outputs,
  };
}

function isoOf(ms: string | number | undefined): string | null {
  return ms === undefined ? null : new Date(Number(ms)).toISOString();
}

/** The node at work, `Resize: 3 of 10`. */
function workingNode(run: LiveRun, state: RunState): string | undefined {
  const working = run.plan.nodes.find((node) => state.nodes[node.index]?.phase === "open");
  const now = working === undefined ? undefined : state.nodes[working.index];
  return working === undefined || now === undefined
    ? undefined
    : `${working.label}: ${settledCount(now)} of ${now.total}`;
}
