/** The outputs of an ended run for an export: its present outputs, and the content of those that are not R2 objects. */
import type {
  HeldContent,
  RunElement,
  RunExportEntry,
  RunExportPage,
} from "../../../src/contracts/runs/zip-export.ts";
import { viewGroups } from "../../../src/engine/view/view-groups.ts";
import type { ViewCell, ViewInput, ViewOutput } from "../../../src/engine/view/view-input.ts";
import { outputBody } from "./run-view-input.ts";
import type { RunStore } from "../state/run-store.ts";
import { LIMITS } from "../../../src/lib/limits/limits-table.ts";
import { utf8Bytes } from "../../../src/engine/view/value-budget.ts";

/** Elements read for one page, present or not, and characters of texts after which a page for rows of a batch ends. */
const PAGE = { cells: 64, chars: 256 * 1024 };

/** Of the page that a batch keeps, and of its JSON. */
const SHORT_PAGE = { cells: 16, chars: 1024 };
const SHORT_PAGE_CHARS = 2048;

/** A request reads no more elements. */
const EXPORT_VALUES_MAX = 100;

/** Memory of a value in a row and its copy for the caller. */
const VALUE_BYTES = 2 * LIMITS.value_inline.value;

/** Memory for reading so many values from rows at once; null for one, which is small. */
export function exportBytes(values: number): number | null {
  return values <= 1 ? null : Math.min(values, EXPORT_VALUES_MAX) * VALUE_BYTES;
}

/** The number of outputs that a page of the list reads at most. */
export function countOfOutputs(view: ViewInput): number {
  const count = viewGroups(view).reduce((sum, { metadata }) => sum + metadata.ok, 0);
  return Math.min(count, PAGE.cells);
}

/** The present outputs from a position on; `isForRows` adds what rows of a batch need. */
export function exportPage(
  view: ViewInput,
  from: { readonly position: number; readonly ord: number },
  isForRows = false,
  { cells, chars: most } = PAGE,
): RunExportPage {
  const groups = viewGroups(view);
  const more = isForRows && {
    groups: groups.map(({ output, state, cells }) => ({
      key: output.key,
      is_iterated: output.cardinality === "multiple",
      is_present: state === "present",
      elements: cells,
    })),
  };
  const entries: RunExportEntry[] = [];
  let left = cells;
  let chars = 0;
  for (const [position, { output }] of groups.entries()) {
    if (position < from.position) {
      continue;
    }
    const fromIndex = position === from.position ? from.ord : 0;
    for (const cell of view.cells(output, fromIndex, left)) {
      const entry = entryOf(output, cell);
      if (entry !== null) {
        entries.push(isForRows ? { ...entry, ...rowParts(view, output, cell) } : entry);
        chars += cell.body?.kind === "text" && isForRows ? cell.body.text.length : 0;
      }
      left -= 1;
      if (left <= 0 || chars > most) {
        return { ...more, entries, next: { position, ord: cell.element + 1 } };
      }
    }
  }
  return { ...more, entries, next: null };
}

/**
 * The page of all outputs for rows of a batch, as JSON; null unless they are short texts: the addresses of files depend on
 * who asks for them, and when.
 */
export function shortPage(view: ViewInput): string | null {
  const page = exportPage(view, { position: 0, ord: 0 }, true, SHORT_PAGE);
  if (page.next !== null || page.entries.some(({ text }) => text === undefined)) {
    return null;
  }
  const json = JSON.stringify(page);
  return json.length > SHORT_PAGE_CHARS ? null : json;
}

function rowParts(view: ViewInput, output: ViewOutput, cell: ViewCell) {
  const { body } = cell;
  return body?.kind === "text"
    ? { text: body.text }
    : body?.kind === "file" && {
        address: {
          url: view.fileUrl(output, cell, body.file),
          content_type: body.file.contentType,
        },
      };
}

/** Contents of elements of declared outputs; null for none, and for R2 objects. */
export function exportContents(
  view: ViewInput,
  store: RunStore,
  elements: readonly RunElement[],
): (HeldContent | null)[] {
  const outputs = new Map(viewGroups(view).map(({ output }) => [output.node, output]));
  return elements.map(({ node, ord: element }) => {
    const output = outputs.get(node);
    const [row] = output === undefined ? [] : store.cellsAt(node, [element]);
    const body = output === undefined || row === undefined ? null : outputBody(row, output.type);
    if (body === null || body.kind === "text") {
      return body?.text ?? null;
    }
    return body.file.content?.bytes ?? body.file.pack ?? null;
  });
}

function entryOf(
  output: ViewOutput,
  { state, body, element, indices }: ViewCell,
): RunExportEntry | null {
  if (state !== "ok" || body === null) {
    return null;
  }
  return {
    node: output.node,
    ord: element,
    output_key: output.key,
    is_iterated: output.cardinality === "multiple",
    indices,
    file_name: output.fileName ?? null,
    is_json: output.type === "json",
    ...(body.kind === "text"
      ? { size_bytes: utf8Bytes(body.text), file: null }
      : {
          size_bytes: body.file.sizeBytes,
          file: {
            key: body.file.isObject ? body.file.key : null,
            name: nameOf(output, body.kind, body.file.name),
          },
        }),
  };
}

/** A stored text is named after its run; only a file's own name is worth keeping. */
function nameOf(output: ViewOutput, kind: "stored_text" | "file", name: string): string {
  return kind === "file" ? name : output.type === "json" ? "output.json" : "output.txt";
}
