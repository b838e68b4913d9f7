/** The outputs of one run of a batch, read from its object and the store. */
import type { RunExportEntry, RunExportPage } from "../../../contracts/runs/zip-export.ts";
import { unwrap } from "../../../lib/result.ts";
import { openStored } from "../../../storage/r2/open-stored.ts";
import { type ExportHost, expired } from "./export-host.ts";
import type { ExportOutput, ExportValue } from "./export-row.ts";

const START = { position: 0, ord: 0 } as const;

export interface RunPlace {
  readonly workspaceId: string;
  readonly baseUrl: string;
  readonly runId: string;
}

/**
 * A page of the run's outputs; null for a run that never began. Throws ExportGoneError, and AppError for a run that cannot
 * be read now.
 */
export async function readOutputs(
  host: ExportHost,
  { workspaceId, baseUrl, runId }: RunPlace,
  from: RunExportPage["next"] = START,
): Promise<RunExportPage | null> {
  const page = await host.run(runId).exportEntries({
    v: 1,
    workspace_id: workspaceId,
    from: from ?? START,
    base_url: baseUrl,
  });
  if (!page.ok && page.code === "outputs_expired") {
    throw expired(runId);
  }
  return !page.ok && page.code === "not_found" ? null : unwrap(page);
}

/** All present outputs of a run, in the order of its pages. */
export async function* allEntries(
  host: ExportHost,
  place: RunPlace,
  first: RunExportPage,
): AsyncGenerator<RunExportEntry> {
  for (let page: RunExportPage | null = first; page !== null;) {
    yield* page.entries;
    page = page.next === null ? null : await readOutputs(host, place, page.next);
  }
}

/** The outputs of a run under these keys; null for those that it does not have. `first` is its first page. */
export async function outputsOf(
  host: ExportHost,
  place: RunPlace,
  first: RunExportPage | null,
  keys: readonly string[],
): Promise<ExportOutput[]> {
  const outputs: ExportOutput[] = [];
  for (const key of keys) {
    const groups = first?.groups ?? [];
    const position = groups.findIndex((group) => group.key === key);
    const group = groups[position];
    if (first === null || group === undefined || !group.is_present) {
      outputs.push(null);
    } else if (group.is_iterated) {
      // A run with more outputs than a page is read again for each list, in the order of the columns.
      const of =
        first.next === null
          ? listOf(host, place, first, { key, total: group.elements })
          : () => elementsOf(host, place, { key, position, total: group.elements });
      outputs.push({ kind: "many", of });
    } else {
      const isThere = ({ output_key }: RunExportEntry) => output_key === key;
      const entry =
        first.entries.find((each) => isThere(each)) ??
        (await readOutputs(host, place, { position, ord: 0 }))?.entries.find((each) =>
          isThere(each),
        );
      outputs.push(entry === undefined ? null : valueOf(host, place, entry));
    }
  }
  return outputs;
}

function listOf(
  host: ExportHost,
  place: RunPlace,
  page: RunExportPage,
  { key, total }: { readonly key: string; readonly total: number },
): (ExportValue | null)[] {
  const of: (ExportValue | null)[] = Array.from({ length: total }, () => null);
  for (const entry of page.entries) {
    if (entry.output_key === key) {
      of[entry.ord] = valueOf(host, place, entry);
    }
  }
  return of;
}

async function* elementsOf(
  host: ExportHost,
  place: RunPlace,
  {
    key,
    position,
    total,
  }: { readonly key: string; readonly position: number; readonly total: number },
): AsyncGenerator<ExportValue | null> {
  let next = 0;
  const first = await readOutputs(host, place, { position, ord: 0 });
  if (first === null) {
    return;
  }
  for await (const entry of allEntries(host, place, first)) {
    if (entry.output_key !== key) {
      break;
    }
    for (; next < entry.ord; next++) {
      yield null;
    }
    yield valueOf(host, place, entry);
    next += 1;
  }
  for (; next < total; next++) {
    yield null;
  }
}

function valueOf(host: ExportHost, place: RunPlace, entry: RunExportEntry): ExportValue {
  if (entry.address !== undefined) {
    const { url, content_type } = entry.address;
    return { kind: "file", url, content_type, size_bytes: entry.size_bytes };
  }
  const kind = entry.is_json ? "json" : "text";
  return { kind, text: entry.text ?? (() => textPieces(host, place, entry)) };
}

async function* textPieces(
  host: ExportHost,
  place: RunPlace,
  entry: RunExportEntry,
): AsyncGenerator<string> {
  const bytes = await openContent(host, place, entry);
  const decoder = new TextDecoder();
  for await (const piece of bytes) {
    yield decoder.decode(piece, { stream: true });
  }
  yield decoder.decode();
}

/** The bytes of an output. Throws ExportGoneError. */
export async function openContent(
  host: ExportHost,
  place: RunPlace,
  { text, file, size_bytes, node, ord }: RunExportEntry,
): Promise<AsyncIterable<Uint8Array>> {
  if (text !== undefined) {
    return inMemory(new TextEncoder().encode(text));
  }
  const key = file?.key ?? null;
  let stored: { readonly key: string; readonly offset?: number } | null =
    key === null ? null : { key };
  if (stored === null) {
    const [held = null] = unwrap(
      await host.run(place.runId).exportContents({
        v: 1,
        workspace_id: place.workspaceId,
        elements: [{ node, ord }],
      }),
    );
    if (typeof held === "string") {
      return inMemory(new TextEncoder().encode(held));
    }
    if (held instanceof Uint8Array) {
      return inMemory(held);
    }
    stored = held;
  }
  const body = stored === null ? null : await openStored(host.bucket, { ...stored, size_bytes });
  if (body === null) {
    throw expired(place.runId);
  }
  return piecesOf(body);
}

async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function* inMemory(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
