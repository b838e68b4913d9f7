import type { RawOutput } from "../../contracts/runs/run.ts";
import { nameAddress } from "./name-address.ts";
import { outputName } from "./output-name.ts";
import { utf8Bytes, type ValueBudget } from "./value-budget.ts";
import type { ViewGroup } from "./view-groups.ts";
import type { ViewCell, ViewInput } from "./view-input.ts";

/** Elements read at a time: a block of rows, of up to 64 KiB each. */
const PAGE_CELLS = 32;
/** Elements visited in an unfinished group: a poll must not visit ten thousand of them. */
const UNSETTLED_CELLS_MAX = 9 * PAGE_CELLS;

/** One flat output (docs/contract/results.md#raw-outputs) and the position of the next one. */
export interface RawEntry {
  readonly raw: RawOutput;
  readonly position: number;
  /** The first `element` after it in its group. */
  readonly nextIndex: number;
}

/** The total number of entries of `rawEntries` (while a run is live, of ended elements). */
export function countRawEntries(input: ViewInput, groups: readonly ViewGroup[]): number {
  let total = 0;
  for (const group of groups) {
    const { metadata } = group;
    if (group.cells === 0) {
      total += hasPlaceholder(group) ? 1 : 0;
    } else {
      total +=
        metadata.ok +
        metadata.failed +
        metadata.absent +
        (input.run.isTerminal ? metadata.pending : 0);
    }
  }
  return total;
}

/**
 * The flat outputs, ordered by key and then by indices, from a position on. Where the input counts its pages, a promise
 * in between must be awaited.
 */
export function* rawEntries(
  input: ViewInput,
  groups: readonly ViewGroup[],
  from: { readonly position: number; readonly element: number },
  budget: ValueBudget,
): Generator<RawEntry | Promise<void>> {
  for (let position = from.position; position < groups.length; position++) {
    const group = groups[position];
    if (group === undefined) {
      return;
    }
    const fromIndex = position === from.position ? from.element : 0;
    if (group.cells === 0) {
      if (fromIndex === 0 && hasPlaceholder(group)) {
        const presence = group.state === "absent" ? "absent" : "missing";
        const raw = describe(input, group, 0, [], presence);
        yield { raw: withCause(input, group, null, raw), position, nextIndex: 1 };
      }
      continue;
    }
    for (const cell of endedCells(input, group, fromIndex)) {
      if (cell instanceof Promise) {
        yield cell;
        continue;
      }
      yield { raw: toRaw(input, group, cell, budget), position, nextIndex: cell.element + 1 };
    }
  }
}

/** An output that was skipped or never reached as a whole appears once. */
function hasPlaceholder(group: ViewGroup): boolean {
  return group.state === "absent" || group.state === "missing";
}

function* endedCells(
  input: ViewInput,
  group: ViewGroup,
  fromIndex: number,
): Generator<ViewCell | Promise<void>> {
  const isLive = group.state === "not_ready";
  let seen = 0;
  for (let element = fromIndex; ;) {
    const cells = input.cells(group.output, element, PAGE_CELLS);
    const room = input.holdPage?.(cells);
    if (room !== undefined) {
      yield room;
      continue;
    }
    for (const cell of cells) {
      if (!isLive || cell.state !== "pending") {
        yield cell;
      }
    }
    const last = cells.at(-1);
    seen += cells.length;
    if (
      last === undefined ||
      cells.length < PAGE_CELLS ||
      (isLive && seen >= UNSETTLED_CELLS_MAX)
    ) {
      return;
    }
    element = last.element + 1;
  }
}

function toRaw(input: ViewInput, group: ViewGroup, cell: ViewCell, budget: ValueBudget): RawOutput {
  const { output } = group;
  const { body } = cell;
  if (cell.state !== "ok" || body === null) {
    const presence = cell.state === "absent" ? "absent" : "missing";
    return withCause(
      input,
      group,
      cell,
      describe(input, group, cell.element, cell.indices, presence),
    );
  }
  const entry = describe(input, group, cell.element, cell.indices, "present");
  if (body.kind !== "text") {
    return { ...entry, url: nameAddress(input.fileUrl(output, cell, body.file), output, cell) };
  }
  return budget.take(utf8Bytes(body.text))
    ? { ...entry, value: body.text }
    : { ...entry, url: nameAddress(input.cellUrl(output, cell), output, cell) };
}

function withCause(
  input: ViewInput,
  { output }: ViewGroup,
  cell: ViewCell | null,
  entry: RawOutput,
): RawOutput {
  return entry.presence === "missing" ? { ...entry, error: input.cause(output, cell) } : entry;
}

function describe(
  input: ViewInput,
  { output }: ViewGroup,
  element: number,
  indices: readonly number[],
  presence: RawOutput["presence"],
): RawOutput {
  return {
    name: outputName(input, output, element),
    logical_name: output.key,
    node_id: output.nodeId,
    type: output.type,
    presence,
    input_indices: [...indices],
  };
}
