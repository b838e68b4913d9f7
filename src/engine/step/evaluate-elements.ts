import { NodeError } from "../../lib/errors/node-error.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { inlineRunOf } from "../../nodes/define-node.ts";
import type { ListPlaces, NodeInputs, NodeOutputs, RunValue } from "../../nodes/define-ports.ts";
import type { InlineContext } from "../../nodes/define-tools.ts";
import type { Layout } from "../layout/layout.ts";
import type { PlanNode } from "../plan/plan.ts";
import { type CellValue } from "../values/cell-outputs.ts";
import { isSpilled, type SpilledValue } from "../values.ts";
import {
  type Cell,
  type CellFailure,
  type CellWrite,
  type ElementPlace,
  NO_OUTPUTS,
  type ReadCell,
  type TaskReuse,
} from "./cells.ts";
import {
  fitInputs,
  gatherInputs,
  mergeInputs,
  type RawInputs,
  spilledIn,
} from "./gather-inputs.ts";
import { boundedCharge } from "./charge.ts";
import type { CellStatus } from "./run-state.ts";

export interface EvaluateContext {
  readonly layout: Layout;
  /** Settled cells, including those of nodes that ended as a whole. */
  readonly read: ReadCell;
  /** Reads and parses the text of spilled values; the caller bounds their size. */
  readonly loadSpilled: (
    values: readonly SpilledValue[],
  ) => Promise<ReadonlyMap<SpilledValue, RunValue>>;
  /** Called before a stored file is read row by row. */
  readonly beforeReading?: (file: FileRef) => void;
  /** Whether what was evaluated holds so much memory that it should be committed. */
  readonly isFull?: () => boolean;
  /** Inputs above this many bytes make an inline node a task (ARCHITECTURE.md). */
  readonly inlineBytesMax: number;
  readonly nodeContext: InlineContext;
  /** [E36] The element if it is taken over from another run, which `read` decides. */
  readonly takeOver?: (
    node: PlanNode,
    element: number,
    read: ReadCell,
  ) => CellWrite | undefined | Promise<CellWrite | undefined>;
  /** [E44] [E47] How an element that is to be a task is looked for among results; undefined if it is worked out at once. */
  readonly reuse?: (node: PlanNode, element: number, read: ReadCell) => TaskReuse | undefined;
  /** An output copies a file that this run did not make, which requires the runner. */
  readonly isOwnFile: (file: FileRef) => boolean;
  /** An error that is not a NodeError is an internal defect: it is reported here and not shown to callers. */
  readonly onDefect: (node: PlanNode, error: unknown) => void;
}

export interface Evaluated {
  readonly cells: readonly CellWrite[];
  /** Elements whose inputs are ready and which the runner executes. */
  readonly tasks: readonly (ElementPlace & TaskReuse)[];
  /** The number of elements that were evaluated: fewer than asked for if the memory is full, at least one. */
  readonly elements: number;
}

/** A settled element; "pending" until its inputs are settled; "task" if the runner executes it. */
type Settled = CellWrite | "pending" | "task";

function settleElement(
  ctx: EvaluateContext,
  node: PlanNode,
  element: number,
  read: ReadCell,
): Settled | Promise<Settled> {
  const taken = ctx.takeOver?.(node, element, read);
  return taken instanceof Promise
    ? taken.then((write) => write ?? workOut(ctx, node, element, read))
    : (taken ?? workOut(ctx, node, element, read));
}

function workOut(
  ctx: EvaluateContext,
  node: PlanNode,
  element: number,
  read: ReadCell,
): Settled | Promise<Settled> {
  if (node.type.role === "merge") {
    const merged = mergeInputs(node, element, ctx.layout, read);
    return merged === undefined
      ? "pending"
      : writeOf(node, element, merged.status, merged.outputs, null);
  }
  const gathered = gatherInputs(node, element, ctx.layout, read);
  if (gathered.kind === "pending") {
    return "pending";
  }
  if (gathered.kind !== "ready") {
    return writeOf(node, element, gathered.kind, NO_OUTPUTS, null);
  }
  const { values, places } = gathered;
  if (isTooLarge(values, ctx.inlineBytesMax)) {
    return "task";
  }
  const started = (inputs: NodeInputs | CellFailure) => {
    if (isFailure(inputs)) {
      return writeOf(node, element, "failed", NO_OUTPUTS, inputs);
    }
    return node.placement === "task" || holdsForeignFile(ctx, node, values)
      ? "task"
      : runElement(ctx, node, element, inputs);
  };
  const loading = loadInputs(ctx, values, places);
  return loading instanceof Promise ? loading.then(started) : started(loading);
}

/**
 * Evaluates nodes of one scope, in topological order, at some of its elements. Elements with unsettled inputs are
 * skipped; they are evaluated when the last input settles.
 */
export async function evaluateElements(
  ctx: EvaluateContext,
  nodes: readonly PlanNode[],
  elementIndexes: Iterable<number>,
  isDue: (node: PlanNode, element: number) => boolean = () => true,
): Promise<Evaluated> {
  const cells: CellWrite[] = [];
  const tasks: Evaluated["tasks"][number][] = [];
  let elements = 0;
  for (const element of elementIndexes) {
    if (elements > 0 && ctx.isFull?.() === true) {
      break;
    }
    elements++;
    const fresh = new Map<number, Cell>();
    // In this pass, an element of this scope is read from memory if it was just created.
    const read: ReadCell = (node, at) =>
      (at === element ? fresh.get(node) : undefined) ?? ctx.read(node, at);
    for (const node of nodes) {
      if (!isDue(node, element)) {
        continue;
      }
      const settling = settleElement(ctx, node, element, read);
      // Most elements settle at once, and an await would cost more than the work.
      const settled = settling instanceof Promise ? await settling : settling;
      if (settled === "task") {
        tasks.push({ node: node.index, element, ...ctx.reuse?.(node, element, read) });
      } else if (settled !== "pending") {
        fresh.set(node.index, settled);
        cells.push(settled);
      }
    }
  }
  return { cells, tasks, elements };
}

function runElement(
  ctx: EvaluateContext,
  node: PlanNode,
  element: number,
  inputs: NodeInputs,
): CellWrite | Promise<CellWrite> {
  if (node.type.role !== "transform" && node.type.role !== "output") {
    throw new Error(`node ${node.id} has role ${node.type.role} and no elements of its own`);
  }
  const failed = (error: unknown) =>
    writeOf(node, element, "failed", NO_OUTPUTS, failureOf(node, error, ctx.onDefect));
  try {
    const charge = node.type.cost?.ofInputs?.(inputs, node.params as never);
    const running = inlineRunOf(node.type)(ctx.nodeContext, inputs, node.params as never);
    const written = (outputs: NodeOutputs): CellWrite => ({
      ...writeOf(node, element, "ok", outputs, null),
      ...(charge === undefined ? {} : { charge: boundedCharge(node, charge) }),
    });
    return running instanceof Promise ? running.then(written, failed) : written(running);
  } catch (error) {
    return failed(error);
  }
}

/** An element's inputs, loaded and checked. Synchronous unless a value is in R2. */
export function loadInputs(
  ctx: Pick<EvaluateContext, "loadSpilled">,
  raw: RawInputs,
  places?: ListPlaces,
): NodeInputs | CellFailure | Promise<NodeInputs | CellFailure> {
  const spilled = spilledIn(raw) as SpilledValue[];
  return spilled.length === 0
    ? fitInputs(raw, (value) => value as RunValue, places)
    : loadAndFit(ctx, raw, spilled, places);
}

async function loadAndFit(
  ctx: Pick<EvaluateContext, "loadSpilled">,
  raw: RawInputs,
  spilled: readonly SpilledValue[],
  places: ListPlaces | undefined,
): Promise<NodeInputs | CellFailure> {
  const loaded = await ctx.loadSpilled(spilled);
  return fitInputs(
    raw,
    (value) => {
      if (!isSpilled(value)) {
        return value;
      }
      const text = loaded.get(value);
      if (text === undefined) {
        throw new NodeError(
          "VALUE_NOT_FOUND",
          "A stored value of an earlier node is no longer available.",
        );
      }
      return text;
    },
    places,
  );
}

export function isFailure(value: NodeInputs | CellFailure): value is CellFailure {
  return "code" in value;
}

/** Converts a node's error: its own code, or a general one without internal details. */
export function failureOf(
  node: PlanNode,
  error: unknown,
  onDefect: (node: PlanNode, error: unknown) => void,
): CellFailure {
  if (error instanceof NodeError) {
    return { code: error.code, message: error.message };
  }
  onDefect(node, error);
  return {
    code: "INTERNAL_NODE_ERROR",
    message: `Node "${node.id}" (${node.type.type}) failed unexpectedly.`,
  };
}

function writeOf(
  node: PlanNode,
  element: number,
  status: CellStatus,
  outputs: ReadonlyMap<string, CellValue>,
  failure: CellFailure | null,
): CellWrite {
  return { node: node.index, element, status, outputs, failure };
}

function holdsForeignFile(ctx: EvaluateContext, node: PlanNode, raw: RawInputs): boolean {
  return (
    node.type.role === "output" &&
    [...raw.values()].flat().some((value) => value instanceof FileRef && !ctx.isOwnFile(value))
  );
}

function isTooLarge(raw: RawInputs, max: number): boolean {
  let bytes = 0;
  for (const value of spilledIn(raw) as SpilledValue[]) {
    bytes += value.spilled.sizeBytes;
  }
  return bytes > max;
}
