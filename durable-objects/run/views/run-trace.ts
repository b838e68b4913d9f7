/** The trace of a run (docs/contract/trace.md#report): names, counts, times and codes, and no user data. */
import { isTerminal } from "../../../src/contracts/runs/run.ts";
import type { Usage } from "../../../src/contracts/runs/task.ts";
import type { NodeTrace, Trace } from "../../../src/contracts/runs/trace.ts";
import { addSpans, type NodeSpan } from "../../../src/engine/events/node-spans.ts";
import { nodeStateName } from "../../../src/engine/events/node-state-name.ts";
import { isEnumerator } from "../../../src/engine/plan/node-kind.ts";
import type { OutlineNode } from "../../../src/engine/plan/outline.ts";
import type { NodeState } from "../../../src/engine/step/run-state.ts";
import { chargedBy, settledCount } from "../../../src/engine/step/run-state.ts";
import { nodeErrorGuide } from "../../../src/lib/errors/node-error-guides.ts";
import type { LiveRun } from "../live-run.ts";
import { mediaProcessingOf } from "../tasks/media-work.ts";
import { modelCallsOf } from "../tasks/model-calls.ts";
import { pictureColorsOf } from "../tasks/picture-colors.ts";
import { retryCounts } from "../tasks/node-retries.ts";
import type { ShownRows } from "./past-run.ts";

export function traceOf(run: LiveRun, store: ShownRows): Trace {
  const { state } = run;
  const retries = retryCounts(store);
  const spans = addSpans(new Map(), store.log.newPhasesAfter(0));
  const isOver = isTerminal(state.status);
  const nodes = run.outline.nodes
    .toSorted((a, b) => a.position - b.position)
    .map((node): NodeTrace => {
      const now = state.nodes[node.index];
      if (now === undefined) {
        throw new Error(`no state for node ${node.id}`);
      }
      const span = spans.get(node.index);
      const retryCount = retries.get(node.index) ?? 0;
      const stateName = nodeStateName(now, state.status);
      const media = stateName === "completed" ? mediaProcessingOf(store, node) : undefined;
      const colors = stateName === "completed" ? pictureColorsOf(store, node.index) : undefined;
      return {
        node_id: node.id,
        state: stateName,
        started_at: isoOf(span?.startedAtMs),
        completed_at: isoOf(span?.endedAtMs),
        duration_ms: durationOf(span),
        retry_count: retryCount,
        attempt_count: hasStarted(now) ? retryCount + 1 : 0,
        credits: chargedBy(now, node.costMilliCredits) / 1000,
        credits_saved: now.saved / 1000,
        usage: usageOf(node, now),
        models: [...modelCallsOf(store, node.index)],
        ...(media !== undefined && { media_processing: media }),
        ...(colors !== undefined && { picture_colors: colors }),
        iterations: summaryOf(now, isOver),
        error: errorOf(node, now, store),
      };
    });
  const startedAtMs = numberOf(store.getMetadata("started_at"));
  const endedAtMs = numberOf(store.getMetadata("completed_at"));
  return {
    execution_id: run.metadata.run_id,
    status: state.status,
    started_at: isoOf(startedAtMs),
    completed_at: isoOf(endedAtMs),
    nodes,
    totals: totalsOf(nodes, durationOf({ startedAtMs, endedAtMs })),
  };
}

/** Some element of the node has run, with any outcome; a node that was skipped, blocked or taken over has not started. */
function hasStarted(now: NodeState): boolean {
  return now.ok + now.failed > now.reused || (now.phase === "open" && now.reused < now.total);
}

/** The total usage of the node's elements; null if it costs nothing or reported none. */
function usageOf({ costUnit: unit }: OutlineNode, { used }: NodeState): Usage | null {
  return unit === null || used === 0 ? null : { unit, quantity: roundedQuantity(used) };
}

/** A sum of fractions without rounding errors. */
export function roundedQuantity(quantity: number): number {
  return Math.round(quantity * 1e6) / 1e6;
}

function summaryOf(now: NodeState, isOver: boolean): NodeTrace["iterations"] {
  const total = now.total < 0 || !Number.isFinite(now.total) ? null : now.total;
  return {
    total,
    completed: now.ok,
    reused: now.reused,
    failed: now.failed,
    blocked: now.blocked,
    skipped: now.absent,
    pending: isOver || now.whole !== null ? 0 : Math.max((total ?? 0) - settledCount(now), 0),
  };
}

/** The code of a node that ended as a whole, else of its first failed element. */
function errorOf(node: OutlineNode, now: NodeState, store: ShownRows): NodeTrace["error"] {
  let code = now.whole?.status === "failed" ? now.whole.code : undefined;
  if (code === undefined && now.failed > 0) {
    code = isEnumerator(node)
      ? store.axisRows(node.axis).find(({ failure }) => failure !== null)?.failure?.code
      : codeIn(store.firstFailed(node.index)?.body);
  }
  return code === undefined ? null : { code, message: nodeErrorGuide(code) };
}

export function codeIn(body: string | undefined): string | undefined {
  return body === undefined ? undefined : (JSON.parse(body) as { code: string }).code;
}

function totalsOf(nodes: readonly NodeTrace[], durationMs: number | null): Trace["totals"] {
  const sum = (value: (node: NodeTrace) => number) =>
    nodes.reduce((total, node) => total + value(node), 0);
  return {
    nodes: nodes.length,
    iterations: {
      total: sum(({ iterations }) => iterations.total ?? 0),
      completed: sum(({ iterations }) => iterations.completed),
      reused: sum(({ iterations }) => iterations.reused),
      failed: sum(({ iterations }) => iterations.failed),
      blocked: sum(({ iterations }) => iterations.blocked),
      skipped: sum(({ iterations }) => iterations.skipped),
      pending: sum(({ iterations }) => iterations.pending),
    },
    retry_count: sum((node) => node.retry_count),
    attempt_count: sum((node) => node.attempt_count),
    // Whole milli-credits, so that the sum has no rounding errors.
    credits: Math.round(sum(({ credits }) => credits * 1000)) / 1000,
    credits_saved: Math.round(sum((node) => node.credits_saved * 1000)) / 1000,
    duration_ms: durationMs,
  };
}

function durationOf(span: Partial<NodeSpan> | undefined): number | null {
  return span?.startedAtMs == null || span.endedAtMs == null
    ? null
    : Math.max(0, span.endedAtMs - span.startedAtMs);
}

function isoOf(ms: number | null | undefined): string | null {
  return ms == null ? null : new Date(ms).toISOString();
}

function numberOf(fact: string | number | undefined): number | null {
  return fact === undefined ? null : Number(fact);
}
