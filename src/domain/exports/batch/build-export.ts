/**
 * Builds the files of a batch's export, a slice at a time. What it has done is plain data between any two commits: after
 * a crash, and in the next slice, it goes on from the last one.
 */
import type { ExportColumns, ExportRequest } from "../../../contracts/batches/batch-export.ts";
import type { RunExportEntry } from "../../../contracts/runs/zip-export.ts";
import {
  NEW_ARCHIVE,
  type ZipState,
  ZipTooLargeError,
  ZipWriter,
} from "../../../formats/zip/zip-writer.ts";
import { LIMITS } from "../../../lib/limits/limits-table.ts";
import { EntryNames } from "../entry-names.ts";
import { csvRows } from "./csv-rows.ts";
import { type ExportHost, ExportTooLargeError, expired } from "./export-host.ts";
import type { RowFormat, RowKeys } from "./export-row.ts";
import { jsonRows } from "./json-rows.ts";
import { readItems, type ReadItem, readRows } from "./read-rows.ts";
import { allEntries, openContent, type RunPlace } from "./run-outputs.ts";
import { SHEET_PATH, WORKBOOK_FILES, xlsxRows } from "./xlsx-sheet.ts";

/** Where a build is. */
export interface BuildState {
  /** Position in the stages of the format. */
  readonly stage: number;
  /** Whether the head of the stage is written. */
  readonly has_begun: boolean;
  /** The next item, and of its run the next file. */
  readonly next: number;
  readonly file: number;
  /** The bytes of the present file are complete, and wait to be sent. */
  readonly is_complete: boolean;
  /** Null for a format that is not an archive. */
  readonly zip: ZipState | null;
}

const NEW_STAGE = { has_begun: false, next: 0, file: 0, is_complete: false } as const;

export const NEW_BUILD: BuildState = { ...NEW_STAGE, stage: 0, zip: null };

/** The bytes of the file that is being written. */
export interface ExportSink {
  append(bytes: Uint8Array): void;
  /** Bytes that were appended since the last commit. */
  readonly uncommitted: number;
  keepEntry(entry: Uint8Array): void;
  /** The kept entries of the archive, in order. */
  entries(): Iterable<Uint8Array>;
  /** Stores what was appended together with the state. */
  commit(state: BuildState): void;
  /** Sends the parts that are full to the store. */
  send(): Promise<void>;
  /** Sends the rest of the file, which is committed, and stores the state. The next byte is of another file. */
  endFile(state: BuildState): Promise<void>;
}

/** How much one slice does. */
export interface SliceLimits {
  readonly untilMs: number;
  /** Items and files that are read: an invocation may make 10,000 calls. */
  readonly reads: number;
  /** Of an archive. */
  readonly archiveBytes: number;
}

export const ARCHIVE_BYTES = LIMITS.archive.value;

/** Items and files after which what was written is committed. */
const COMMIT_READS = 256;
/** Bytes of a file that are read at a time, and then committed. */
const RANGE_BYTES = 8 * 1024 * 1024;
/** Files that are smaller are read whole. */
const WHOLE_BYTES = 1024 * 1024;
/** Characters that are encoded at once. */
const TEXT_CHARS = 64 * 1024;

const encoder = new TextEncoder();

type Stage =
  | { readonly kind: "rows"; readonly format: RowFormat; readonly path: string | null }
  | { readonly kind: "files" };

export interface BuildParts {
  readonly request: ExportRequest;
  readonly columns: ExportColumns;
  readonly host: ExportHost;
  readonly sink: ExportSink;
  readonly limits: SliceLimits;
}

/** The number of times that a format goes through all items. */
export function stageCount({ format }: Pick<ExportRequest, "format">): number {
  return format === "zip" ? 3 : 1;
}

/**
 * Builds until the slice is over; true once nothing is left. Throws ExportGoneError, ExportTooLargeError, and AppError for
 * a run that cannot be read now.
 */
export async function buildSlice(parts: BuildParts, state: BuildState): Promise<boolean> {
  try {
    return await new Builder(parts, state).run();
  } catch (error) {
    throw error instanceof ZipTooLargeError ? new ExportTooLargeError(error.message) : error;
  }
}

class Builder {
  readonly #parts: BuildParts;
  readonly #stages: readonly Stage[];
  #zip: ZipWriter | null;
  #state: Omit<BuildState, "zip">;
  #readsLeft: number;
  #reads = 0;

  constructor(parts: BuildParts, { zip, ...state }: BuildState) {
    this.#parts = parts;
    this.#stages = stagesOf(parts.request, parts.columns);
    this.#state = state;
    this.#readsLeft = parts.limits.reads;
    const { format, ended_at_ms: endedAtMs } = parts.request;
    this.#zip =
      format === "xlsx" || format === "zip"
        ? new ZipWriter(parts.sink, endedAtMs, zip ?? NEW_ARCHIVE)
        : null;
  }

  async run(): Promise<boolean> {
    if (this.#state.is_complete) {
      await this.#sendRest();
    }
    for (;;) {
      const stage = this.#stages[this.#state.stage];
      if (stage === undefined) {
        break;
      }
      if (!(await (stage.kind === "rows" ? this.#rows(stage) : this.#files()))) {
        return false;
      }
      this.#state = { ...NEW_STAGE, stage: this.#state.stage + 1 };
      this.#commit();
    }
    if (this.#state.stage === this.#stages.length) {
      this.#state = { ...NEW_STAGE, stage: this.#state.stage + 1 };
      await this.#endFile();
    }
    return true;
  }

  async #rows({ format, path }: Extract<Stage, { kind: "rows" }>): Promise<boolean> {
    const { request, columns, host } = this.#parts;
    const text = new TextBuffer((bytes) => {
      if (this.#zip === null) {
        this.#parts.sink.append(bytes);
      } else {
        this.#zip.write(bytes);
      }
    });
    if (!this.#state.has_begun) {
      for (const [name, content] of request.format === "xlsx" ? WORKBOOK_FILES : []) {
        this.#zip?.add(name, encoder.encode(content));
      }
      if (path !== null) {
        this.#zip?.begin(path, { isDeflated: true });
      }
      text.add(format.head);
      this.#state = { ...this.#state, has_begun: true };
    }
    for await (const row of readRows(host, request, columns, this.#state.next)) {
      for (const piece of format.row(row)) {
        if (typeof piece === "string") {
          text.add(piece);
        } else {
          for await (const part of piece) {
            text.add(part);
          }
        }
      }
      this.#state = { ...this.#state, next: row.index + 1 };
      if (await this.#rested(() => text.flush())) {
        return false;
      }
    }
    text.add(format.tail);
    text.flush();
    if (path !== null) {
      this.#zip?.end();
    }
    return true;
  }

  /** The files of all runs, each in the folder of its item. */
  async #files(): Promise<boolean> {
    const { request, host } = this.#parts;
    for await (const read of readItems(host, request, this.#state.next)) {
      if (!(await this.#filesOf(read))) {
        return false;
      }
      this.#state = { ...this.#state, next: read.item.index + 1, file: 0 };
      if (await this.#rested()) {
        return false;
      }
    }
    return true;
  }

  async #filesOf({ item, place, outputs }: ReadItem): Promise<boolean> {
    if (place === null || outputs === null) {
      return true;
    }
    const folder = `items/${String(item.index).padStart(5, "0")}/`;
    // All names of the run, so that they are the same wherever the build went on.
    const names = new EntryNames();
    let nth = 0;
    for await (const entry of allEntries(this.#parts.host, place, outputs)) {
      const name = folder + names.nameOf(entry);
      nth += 1;
      if (nth > this.#state.file) {
        if (!(await this.#file(name, place, entry))) {
          return false;
        }
        this.#state = { ...this.#state, file: nth };
        if (await this.#rested()) {
          return false;
        }
      }
    }
    return true;
  }

  async #file(name: string, place: RunPlace, entry: RunExportEntry): Promise<boolean> {
    const zip = await this.#archiveFor(name, entry.size_bytes);
    const key = entry.text === undefined ? (entry.file?.key ?? null) : null;
    if (key !== null && entry.size_bytes > WHOLE_BYTES) {
      if (zip.state.open === null) {
        zip.begin(name);
      }
      return await this.#copy(zip, place, { key, size: entry.size_bytes });
    }
    const content: Uint8Array[] = [];
    for await (const piece of await openContent(this.#parts.host, place, entry)) {
      content.push(piece);
    }
    zip.add(name, joined(content));
    return true;
  }

  /** Copies what is left of the file that is open, a range at a time. */
  async #copy(
    zip: ZipWriter,
    place: RunPlace,
    { key, size }: { readonly key: string; readonly size: number },
  ): Promise<boolean> {
    const { host, limits, sink } = this.#parts;
    for (let offset = zip.state.open?.size ?? size; offset < size; offset += RANGE_BYTES) {
      const length = Math.min(RANGE_BYTES, size - offset);
      zip.write(await rangeOf(host, place, { key, size, offset, length }));
      this.#commit();
      await sink.send();
      if (host.nowMs() >= limits.untilMs) {
        return false;
      }
    }
    zip.end();
    return true;
  }

  /**
   * The archive that the file goes into, or already is being written to. Another one begins where the file would make the
   * present one too large; a file that is larger than an archive has one of its own.
   */
  async #archiveFor(name: string, size: number): Promise<ZipWriter> {
    const { archiveBytes } = this.#parts.limits;
    const zip = this.#archive;
    const { open, files } = zip.state;
    const isFull = !zip.fits(name, size, archiveBytes) || files >= LIMITS.archive_files.value;
    if (open === null && files > 0 && isFull) {
      await this.#endFile();
    }
    return this.#archive;
  }

  get #archive(): ZipWriter {
    if (this.#zip === null) {
      throw new TypeError("This format is not an archive.");
    }
    return this.#zip;
  }

  async #endFile(): Promise<void> {
    this.#zip?.finish(this.#parts.sink.entries());
    this.#state = { ...this.#state, is_complete: true };
    this.#commit();
    await this.#sendRest();
  }

  async #sendRest(): Promise<void> {
    this.#state = { ...this.#state, is_complete: false };
    this.#zip = this.#zip && new ZipWriter(this.#parts.sink, this.#parts.request.ended_at_ms);
    await this.#parts.sink.endFile({ ...this.#state, zip: this.#zip?.state ?? null });
  }

  /** Commits from time to time; true if the slice is over. `before` completes what is to be committed. */
  async #rested(before: () => void = () => undefined): Promise<boolean> {
    const { limits, host, sink } = this.#parts;
    this.#readsLeft -= 1;
    this.#reads += 1;
    const isOver = this.#readsLeft <= 0 || host.nowMs() >= limits.untilMs;
    if (isOver || this.#reads % COMMIT_READS === 0 || sink.uncommitted >= RANGE_BYTES) {
      before();
      this.#commit();
      await sink.send();
    }
    return isOver;
  }

  #commit(): void {
    this.#parts.sink.commit({ ...this.#state, zip: this.#zip?.state ?? null });
  }
}

function stagesOf({ format, inputs, raw }: ExportRequest, columns: ExportColumns): Stage[] {
  const keys: RowKeys = {
    inputs: inputs ? columns.inputs.map(({ key }) => key) : null,
    outputs: columns.outputs,
  };
  const rows = (rowFormat: RowFormat, path: string | null = null): Stage => ({
    kind: "rows",
    format: rowFormat,
    path,
  });
  switch (format) {
    case "csv":
      return [rows(csvRows(keys, raw))];
    case "json":
    case "ndjson":
      return [rows(jsonRows(keys, format === "ndjson"))];
    case "xlsx":
      return [rows(xlsxRows(keys), SHEET_PATH)];
    case "zip":
      return [
        rows(csvRows(keys, raw), "results.csv"),
        rows(jsonRows(keys, false), "results.json"),
        { kind: "files" },
      ];
  }
}

/** Collects pieces of text, so that they are encoded together. */
class TextBuffer {
  readonly #out: (bytes: Uint8Array) => void;
  #text: string[] = [];
  #chars = 0;

  constructor(out: (bytes: Uint8Array) => void) {
    this.#out = out;
  }

  add(text: string): void {
    this.#text.push(text);
    this.#chars += text.length;
    if (this.#chars >= TEXT_CHARS) {
      this.flush();
    }
  }

  flush(): void {
    if (this.#chars > 0) {
      this.#out(encoder.encode(this.#text.join("")));
      this.#text = [];
      this.#chars = 0;
    }
  }
}

async function rangeOf(
  host: ExportHost,
  { runId }: RunPlace,
  part: {
    readonly key: string;
    readonly size: number;
    readonly offset: number;
    readonly length: number;
  },
): Promise<Uint8Array> {
  const { key, size, offset, length } = part;
  const object = await host.bucket.get(key, { range: { offset, length } });
  if (object === null || object.size !== size) {
    await object?.body.cancel();
    throw expired(runId);
  }
  return await object.bytes();
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) {
    return only;
  }
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}
