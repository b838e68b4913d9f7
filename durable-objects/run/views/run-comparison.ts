/** An ended run as comparisons read it (docs/contract/executions.md#comparison). */
import { createHash } from "node:crypto";
import type {
  ComparableInput,
  ComparableRun,
  ElementsPage,
  RunElementsRequest,
  RunValuesRequest,
} from "../../../src/contracts/runs/run-comparison-api.ts";
import type { StoredValue } from "../../../src/contracts/runs/task.ts";
import type { CellRow } from "../../../src/engine/drive/run-rows.ts";
import { submittedNode } from "../../../src/engine/plan/node-kind.ts";
import type { OutlineNode } from "../../../src/engine/plan/outline.ts";
import { encodeSpilled, encodeValue, isSpilled } from "../../../src/engine/values.ts";
import { type CellValue, readOutputs } from "../../../src/engine/values/cell-outputs.ts";
import { contentKey, firstContentKey, outputsKey } from "../../../src/engine/values/content-key.ts";
import { viewGroups } from "../../../src/engine/view/view-groups.ts";
import type { ViewInput } from "../../../src/engine/view/view-input.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import type { LiveRun } from "../live-run.ts";
import type { RunStore } from "../state/run-store.ts";
import { listItemOf } from "./run-metadata-view.ts";
import { traceOf } from "./run-trace.ts";

/** Cells that are read at a time, of up to 64 KiB each. */
const READ_CELLS = 32;

/** Elements of a page. */
const PAGE_ELEMENTS = 5_000;

/** Memory for reading cells at a time, and their keys. */
export const COMPARISON_BYTES = 2 * READ_CELLS * 64 * 1024;

/** All of an ended run but its elements. */
export function comparableRun(run: LiveRun, store: RunStore, view: ViewInput): ComparableRun {
  return {
    execution: listItemOf(run, store),
    trace: traceOf(run, store),
    definition_json: store.getText("definition"),
    inputs: run.outline.nodes.flatMap((node) => inputOf(node, store)),
    parameters: run.metadata.parameter_overrides,
    outputs: viewGroups(view).map(({ output, state }) => ({
      node: output.node,
      key: output.key,
      type: output.type,
      state: state === "not_ready" ? "missing" : state,
    })),
    contents: [...contentsOf(run, store)].map(([{ id }, digest]) => ({ node_id: id, digest })),
  };
}

/** A submitted value is a cell of its input, or of the pseudo node before an input that processes it. */
function inputOf(node: OutlineNode, store: RunStore): ComparableInput[] {
  if (!node.typeName.startsWith("input/")) {
    return [];
  }
  const [submitted] = store.cellsBetween(submittedNode(node), 0, 1);
  const [own] = submitted === undefined ? store.cellsBetween(node.index, 0, 1) : [];
  const cell = submitted ?? own;
  const value = cell === undefined ? undefined : firstValue(cell);
  return cell === undefined || value === undefined
    ? []
    : [{ node_id: node.id, node: cell.node, content: contentKey(value) }];
}

/** By node, a digest of the outputs of its elements, with their ports and places. */
function contentsOf(run: LiveRun, store: RunStore): Map<OutlineNode, string> {
  const digests = new Map<OutlineNode, string>();
  // Nodes of one scope share the rows that are read.
  for (const [scope, nodes] of Map.groupBy(run.outline.nodes, ({ outputScope }) => outputScope)) {
    const texts = new Map(nodes.map((node) => [node, new DigestedText()]));
    const read = [...texts].filter(([node]) => hasCells(run, node));
    const total = run.layout.isResolved(scope) ? run.layout.count(scope) : 0;
    const count = Number.isFinite(total) ? total : 0;
    const axes = run.outline.scopes[scope]?.axes.length ?? 0;
    for (let from = 0; from < count; from += READ_CELLS) {
      for (const [node, text] of read) {
        for (const cell of store.fileCellsBetween(
          node.index,
          from,
          Math.min(from + READ_CELLS, count),
        )) {
          if (cell.status === "ok") {
            const { element } = cell;
            // Elements of one axis have one place each, whatever is left out.
            const place = axes <= 1 ? String(element) : run.layout.indices(scope, element).join();
            text.add(`${place}${outputsKey(cell.body)}`);
          }
        }
      }
    }
    for (const [node, text] of texts) {
      digests.set(node, text.digest());
    }
  }
  return digests;
}

/** Whether elements of the node may have rows. */
function hasCells(run: LiveRun, node: OutlineNode): boolean {
  const now = run.state.nodes[node.index];
  return now !== undefined && now.total >= 0 && now.whole === null;
}

/** Characters that are hashed at once. */
const HASHED_CHARS = 64 * 1024;

class DigestedText {
  readonly #hash = createHash("sha256");
  #pending = "";

  add(text: string): void {
    this.#pending += text;
    if (this.#pending.length > HASHED_CHARS) {
      this.#hash.update(this.#pending);
      this.#pending = "";
    }
  }

  digest(): string {
    return this.#hash.update(this.#pending).digest("base64url");
  }
}

/** The elements of an output, from one on. */
export function comparableElements(
  run: LiveRun,
  view: ViewInput,
  store: RunStore,
  { node: index, from }: Pick<RunElementsRequest, "node" | "from">,
): ElementsPage {
  const group = viewGroups(view).find(({ output }) => output.node === index);
  const node = run.outline.nodes[index];
  const now = run.state.nodes[index];
  if (group === undefined || node === undefined || now === undefined) {
    return { elements: [], indices: null, next: null };
  }
  const isPlace = group.output.cardinality === "single" || now.whole !== null;
  if (isPlace && (now.whole !== null || now.total <= 0)) {
    // A single output that was never reached has its place.
    const element = (now.whole?.status ?? group.state) === "absent" ? "a" : "m";
    return { elements: from === 0 ? [element] : [], indices: [[]], next: null };
  }
  const to = Math.min(from + PAGE_ELEMENTS, Math.max(now.total, 0));
  const elements: string[] = [];
  for (let at = from; at < to; at += READ_CELLS) {
    const end = Math.min(at + READ_CELLS, to);
    const rows = new Map(
      store.fileCellsBetween(index, at, end).map((row) => [row.element, row] as const),
    );
    for (let element = at; element < end; element++) {
      elements.push(elementOf(rows.get(element)));
    }
  }
  const axes = run.outline.scopes[node.scope]?.axes.length ?? 0;
  return {
    elements,
    indices: axes === 1 ? null : elements.map((_, at) => run.layout.indices(node.scope, from + at)),
    next: to < now.total ? to : null,
  };
}

function elementOf(row: CellRow | undefined): string {
  const key = row?.status === "ok" ? firstContentKey(row.body) : undefined;
  if (key !== undefined) {
    return `p${key}`;
  }
  return row?.status === "absent" ? "a" : "m";
}

/** The value of each element, without the bytes of files. */
export function comparableValues(
  run: LiveRun,
  store: RunStore,
  places: RunValuesRequest["places"],
): (StoredValue | null)[] {
  // Only what a comparison shows: inputs and outputs.
  const shown = new Set(
    run.outline.nodes
      .filter(({ typeName }) => typeName.startsWith("input/"))
      .flatMap((node) => [node.index, submittedNode(node)])
      .concat(run.outline.outputs.map(({ node }) => node)),
  );
  return places.map(({ node, element }) => {
    const [row] = shown.has(node) ? store.cellsAt(node, [element]) : [];
    const value = row === undefined ? undefined : firstValue(row);
    if (value === undefined) {
      return null;
    }
    if (isSpilled(value)) {
      return encodeSpilled(withoutBytes(value.spilled));
    }
    return encodeValue(value instanceof FileRef ? withoutBytes(value) : value);
  });
}

function firstValue(row: CellRow): CellValue | undefined {
  const [value] = row.status === "ok" ? readOutputs(row.body).values() : [];
  return value;
}

/** With its digest, which files of rows may lack. */
function withoutBytes(file: FileRef): FileRef {
  const { content, sha256 } = file;
  return content === undefined
    ? file
    : file.with({
        sha256: sha256 ?? createHash("sha256").update(content.bytes).digest("hex"),
        content: undefined,
      });
}
