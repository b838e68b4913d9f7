import { PieceBuffer } from "./piece-buffer.ts";
import { renderItem, type RenderedItem } from "./render-item.ts";
import { ValueBudget, VALUES_MAX_BYTES } from "./value-budget.ts";
import { type ViewGroup, viewGroups } from "./view-groups.ts";
import type { ViewInput } from "./view-input.ts";

/** Elements read at a time: a block of rows, of up to 64 KiB each. */
const PAGE_CELLS = 32;
/** Most runs end within one interval, and it fits a rate limit of 60 a minute. */
const NEXT_POLL_AFTER_MS = 1000;

const LOOKUP_RULE =
  "Read result.by_key[<output key>]: value or url when cardinality is single, items[] when it is multiple.";

/**
 * The result object of a run (docs/contract/results.md#result-view) as JSON text in pieces; only the current piece and
 * at most one value are in memory. The set of settled elements is fixed at the call, so that `by_key` and `items` agree
 * while the run continues.
 */
export function renderResult(input: ViewInput): AsyncIterable<string> {
  return pieces(input, viewGroups(input));
}

async function* pieces(input: ViewInput, groups: readonly ViewGroup[]): AsyncGenerator<string> {
  const buffer = new PieceBuffer();
  buffer.push(`${head(input)},"result":{"by_key":{`);
  let budget = new ValueBudget(VALUES_MAX_BYTES);
  for (const [position, group] of groups.entries()) {
    const { output, state } = group;
    buffer.push(
      `${position === 0 ? "" : ","}${JSON.stringify(output.key)}:{"key":${JSON.stringify(output.key)},` +
        `"cardinality":"${output.cardinality}","state":"${state}"`,
    );
    let isFirst = true;
    for await (const item of renderedItems(input, group, budget)) {
      if (isFirst) {
        buffer.push(`${shortcuts(group, item)},"items":[${item.itemJson}`);
      } else {
        buffer.push(`,${item.itemJson}`);
      }
      isFirst = false;
      if (buffer.isFull) {
        yield buffer.take();
      }
    }
    buffer.push(isFirst ? `${shortcuts(group, undefined)},"items":[]}` : "]}");
  }
  buffer.push(`},"items":[`);
  // The second pass makes the same decisions: the budget counts sizes, and settled elements do not change.
  budget = new ValueBudget(VALUES_MAX_BYTES);
  let isFirst = true;
  for (const group of groups) {
    for await (const item of renderedItems(input, group, budget)) {
      buffer.push(`${isFirst ? "" : ","}${item.itemJson}`);
      isFirst = false;
      if (buffer.isFull) {
        yield buffer.take();
      }
    }
  }
  buffer.push(`]},"diagnostics":${diagnostics(input, groups)}${asOf(input)}}`);
  yield buffer.take();
}

function head(input: ViewInput): string {
  const { run } = input;
  const text =
    `{"execution_id":${JSON.stringify(run.runId)},"workflow_id":${JSON.stringify(run.workflowId)},` +
    `"status":"${run.status}","is_terminal":${String(run.isTerminal)},` +
    `"next_poll_after_ms":${run.isTerminal ? "null" : String(NEXT_POLL_AFTER_MS)}`;
  return run.isTerminal && run.hidesCredits !== true
    ? `${text},"credits_used":${String((run.creditsUsedMilli ?? 0) / 1000)}`
    : text;
}

function asOf({ asOf: moment }: ViewInput): string {
  return moment === undefined ? "" : `,"as_of":${JSON.stringify(moment)}`;
}

/** Group-level `value` and `url` exist for single outputs only. */
function shortcuts(group: ViewGroup, item: RenderedItem | undefined): string {
  return group.output.cardinality === "single"
    ? `,"value":${item?.valueJson ?? "null"},"url":${item?.urlJson ?? "null"}`
    : "";
}

async function* renderedItems(
  input: ViewInput,
  group: ViewGroup,
  budget: ValueBudget,
): AsyncGenerator<RenderedItem> {
  if (group.state === "not_ready") {
    return;
  }
  for (let fromIndex = 0; ;) {
    const cells = input.cells(group.output, fromIndex, PAGE_CELLS);
    const room = input.holdPage?.(cells);
    if (room !== undefined) {
      await room;
      continue;
    }
    for (const cell of cells) {
      yield await renderItem(input, group.output, cell, budget);
    }
    const last = cells.at(-1);
    if (last === undefined || cells.length < PAGE_CELLS) {
      return;
    }
    fromIndex = last.element + 1;
  }
}

function diagnostics(input: ViewInput, groups: readonly ViewGroup[]): string {
  const present = groups.filter((group) => group.state === "present");
  return JSON.stringify({
    message: message(input, present.length, groups.length),
    lookup_rule: LOOKUP_RULE,
    expected_output_keys: groups.map((group) => group.output.key),
    available_output_keys: present.map((group) => group.output.key),
    warnings: input.warnings,
  });
}

function message(input: ViewInput, present: number, expected: number): string {
  const { run } = input;
  const count = `${String(present)} of ${String(expected)} outputs ${present === 1 ? "is" : "are"} present.`;
  if (!run.isTerminal) {
    return `The run is ${run.status}. ${count} Poll again after next_poll_after_ms.`;
  }
  return run.errorCode === null
    ? `The run is ${run.status}. ${count}`
    : `The run is ${run.status} with ${run.errorCode}${run.errorMessage === null ? "" : ` (${run.errorMessage})`}. ${count}`;
}
