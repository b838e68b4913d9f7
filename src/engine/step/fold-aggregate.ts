import type { NodeInputs, RunValue } from "../../nodes/define-ports.ts";
import type { PlanNode } from "../plan/plan.ts";
import { type CellFailure, type CellWrite, NO_OUTPUTS } from "./cells.ts";
import { type EvaluateContext, failureOf, isFailure, loadInputs } from "./evaluate-elements.ts";
import { gatherInputs, listOf, project, type RawInputs } from "./gather-inputs.ts";
import type { PlanInput } from "../plan/plan.ts";
import type { CellValue } from "../values/cell-outputs.ts";
import { isSpilled, VALUE_MAX_BYTES } from "../values.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { ValueWeight } from "../../lib/json/value-weight.ts";

/** An aggregator as a node of its results, with the ports that it reads once for each [E29]. */
export function onceReader(node: PlanNode): PlanNode {
  return {
    ...node,
    scope: node.outputScope,
    inputs: node.inputs.filter((input) => input.once === true),
  };
}

/**
 * Starts one output element: a fold, or a settlement without one. Inputs that are read once can block it or make it
 * absent, like the inputs of any other node [E10]. The caller has loaded the inputs of `onceReader`.
 * `isCountOnly`: elements are counted as kept, failed or absent, and no result is made.
 */
export async function openFold(
  ctx: EvaluateContext,
  node: PlanNode,
  element: number,
  isCountOnly = false,
): Promise<Fold | CellWrite> {
  const settled = (
    status: CellWrite["status"],
    failure: CellWrite["failure"] = null,
  ): CellWrite => ({ node: node.index, element, status, outputs: NO_OUTPUTS, failure });
  const gathered = gatherInputs(onceReader(node), element, ctx.layout, ctx.read);
  if (gathered.kind === "pending") {
    throw new Error(`aggregator ${node.id} reads an input that has not settled`);
  }
  if (gathered.kind !== "ready") {
    return settled(gathered.kind);
  }
  const loading = loadInputs(ctx, gathered.values);
  const once = loading instanceof Promise ? await loading : loading;
  return isFailure(once) ? settled("failed", once) : new Fold(ctx, node, once, isCountOnly);
}

/** The ports that an aggregator reads at each element. */
export function columnsOf(node: PlanNode): readonly PlanInput[] {
  return node.inputs.filter((input) => input.once !== true);
}

/** What an aggregator has of an element: its columns, and whether it counts as failed all the same [E34]. */
export interface ReadElement {
  readonly values: RawInputs;
  readonly isFailed: boolean;
}

/**
 * What an aggregator reads at one element [E13]: `failed` where a column failed or is blocked, `absent`
 * where all of them are absent.
 */
export function readColumns(
  ctx: Pick<EvaluateContext, "layout" | "read">,
  node: PlanNode,
  columns: readonly PlanInput[],
  element: number,
): ReadElement | "failed" | "absent" {
  const values = new Map<PlanInput, CellValue | CellValue[]>();
  let isBad = false;
  const lacking = new Set<PlanInput>();
  for (const input of columns) {
    for (const source of input.sources) {
      const at = project(ctx.layout, node.scope, source.scope, element);
      const cell = ctx.read(source.node, at);
      if (cell === undefined) {
        throw new Error(`aggregator ${node.id} reads an element that has not settled`);
      }
      if (cell.status === "failed" || cell.status === "blocked") {
        isBad ||= input.mayFail !== true;
        lacking.add(input);
      }
      const value = cell.status === "ok" ? cell.outputs.get(source.port) : undefined;
      if (value === undefined) {
        continue;
      }
      if (input.isList) {
        const list = (values.get(input) as CellValue[] | undefined) ?? [];
        list.push(value);
        values.set(input, list);
      } else {
        values.set(input, value);
      }
    }
  }
  for (const input of lacking) {
    values.delete(input);
  }
  const isFailed = lacking.size > 0;
  if (isBad || (isFailed && values.size === 0)) {
    return "failed";
  }
  return values.size === 0 ? "absent" : { values, isFailed };
}

/**
 * An element without the columns that may fail, for one with a value that does not fit [E34]: undefined where it had none
 * of them, or has nothing else.
 */
export function withoutFailing({ values }: ReadElement): ReadElement | undefined {
  const kept = new Map([...values].filter(([{ mayFail }]) => mayFail !== true));
  return kept.size === 0 || kept.size === values.size
    ? undefined
    : { values: kept, isFailed: true };
}

/** Without the values in R2 that fit their port whatever they are: a task reads them, and not this object. */
function withoutUnread(values: RawInputs): RawInputs {
  const read = new Map<PlanInput, CellValue | readonly CellValue[]>();
  for (const [input, value] of values) {
    const takesAll = input.type === "any" || input.type === "json";
    const items = listOf(input, value).filter((item) => !takesAll || !isSpilled(item));
    const [first] = items;
    if (first !== undefined) {
      read.set(input, input.isList ? items : first);
    }
  }
  return read;
}

/**
 * One output element of an aggregator, which receives elements in index order [E13]. Failed elements are counted,
 * elements without any value are skipped, absent columns of the others are missing.
 */
export class Fold {
  readonly #ctx: EvaluateContext;
  readonly #node: PlanNode;
  readonly #columns: readonly PlanInput[];
  /**
   * None where a task makes the result, or where elements are only counted: then this only finds out whether there is to
   * be one [E33].
   */
  readonly #fold:
    | { add(columns: NodeInputs): void; finish(): ReadonlyMap<string, RunValue> }
    | undefined;
  readonly #weight = new ValueWeight();
  readonly #failsOnAny: boolean;
  #kept = 0;
  /** Elements that failed and are not kept, and those that are kept without a column that failed. */
  #failed = 0;
  #lacking = 0;
  #misfit: CellFailure | null = null;

  constructor(ctx: EvaluateContext, node: PlanNode, once: NodeInputs, isCountOnly = false) {
    if (node.type.role !== "aggregator") {
      throw new Error(`node ${node.id} is not an aggregator`);
    }
    this.#ctx = ctx;
    this.#node = node;
    this.#columns = columnsOf(node);
    this.#failsOnAny = node.type.onFailedItems(node.params) === "fail";
    this.#fold = isCountOnly ? undefined : node.type.aggregate?.(node.params, once);
  }

  /** The number of elements skipped as failed, and the number of elements that were not skipped as absent. */
  get skipped(): { readonly skipped: number; readonly of: number } {
    return { skipped: this.#lost, of: this.#kept + this.#failed };
  }

  get #lost(): number {
    return this.#failed + this.#lacking;
  }

  /** Estimated memory of the values that were added. */
  get bytes(): number {
    return this.#weight.bytes;
  }

  /**
   * Whether the elements that did not fail are aggregated, whatever comes of it. If so, the failed ones are skipped
   * with a warning, for a result of a task and for one that is made here alike [E13].
   */
  get isAttempted(): boolean {
    return this.#lost === 0 || (this.#kept > 0 && !this.#failsOnAny);
  }

  /** Adds one element. Synchronous unless it reads a value from R2: awaiting each element costs more than adding it. */
  add(element: number): Promise<void> | undefined {
    const read = readColumns(this.#ctx, this.#node, this.#columns, element);
    if (read === "failed") {
      this.#failed++;
      return undefined;
    }
    if (read === "absent") {
      return undefined;
    }
    if (this.#thrown !== null) {
      // The result has failed: the others are only counted.
      this.#keep(read);
      return undefined;
    }
    return this.#addRead(read);
  }

  #addRead(read: ReadElement): Promise<void> | undefined {
    const isTask = this.#fold === undefined;
    const { values } = read;
    const loading = loadInputs(this.#ctx, isTask ? withoutUnread(values) : values);
    return loading instanceof Promise
      ? loading.then((inputs) => this.#take(read, inputs))
      : this.#take(read, loading);
  }

  #keep({ isFailed }: ReadElement): void {
    this.#kept++;
    this.#lacking += isFailed ? 1 : 0;
  }

  #take(read: ReadElement, inputs: NodeInputs | CellFailure): Promise<void> | undefined {
    if (isFailure(inputs)) {
      const rest = withoutFailing(read);
      if (rest !== undefined) {
        return this.#addRead(rest);
      }
      // A value that does not match its column fails the element, like an earlier failure.
      this.#failed++;
      this.#misfit ??= inputs;
      return undefined;
    }
    this.#keep(read);
    const fold = this.#fold;
    if (fold !== undefined) {
      this.#guard(() => {
        this.#weigh(inputs);
        fold.add(inputs);
      });
    }
    return undefined;
  }

  /** A result consists of all its values, so one that must become too large ends before it takes the isolate's memory. */
  #weigh(inputs: NodeInputs): void {
    const weight = this.#weight;
    for (const { port, isList } of this.#columns) {
      if (inputs.has(port)) {
        weight.add(isList ? inputs.list(port) : inputs.get(port));
      }
    }
    if (weight.chars > VALUE_MAX_BYTES || weight.bytes > LIMITS.value_memory.value) {
      throw new NodeError(
        "VALUE_TOO_LARGE",
        `The values that "${this.#node.id}" collects are larger than one value may be (${VALUE_MAX_BYTES} bytes of JSON). Aggregate fewer items, or write them to files.`,
      );
    }
  }

  /** How the result settles; `task` where a task is to make it. */
  finish(element: number): CellWrite | "task" {
    const node = this.#node;
    const write = (
      status: CellWrite["status"],
      failure: CellWrite["failure"] = null,
    ): CellWrite => ({
      node: node.index,
      element,
      status,
      outputs: NO_OUTPUTS,
      failure,
    });
    if (this.#lost > 0) {
      if (this.#kept === 0) {
        // An element that failed only here must count as failed work.
        return this.#misfit === null ? write("blocked") : write("failed", this.#misfit);
      }
      if (this.#failsOnAny) {
        return write("failed", {
          code: "ITEMS_FAILED",
          message: `${this.#lost} of ${this.#failed + this.#kept} elements failed, and "${node.id}" fails on failed items.`,
        });
      }
    }
    if (this.#thrown !== null) {
      return write("failed", this.#thrown);
    }
    const fold = this.#fold;
    if (fold === undefined) {
      return "task";
    }
    let outputs: ReadonlyMap<string, RunValue> | undefined;
    this.#guard(() => {
      outputs = fold.finish();
    });
    return this.#thrown !== null || outputs === undefined
      ? write("failed", this.#thrown)
      : { node: node.index, element, status: "ok", outputs, failure: null };
  }

  #thrown: CellFailure | null = null;

  #guard(action: () => void): void {
    if (this.#thrown !== null) {
      return;
    }
    try {
      action();
    } catch (error) {
      this.#thrown = failureOf(this.#node, error, this.#ctx.onDefect);
    }
  }
}
