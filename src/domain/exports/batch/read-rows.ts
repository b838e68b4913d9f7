/** The rows of a batch's export, read from the batch and the runs of its items. */
import type { BatchItemRow, ItemInput } from "../../../contracts/batches/batch-object-api.ts";
import type {
  ExportColumns,
  ExportRequest,
  InputColumn,
} from "../../../contracts/batches/batch-export.ts";
import type { RunExportPage } from "../../../contracts/runs/zip-export.ts";
import { decodeValue } from "../../../engine/values.ts";
import { FileRef } from "../../../lib/files/file-ref.ts";
import { parseJson, stringifyJson } from "../../../lib/json/exact-json.ts";
import { unwrap } from "../../../lib/result.ts";
import { batchItemsOf } from "../../../nodes/define-batch-item.ts";
import { fileUrl } from "../../../platform/file-url.ts";
import type { ExportHost } from "./export-host.ts";
import type { ExportRow, ExportValue } from "./export-row.ts";
import { outputsOf, readOutputs, type RunPlace } from "./run-outputs.ts";

/** Items of a batch that are read in one call. */
const PAGE_ITEMS = 256;
/** Runs that are asked at once: their answers wait until the rows before them are written. */
const RUNS_AT_ONCE = 16;

/** An item, and the first page of the outputs of its run. */
export interface ReadItem {
  readonly item: BatchItemRow;
  readonly place: RunPlace | null;
  readonly outputs: RunExportPage | null;
}

type Subject = Pick<ExportRequest, "workspace_id" | "base_url" | "inputs">;

/** Items from an index on, in order, with their runs' outputs. Throws ExportGoneError and AppError. */
export async function* readItems(
  host: ExportHost,
  { workspace_id, base_url }: Subject,
  from: number,
): AsyncGenerator<ReadItem> {
  const read = async (item: BatchItemRow): Promise<ReadItem> => {
    const runId = item.executions.at(-1);
    const place =
      runId === undefined ? null : { workspaceId: workspace_id, baseUrl: base_url, runId };
    return { item, place, outputs: place === null ? null : await outputsOfItem(host, place, item) };
  };
  const waiting: Promise<ReadItem>[] = [];
  for await (const item of itemsFrom(host, workspace_id, from)) {
    const next = read(item);
    // Its error is thrown when its turn comes; until then, nothing awaits it.
    next.catch(() => undefined);
    waiting.push(next);
    if (waiting.length >= RUNS_AT_ONCE) {
      const first = waiting.shift();
      if (first !== undefined) {
        yield await first;
      }
    }
  }
  for (const next of waiting) {
    yield await next;
  }
}

/** The rows of items from an index on. Throws as `readItems`. */
export async function* readRows(
  host: ExportHost,
  subject: Subject,
  columns: ExportColumns,
  from: number,
): AsyncGenerator<ExportRow> {
  const inputs = subject.inputs ? inputsFrom(host, subject.workspace_id, from) : null;
  for await (const { item, place, outputs } of readItems(host, subject, from)) {
    const given = inputs === null ? null : ((await inputs.next()).value ?? null);
    yield {
      index: item.index,
      client_reference: item.client_reference,
      status: item.status,
      execution: item.executions.at(-1) ?? null,
      credits_used: item.credits_used_milli / 1000,
      error_code: item.error_code,
      error_message: item.error_message,
      inputs: subject.inputs ? inputValues(given, columns.inputs, subject.base_url) : [],
      outputs:
        place === null
          ? columns.outputs.map(() => null)
          : await outputsOf(host, place, outputs, columns.outputs),
    };
  }
}

/** Short outputs are with the item; the run is asked for others. */
async function outputsOfItem(
  host: ExportHost,
  place: RunPlace,
  { outputs = null }: BatchItemRow,
): Promise<RunExportPage | null> {
  // Written by the run object, from a `RunExportPage`.
  return outputs === null ? await readOutputs(host, place) : (JSON.parse(outputs) as RunExportPage);
}

async function* itemsFrom(
  host: ExportHost,
  workspaceId: string,
  from: number,
): AsyncGenerator<BatchItemRow> {
  for (let after = from - 1; ;) {
    const { rows } = unwrap(
      await host.batch.items({
        v: 1,
        workspace_id: workspaceId,
        after,
        limit: PAGE_ITEMS,
        status: null,
        client_reference: null,
        with_outputs: true,
      }),
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ITEMS) {
      return;
    }
    after = last.index;
  }
}

/** The bound inputs of items from an index on, as JSON; null for an invalid one. */
async function* inputsFrom(
  host: ExportHost,
  workspaceId: string,
  from: number,
): AsyncGenerator<string | null, undefined> {
  for (let next = from; ;) {
    const texts = unwrap(await host.batch.inputs({ v: 1, workspace_id: workspaceId, from: next }));
    if (texts.length === 0) {
      return;
    }
    yield* texts;
    next += texts.length;
  }
}

/** The values of an item's inputs by column; null for those that it does not have. */
export function inputValues(
  inputJson: string | null,
  columns: readonly InputColumn[],
  baseUrl: string,
): (ExportValue | null)[] {
  if (inputJson === null) {
    return columns.map(() => null);
  }
  // Written by the creation, from an `ItemInput`.
  const bound = JSON.parse(inputJson) as ItemInput;
  return columns.map(({ node_id, parameter, kind }) => {
    if (parameter !== null) {
      const set = bound.parameter_overrides.find(
        (each) => each.node_id === node_id && each.parameter === parameter,
      );
      return set === undefined ? null : jsonValue(set.value_json, kind);
    }
    const stored = bound.input_files?.find((each) => each.node_id === node_id)?.stored;
    if (stored !== undefined) {
      return fileValue(stored, baseUrl);
    }
    const given = bound.inputs.find((each) => each.node_id === node_id);
    return given === undefined ? null : jsonValue(given.value_json, kind);
  });
}

/** The columns of a batch whose definition is gone: nodes of its first item, and outputs of its first run. */
export async function columnsOfRuns(host: ExportHost, subject: Subject): Promise<ExportColumns> {
  const nodes = new Set<string>();
  if (subject.inputs) {
    const { value } = await inputsFrom(host, subject.workspace_id, 0).next();
    const bound = JSON.parse(value ?? "{}") as Partial<ItemInput>;
    for (const { node_id } of [...(bound.inputs ?? []), ...(bound.input_files ?? [])]) {
      nodes.add(node_id);
    }
  }
  let outputs: string[] = [];
  for await (const read of readItems(host, subject, 0)) {
    if (read.outputs !== null) {
      outputs = (read.outputs.groups ?? []).map(({ key }) => key);
      break;
    }
  }
  return {
    inputs: [...nodes].map((node_id) => ({
      key: node_id,
      node_id,
      parameter: null,
      kind: "text" as const,
    })),
    outputs,
  };
}

function jsonValue(text: string, kind: InputColumn["kind"]): ExportValue {
  if (kind === "batch") {
    const [item = null] = batchItemsOf(parseJson(text)).items;
    return { kind: "json", text: stringifyJson(item) };
  }
  return kind === "json" || !text.startsWith('"')
    ? { kind: "json", text }
    : { kind: "text", text: String(JSON.parse(text)) };
}

function fileValue(stored: string, baseUrl: string): ExportValue | null {
  const file = decodeValue(stored);
  return file instanceof FileRef
    ? {
        kind: "file",
        url: fileUrl(baseUrl, file.key),
        content_type: file.contentType,
        size_bytes: file.sizeBytes,
      }
    : null;
}
