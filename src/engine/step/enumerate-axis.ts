import type { ReadingNotes } from "../../contracts/reading-notes.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import type { Elements, NodeType } from "../../nodes/define-roles.ts";
import type { NodeInputs } from "../../nodes/define-ports.ts";
import { SUBMITTED_PORT, submittedNode } from "../plan/node-kind.ts";
import type { PlanNode } from "../plan/plan.ts";
import type { CellValue } from "../values/cell-outputs.ts";
import type { CellFailure } from "./cells.ts";
import { type EvaluateContext, failureOf, isFailure, loadInputs } from "./evaluate-elements.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { gatherInputs, listOf, type RawInputs } from "./gather-inputs.ts";

type Item = ReadonlyMap<string, CellValue>;

/** Remaining items: in memory, or read from a stored file. */
export type Items =
  | { readonly next: Iterator<Item, Noted> }
  | { readonly stream: AsyncIterator<Item, Noted> }
  /** Taken over from another run [E36]: reading them fails because of the service only. */
  | { readonly taken: AsyncIterator<Item, Noted> };

/** The result of an enumerator at its end. */
// oxlint-disable-next-line typescript/no-invalid-void-type -- most return nothing
type Noted = ReadingNotes | undefined | void;

/** The result of an enumerator at one element of its scope [E14]. */
export type Opened =
  | { readonly status: "ok"; readonly items: Items }
  | { readonly status: "failed"; readonly failure: CellFailure }
  | { readonly status: "blocked" }
  | { readonly status: "absent" };

/** Starts an enumerator at one element. Items are produced lazily; `takeItems` reads them. */
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
  announceFiles(ctx, type, gathered.values);
  return start(ctx, node, type, inputs);
}

/** An input that fans out reads its own submitted value, stored as its cell. */
async function openInputAxis(
  ctx: EvaluateContext,
  node: PlanNode,
  parent: number,
): Promise<Opened> {
  const { type } = node;
  if (type.role !== "input" || (type.enumerate === undefined && type.stream === undefined)) {
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
  const values: RawInputs = new Map([[port, value]]);
  const inputs = await loadInputs(ctx, values);
  if (isFailure(inputs)) {
    return { status: "failed", failure: inputs };
  }
  announceFiles(ctx, type, values);
  return start(ctx, node, type, inputs);
}

/** Tells which files an enumerator may read. */
function announceFiles(
  ctx: EvaluateContext,
  { stream }: Extract<NodeType, { role: "enumerator" | "input" }>,
  values: RawInputs,
): void {
  if (stream === undefined || ctx.beforeReading === undefined) {
    return;
  }
  for (const [input, value] of values) {
    for (const item of listOf(input, value)) {
      if (item instanceof FileRef) {
        ctx.beforeReading(item);
      }
    }
  }
}

function start(
  ctx: EvaluateContext,
  node: PlanNode,
  type: Extract<NodeType, { role: "enumerator" | "input" }>,
  inputs: NodeInputs,
): Opened {
  try {
    const stream = type.stream?.(ctx.nodeContext, inputs, node.params);
    if (stream !== undefined) {
      return { status: "ok", items: { stream: stream[Symbol.asyncIterator]() } };
    }
    const items: Elements = type.enumerate?.(inputs, node.params) ?? [];
    return { status: "ok", items: { next: items[Symbol.iterator]() } };
  } catch (error) {
    return { status: "failed", failure: failureOf(node, error, ctx.onDefect) };
  }
}

/** A batch of items. */
export interface Taken {
  readonly taken: readonly Item[];
  readonly isDone: boolean;
  readonly failure: CellFailure | null;
  /** Number of all items, known at the end. */
  readonly notes?: ReadingNotes | undefined;
  /** The failure may be transient: another attempt from the start may succeed [E20]. */
  readonly isTransient?: boolean;
}

/**
 * Reads at most `max` items; `failure` if the enumerator threw, which also invalidates its earlier items. Synchronous
 * unless they come from a file.
 */
export function takeItems(
  ctx: EvaluateContext,
  node: PlanNode,
  items: Items,
  max: number,
): Taken | Promise<Taken> {
  if ("stream" in items) {
    return takeStreamed(ctx, node, items.stream, max);
  }
  if ("taken" in items) {
    return draw(items.taken, max);
  }
  const taken: Item[] = [];
  try {
    while (taken.length < max) {
      const next = items.next.next();
      if (next.done === true) {
        return { taken, isDone: true, failure: null, notes: next.value ?? undefined };
      }
      taken.push(next.value);
    }
    return { taken, isDone: false, failure: null };
  } catch (error) {
    return { taken: [], isDone: true, failure: failureOf(node, error, ctx.onDefect) };
  }
}

async function takeStreamed(
  ctx: EvaluateContext,
  node: PlanNode,
  stream: AsyncIterator<Item, Noted>,
  max: number,
): Promise<Taken> {
  try {
    return await draw(stream, max);
  } catch (error) {
    const isTransient = error instanceof NodeError && error.retryable;
    return { taken: [], isDone: true, failure: failureOf(node, error, ctx.onDefect), isTransient };
  }
}

async function draw(stream: AsyncIterator<Item, Noted>, max: number): Promise<Taken> {
  const taken: Item[] = [];
  while (taken.length < max) {
    const next = await stream.next();
    if (next.done === true) {
      return { taken, isDone: true, failure: null, notes: next.value ?? undefined };
    }
    taken.push(next.value);
  }
  return { taken, isDone: false, failure: null };
}

/** Stops reading and releases the source of the items. */
export async function closeItems(items: Items): Promise<void> {
  if ("stream" in items) {
    await items.stream.return?.();
  } else if ("taken" in items) {
    await items.taken.return?.();
  }
}
