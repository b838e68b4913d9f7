/** What runners are given to read: the inputs of tasks, and those of an aggregator's elements by pages. */
import type { ElementInputs, ElementPage, LeasedTask } from "../../../src/contracts/runs/task.ts";
import { CellReader } from "../../../src/engine/drive/cell-reader.ts";
import type { PlanInput, PlanNode } from "../../../src/engine/plan/plan.ts";
import {
  columnsOf,
  type ReadElement,
  readColumns,
  withoutFailing,
} from "../../../src/engine/step/fold-aggregate.ts";
import { listOf, type RawInputs } from "../../../src/engine/step/gather-inputs.ts";
import { encodeSpilled, encodeValue, isSpilled } from "../../../src/engine/values.ts";
import type { CellValue } from "../../../src/engine/values/cell-outputs.ts";
import { fitInput } from "../../../src/engine/values/fit-input.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";
import type { ListPlaces } from "../../../src/nodes/define-ports.ts";
import type { LiveRun } from "../live-run.ts";
import { BLOCK_ELEMENTS } from "./block-keys.ts";
import type { RunStore } from "../state/run-store.ts";

/** Characters of a page, its last element apart: a value of a row has at most 64 KiB. */
const PAGE_CHARS_MAX = 256 * 1024;
const PAGE_ELEMENTS_MAX = 1_000;
/**
 * Elements that one call looks at: without it, a call that meets only failed elements would hold the thread, and the
 * lease of its caller, until the last of a million.
 */
const PAGE_VISITS_MAX = 2_000;
/** Elements read from the rows at once: those of a block, each with values of up to 64 KiB. */
const ROWS_AT_ONCE = BLOCK_ELEMENTS;

/** Inputs of one element as a runner takes them. Throws NodeError for a value that does not fit its port. */
export function storedInputs(values: RawInputs, places?: ListPlaces): LeasedTask["inputs"] {
  return [...values].map(([input, value]) => {
    const at = places?.get(input.port);
    return {
      port: input.port,
      value: input.isList
        ? listOf(input, value).map((item) => fitted(input, item))
        : fitted(input, value as CellValue),
      ...(at === undefined ? {} : { places: at }),
    };
  });
}

/**
 * [E33] The elements that a result of an aggregator is made of, from the one at `from` on. A page may be empty although
 * others follow, where the elements that it looked at failed or are left out.
 */
export function elementPage(
  run: LiveRun,
  store: RunStore,
  {
    node,
    element,
    from,
  }: { readonly node: PlanNode; readonly element: number; readonly from: number },
): ElementPage {
  const range = run.layout.rangeOver(node.scope, node.outputScope, element);
  const cells = new CellReader(store, run.layout);
  const columns = columnsOf(node);
  const reader = { ...node, inputs: columns };
  const elements: ElementInputs[] = [];
  const places: number[] = [];
  let chars = 0;
  let failed = 0;
  let at = range.from + from;
  const visitedTo = at + PAGE_VISITS_MAX;
  const isFull = () =>
    chars >= PAGE_CHARS_MAX || elements.length >= PAGE_ELEMENTS_MAX || at >= visitedTo;
  while (at < range.to && !isFull()) {
    const end = Math.min(at + ROWS_AT_ONCE, range.to, visitedTo);
    const first = at;
    cells.load(
      [reader],
      run.state,
      Array.from({ length: end - first }, (_, i) => first + i),
    );
    const context = { layout: run.layout, read: cells.read(run.state) };
    for (; at < end && !isFull(); at++) {
      const read = readColumns(context, node, columns, at);
      const found = typeof read === "string" ? read : fittedElement(read);
      if (typeof found !== "string") {
        elements.push(found.inputs);
        places.push(at - range.from);
        chars += charsOf(found.inputs);
      }
      failed += found === "failed" || (found !== "absent" && found.isFailed) ? 1 : 0;
    }
  }
  return { elements, places, failed, next: at < range.to ? at - range.from : null };
}

/** An element that was read, as a runner takes it; `failed` where its values do not fit [E13]. */
function fittedElement(
  read: ReadElement,
): { readonly inputs: ElementInputs; readonly isFailed: boolean } | "failed" {
  try {
    return { inputs: storedInputs(read.values), isFailed: read.isFailed };
  } catch (error) {
    if (!(error instanceof NodeError)) {
      throw error;
    }
    const rest = withoutFailing(read);
    return rest === undefined ? "failed" : fittedElement(rest);
  }
}

function charsOf(inputs: ElementInputs): number {
  return inputs.reduce(
    (sum, { value }) => sum + [value].flat().reduce((chars, item) => chars + item.length, 0),
    0,
  );
}

/** A value as the runner takes it: checked against its port, as an inline node's would be. */
function fitted(input: PlanInput, value: CellValue): string {
  return isSpilled(value) ? encodeSpilled(value.spilled) : encodeValue(fitInput(value, input));
}
