import type { RunValue } from "../../nodes/define-node.ts";
import type { PlanNode } from "../plan/plan.ts";
import type { CellFailure } from "./cells.ts";
import { type EvaluateContext, failureOf, isFailure, loadInputs } from "./evaluate-elements.ts";
import { gatherInputs } from "./gather-inputs.ts";

/** How an enumerator fared at one element of its scope [E14]. */
export type Opened =
  | { readonly status: "ok"; readonly items: Iterator<ReadonlyMap<string, RunValue>> }
  | { readonly status: "failed"; readonly failure: CellFailure }
  | { readonly status: "blocked" }
  | { readonly status: "absent" };

/** Starts an enumerator at one element. Its items come lazily; `takeItems` draws them. */
export async function openAxis(
  ctx: EvaluateContext,
  node: PlanNode,
  parent: number,
): Promise<Opened> {
  const { type } = node;
  if (type.role === "input") {
    return openInputAxis(ctx, node, parent);
  }
  if (type.role !== "enumerator") {
    throw new Error(`node ${node.id} opens no axis`);
  }
  const gathered = gatherInputs(node, parent, ctx.layout, ctx.read);
  if (gathered.kind === "pending") {
    throw new Error(`enumerator ${node.id} was opened before its inputs settled`);
  }
  if (gathered.kind !== "ready") {
    return { status: gathered.kind };
  }
  const inputs = await loadInputs(ctx, gathered.values);
  if (isFailure(inputs)) {
    return { status: "failed", failure: inputs };
  }
  return guard(ctx, node, () => type.enumerate(inputs, node.params)[Symbol.iterator]());
}

/** An input that fans out reads its own submitted value, kept as its cell. */
async function openInputAxis(
  ctx: EvaluateContext,
  node: PlanNode,
  parent: number,
): Promise<Opened> {
  const { type } = node;
  if (type.role !== "input" || type.enumerate === undefined) {
    throw new Error(`input ${node.id} does not fan out`);
  }
  const submitted = ctx.read(submittedNode(node), parent);
  const value = submitted?.outputs.get(SUBMITTED_PORT);
  if (value === undefined) {
    return { status: "absent" };
  }
  const port = {
    port: SUBMITTED_PORT,
    type: "any",
    required: true,
    isList: false,
    minCount: 0,
    accepts: [],
    sources: [],
  } as const;
  const inputs = await loadInputs(ctx, new Map([[port, value]]));
  if (isFailure(inputs)) {
    return { status: "failed", failure: inputs };
  }
  const enumerate = type.enumerate.bind(type);
  return guard(ctx, node, () => enumerate(inputs, node.params)[Symbol.iterator]());
}

/** Port under which a submitted value reaches an input that fans out. */
export const SUBMITTED_PORT = "value";

/**
 * Where an input keeps its submitted value: cells of `nodes` are its elements, so the value has a
 * node number of its own, below zero.
 */
export function submittedNode(node: Pick<PlanNode, "index">): number {
  return -1 - node.index;
}

function guard(
  ctx: EvaluateContext,
  node: PlanNode,
  start: () => Iterator<ReadonlyMap<string, RunValue>>,
): Opened {
  try {
    return { status: "ok", items: start() };
  } catch (error) {
    return { status: "failed", failure: failureOf(node, error, ctx.onDefect) };
  }
}

/** Draws at most `max` items; `failure` when the enumerator threw, which voids its earlier items too. */
export function takeItems(
  ctx: EvaluateContext,
  node: PlanNode,
  items: Iterator<ReadonlyMap<string, RunValue>>,
  max: number,
): {
  readonly taken: readonly ReadonlyMap<string, RunValue>[];
  readonly isDone: boolean;
  readonly failure: CellFailure | null;
} {
  const taken: ReadonlyMap<string, RunValue>[] = [];
  try {
    while (taken.length < max) {
      const next = items.next();
      if (next.done === true) {
        return { taken, isDone: true, failure: null };
      }
      taken.push(next.value);
    }
    return { taken, isDone: false, failure: null };
  } catch (error) {
    return { taken: [], isDone: true, failure: failureOf(node, error, ctx.onDefect) };
  }
}
