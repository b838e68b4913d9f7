/** A batch of runs in memory, and a place for its export that forgets what was not committed. */
import type { ExportRequest } from "../../../src/contracts/batches/batch-export.ts";
import type { BatchItemRow } from "../../../src/contracts/batches/batch-object-api.ts";
import type { RunExportEntry, RunExportPage } from "../../../src/contracts/runs/zip-export.ts";
import {
  type BuildState,
  buildSlice,
  type ExportSink,
  NEW_BUILD,
} from "../../../src/domain/exports/batch/build-export.ts";
import type { ExportHost } from "../../../src/domain/exports/batch/export-host.ts";
import { ok } from "../../../src/lib/result.ts";

/** An output of one element each; a JSON text, a text, or a file of these bytes; null for a failed one. */
export type MemoryValue =
  | { readonly text: string }
  | { readonly json: string }
  | { readonly stored: string }
  | { readonly file: Uint8Array; readonly name: string }
  | null;

export interface MemoryItem {
  readonly client_reference?: string;
  readonly error_message?: string;
  readonly inputs?: readonly { readonly node_id: string; readonly value_json: string }[];
  /** By key: one value, or a list of them. Undefined for an item without a run. */
  readonly outputs?: Readonly<Record<string, MemoryValue | readonly MemoryValue[]>>;
}

/** Elements of one page, as few as make a test of pages short. */
const PAGE = 5;

export class MemoryBatch implements ExportHost {
  readonly #items: readonly MemoryItem[];
  readonly #objects = new Map<string, Uint8Array>();
  nowMs = Date.now;

  constructor(items: readonly MemoryItem[]) {
    this.#items = items;
  }

  readonly batch = {
    read: () => Promise.reject(new Error("not asked here")),
    items: ({ after, limit }: { after: number; limit: number }) =>
      Promise.resolve(
        ok({
          rows: this.#items
            .slice(after + 1, after + 1 + limit)
            .map((_item, at) => this.#row(after + 1 + at)),
          total: this.#items.length,
        }),
      ),
    inputs: ({ from }: { from: number }) =>
      Promise.resolve(
        ok(
          this.#items
            .slice(from, from + 7)
            .map(({ inputs }) =>
              inputs === undefined ? null : JSON.stringify({ inputs, parameter_overrides: [] }),
            ),
        ),
      ),
  };

  readonly bucket = {
    get: (key: string, { range }: { range?: { offset: number; length: number } } = {}) => {
      const bytes = this.#objects.get(key);
      if (bytes === undefined) {
        return Promise.resolve(null);
      }
      const { offset = 0, length = bytes.byteLength } = range ?? {};
      const part = bytes.slice(offset, offset + length);
      const body = new Response(part).body;
      return Promise.resolve({ size: bytes.byteLength, body, bytes: () => Promise.resolve(part) });
    },
  } as unknown as R2Bucket;

  run(id: string) {
    const index = Number(id.slice(4));
    return {
      exportEntries: ({ from }: { from: { position: number; ord: number } }) =>
        Promise.resolve(ok(this.#page(index, from))),
      exportContents: () => Promise.reject(new Error("no content of this batch is in rows")),
    };
  }

  #row(index: number): BatchItemRow {
    const { client_reference = null, error_message = null, outputs } = this.#items[index] ?? {};
    return {
      index,
      status: outputs === undefined ? "failed" : "completed",
      client_reference,
      attempt: 1,
      executions: outputs === undefined ? [] : [`run_${String(index)}`],
      error_code: error_message === null ? null : "SOME_CODE",
      error_message,
      credits_used_milli: index,
      started_at_ms: null,
      completed_at_ms: 1,
    };
  }

  #page(index: number, from: { position: number; ord: number }): RunExportPage {
    const groups = Object.entries(this.#items[index]?.outputs ?? {});
    const shown = groups.map(([key, given]) => {
      const list = Array.isArray(given) ? (given as readonly MemoryValue[]) : undefined;
      return {
        key,
        is_iterated: list !== undefined,
        is_present: list?.length === 0 || (list ?? [given]).some((value) => value !== null),
        elements: list?.length ?? 1,
      };
    });
    const entries: RunExportEntry[] = [];
    let left = PAGE;
    for (const [position, [key, given]] of groups.entries()) {
      const list = (Array.isArray(given) ? given : [given]) as readonly MemoryValue[];
      const first =
        position < from.position ? list.length : position === from.position ? from.ord : 0;
      for (let ord = first; ord < list.length; ord++) {
        const value = list[ord] ?? null;
        if (value !== null) {
          entries.push(this.#entry({ index, position, ord, key }, value, Array.isArray(given)));
        }
        left -= 1;
        if (left === 0) {
          return { groups: shown, entries, next: { position, ord: ord + 1 } };
        }
      }
    }
    return { groups: shown, entries, next: null };
  }

  #entry(
    { index, position, ord, key }: { index: number; position: number; ord: number; key: string },
    value: NonNullable<MemoryValue>,
    isIterated: boolean,
  ): RunExportEntry {
    const common = {
      node: position,
      ord,
      output_key: key,
      is_iterated: isIterated,
      indices: isIterated ? [ord] : [],
      file_name: null,
    };
    if ("file" in value || "stored" in value) {
      const bytes = "file" in value ? value.file : new TextEncoder().encode(value.stored);
      const name = "file" in value ? value.name : "output.json";
      const place = `${String(index)}/${key}/${String(ord)}/${name}`;
      this.#objects.set(place, bytes);
      return {
        ...common,
        is_json: false,
        size_bytes: bytes.byteLength,
        file: { key: place, name },
        ...("file" in value && {
          address: { url: `http://svc.test/files/${place}`, content_type: "image/png" },
        }),
      };
    }
    const text = "text" in value ? value.text : value.json;
    const size_bytes = new TextEncoder().encode(text).byteLength;
    return { ...common, is_json: "json" in value, size_bytes, file: null, text };
  }
}

/** Keeps what is committed, as rows and parts of uploads do. */
export class MemorySink implements ExportSink {
  readonly files: Uint8Array[] = [];
  #state: BuildState = NEW_BUILD;
  #bytes: Uint8Array[] = [];
  #entries: Uint8Array[] = [];
  #newBytes: Uint8Array[] = [];
  #newEntries: Uint8Array[] = [];
  commits = 0;

  get state(): BuildState {
    // As it comes back from a row.
    return JSON.parse(JSON.stringify(this.#state)) as BuildState;
  }

  get uncommitted(): number {
    return this.#newBytes.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  append(bytes: Uint8Array): void {
    this.#newBytes.push(bytes.slice());
  }

  keepEntry(entry: Uint8Array): void {
    this.#newEntries.push(entry);
  }

  *entries(): Iterable<Uint8Array> {
    yield* this.#entries;
    yield* this.#newEntries;
  }

  commit(state: BuildState): void {
    this.commits += 1;
    this.#state = state;
    this.#bytes.push(...this.#newBytes);
    this.#entries.push(...this.#newEntries);
    this.crash();
  }

  /** Loses what was not committed. */
  crash(): void {
    this.#newBytes = [];
    this.#newEntries = [];
  }

  send(): Promise<void> {
    return Promise.resolve();
  }

  endFile(state: BuildState): Promise<void> {
    this.files.push(new Uint8Array(Buffer.concat(this.#bytes)));
    this.#bytes = [];
    this.#entries = [];
    this.#state = state;
    return Promise.resolve();
  }
}

export const REQUEST = {
  v: 1,
  workspace_id: "ws",
  batch_id: "bat",
  format: "csv",
  attempt: 1,
  inputs: false,
  raw: false,
  workflow_name: "Test",
  total_items: 1,
  ended_at_ms: Date.UTC(2026, 10, 28, 12, 34, 56),
  base_url: "http://svc.test",
  kept_ms: 1,
  columns: null,
} as const satisfies ExportRequest;

interface Wanted {
  readonly format: ExportRequest["format"];
  readonly inputs?: boolean;
  readonly raw?: boolean;
  readonly columns?: ExportRequest["columns"];
  /** Items and files after which the process is lost. */
  readonly reads?: number;
  readonly archiveBytes?: number;
}

/** Exports a batch, in slices of so many reads, each by a builder that knows only what was committed. */
export async function exportOf(
  items: readonly MemoryItem[],
  { reads = 1e9, archiveBytes = 1e9, columns, ...options }: Wanted,
  sink = new MemorySink(),
): Promise<readonly Uint8Array[]> {
  const host = new MemoryBatch(items);
  const request = { ...REQUEST, ...options, total_items: items.length };
  const outputs = [...new Set(items.flatMap((item) => Object.keys(item.outputs ?? {})))];
  const limits = { untilMs: Number.POSITIVE_INFINITY, reads, archiveBytes };
  const parts = { request, columns: columns ?? { inputs: [], outputs }, host, sink, limits };
  while (!(await buildSlice(parts, sink.state))) {
    sink.crash();
  }
  return sink.files;
}
