/**
 * What a node can reach besides its inputs: the tools, the name of each (a node lists those it uses
 * in `needs`), which Worker holds it, and the contexts that carry what was named.
 */
import type { BundleTools } from "../contracts/bundle-manifest.ts";
import type { CodeFormat, CodeSpec, DrawnCode } from "../contracts/code-symbol.ts";
import type { DatasetManifest, DatasetOptions, DatasetProfile } from "../contracts/dataset.ts";
import type { MediaKind } from "../contracts/media-kinds.ts";
import type { ValueType } from "../contracts/node-parameters.ts";
import type { StoredReferences } from "../contracts/references.ts";
import { DEFAULT_WORKER, type TaskWorker } from "../contracts/task-workers.ts";
import type { JsonValue } from "../lib/exact-json.ts";
import type { FileRef } from "../lib/file-ref.ts";

/** Compiled JSON Schema check; empty when the value conforms. */
export type SchemaCheck = (value: JsonValue) => readonly { path: string; message: string }[];

/** One row of a table, as its reader found it. */
export interface TableRow {
  /** From 0. */
  readonly index: number;
  /** Names of the columns, the same for every row of a table. */
  readonly columns: readonly string[];
  /** The row by column, cells as their columns' types. */
  readonly values: { readonly [column: string]: JsonValue };
  /**
   * A cell as a declared type, strictly; null for an empty one, empty text for a text type
   * (docs/contract/datasets.md#reading-rules). Throws NodeError `COLUMN_NOT_FOUND` or `TYPE_MISMATCH`.
   */
  convert(column: string, type: ValueType): JsonValue;
  /** A cell as it is stored; undefined where a short row has none. Throws `COLUMN_NOT_FOUND`. */
  cell(column: string): JsonValue | undefined;
}

/** A row of a dataset: the same file read the same way gives it the same id. */
export interface DatasetRow extends TableRow {
  readonly id: string;
}

/**
 * Tables in stored files, read row by row as they are needed and never held whole. Everything here
 * throws NodeError while it is read: the dataset codes in capitals (`INVALID_DATA`), `FILE_MISSING`,
 * `SOURCE_CHANGED`, `DATASET_DAMAGED`.
 */
export interface DatasetReaders {
  /** Rows of CSV: of the text itself, or of a stored file. Cells are text. */
  csvRows(
    source: string | FileRef,
    options: {
      readonly delimiter?: string;
      /**
       * Every row is wanted, since some may open no element. Without it reading stops where there
       * are more rows than a node may have; with it more than a million are `ROW_LIMIT_EXCEEDED`.
       */
      readonly isWhole?: boolean;
    },
  ): AsyncIterable<TableRow>;
  /** Elements of the array at `table` in a stored JSON file; of every line of an NDJSON file. */
  jsonItems(file: FileRef, table: string | undefined): AsyncIterable<JsonValue>;
  /** Rows of what `input/data` made, verified against its manifest as they are read. */
  rows(manifest: JsonValue): AsyncIterable<DatasetRow>;
}

/** Makes datasets of files. Given by the runner. */
export interface DatasetWriter {
  /** Reads a stored file once, whole, in flat memory, and keeps its rows. Throws as the readers do. */
  store(
    file: FileRef,
    options: DatasetOptions,
  ): Promise<{ readonly manifest: DatasetManifest; readonly profile: DatasetProfile }>;
}

/** JSON Schemas, compiled. */
export interface SchemaTools {
  /** Compiles (cached) and returns a check. Throws NodeError `INVALID_SCHEMA` on a schema that cannot be used. */
  compile(schema: JsonValue): Promise<SchemaCheck>;
}

/** Code symbols: drawing and reading back. Given by the runner. */
export interface CodeTools {
  /**
   * Draws a symbol as pixels and as SVG. Throws NodeError `CODE_TEXT_INVALID`, `CODE_TOO_SMALL`,
   * and for a logo `IMAGE_UNREADABLE`, `IMAGE_TOO_LARGE` or `SVG_UNDRAWABLE`.
   */
  draw(spec: CodeSpec): Promise<DrawnCode>;
  /** Reads every code in an RGBA raster (width * height * 4 bytes), of this format where one is given. */
  decode(
    rgba: Uint8ClampedArray,
    width: number,
    height: number,
    format?: CodeFormat,
  ): Promise<readonly { format: string; text: string }[]>;
}

/** Pixels as RGBA, not premultiplied: `width` × `height` × 4 bytes. */
export interface Pixels {
  readonly rgba: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/** A file's bytes, whole or as they are made, each piece valid until the next is asked for. */
export type FileBytes = Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Raster tools. Given by the runner; every call is capped in pixels and bytes. */
export interface ImageTools {
  encodePng(rgba: Uint8ClampedArray, width: number, height: number): Promise<Uint8Array>;
  /**
   * Decodes PNG, JPEG (turned as EXIF says), WebP, GIF (its first frame) and AVIF.
   * Throws NodeError `IMAGE_UNREADABLE` or `IMAGE_TOO_LARGE`.
   */
  decode(bytes: Uint8Array): Promise<Pixels>;
  /**
   * The file of any picture in another format: png exactly, jpg on white, webp with exact
   * transparency; an SVG is drawn 2048 px on its longest side (docs/contract/assets.md#files). `quality` is 1 to 100
   * and means nothing to png. It, and reading what it answers, throws NodeError `SVG_UNDRAWABLE`,
   * `IMAGE_UNREADABLE`, `IMAGE_TOO_LARGE` or `TYPE_MISMATCH`.
   */
  convert(
    bytes: Uint8Array,
    contentType: string,
    format: "png" | "jpg" | "webp",
    quality?: number,
  ): Promise<FileBytes>;
  /** Draws an SVG with resvg, `longestSide` px, transparent. Throws NodeError `SVG_UNDRAWABLE`. */
  drawSvg(svg: string, longestSide: number): Promise<Pixels>;
}

/**
 * Fetches a public https address under the egress guard and keeps the file, an SVG cleaned, with the
 * task's own. Throws NodeError `MEDIA_URL_REFUSED`, `MEDIA_FETCH_FAILED` (worth another attempt),
 * `MEDIA_TOO_LARGE`, `MEDIA_TYPE_UNSUPPORTED` or `MEDIA_TYPE_MISMATCH`.
 */
export type FetchMedia = (address: string, kind: MediaKind) => Promise<FileRef>;

/** A task's files: those it was given, and those it makes. */
export interface FileTools {
  read(file: FileRef): Promise<Uint8Array>;
  /**
   * Stores bytes under this task's own unguessable path; `name` is the base name with extension.
   * What reading them throws, it throws, and stores nothing.
   */
  write(name: string, contentType: string, bytes: FileBytes): Promise<FileRef>;
}

/** Every tool there is, by the name that a node's `needs` gives it. */
export interface NodeTools {
  readonly bundles: BundleTools;
  readonly codes: CodeTools;
  readonly datasets: DatasetReaders & DatasetWriter;
  readonly fetch: FetchMedia;
  readonly files: FileTools;
  readonly images: ImageTools;
  readonly schemas: SchemaTools;
}
export type Need = keyof NodeTools;

/** What of these run objects have too. No clock, no randomness; nothing is written. */
export interface InlineTools {
  readonly datasets: DatasetReaders;
  readonly schemas: SchemaTools;
}

interface NeedEntry {
  /** The Worker that holds the tool; `any` where every Worker has it. */
  readonly worker: TaskWorker | "any";
  /** What a task holds by using it, where its node does not say by itself: bytes. */
  readonly memoryBytes: number;
}

const MB = 1024 * 1024;

/** The one table of what runs where, and of what it takes. */
export const NEEDS: Readonly<Record<Need, NeedEntry>> = {
  // A manifest and what is compared with it.
  bundles: { worker: "any", memoryBytes: 8 * MB },
  // The largest code's pixels, their copy in the reader, and the rows of a file.
  codes: { worker: "runner", memoryBytes: 48 * MB },
  // A file's rows on their way into parts of an upload.
  datasets: { worker: "any", memoryBytes: 48 * MB },
  // A part of an upload, and what comes in meanwhile.
  fetch: { worker: "any", memoryBytes: 12 * MB },
  // A task's own files are counted by their size.
  files: { worker: "any", memoryBytes: 0 },
  // No conversion is let beyond (src/images/conversion-bytes.ts).
  images: { worker: "runner", memoryBytes: 64 * MB },
  schemas: { worker: "any", memoryBytes: 0 },
};

/** A node's values, its context and its report. */
const TASK_BYTES = 256 * 1024;

/** A file that is read whole has at most so many bytes. */
export const FILE_READ_BYTES_MAX = 32 * MB;

/**
 * What one task of a node with these needs and files of so many bytes may hold besides the values of
 * its inputs, in bytes. Conversions of pictures count their file themselves.
 */
export function memoryOfNeeds(needs: readonly Need[] = [], fileBytes = 0): number {
  const isRead = needs.includes("files") && !needs.includes("images");
  return needs.reduce(
    (sum, need) => sum + NEEDS[need].memoryBytes,
    TASK_BYTES + (isRead ? Math.min(fileBytes, FILE_READ_BYTES_MAX) : 0),
  );
}

/**
 * The Worker whose executor objects run tasks of a node with these needs. Throws where they lie in
 * two Workers: such a node can run nowhere, and no node file may say so.
 */
export function workerOf(needs: readonly Need[] = []): TaskWorker {
  return workerIn(NEEDS, needs);
}

/** The same by another table. */
export function workerIn<N extends string, W extends string>(
  table: Readonly<Record<N, { readonly worker: W | "any" }>>,
  needs: readonly N[],
): W | typeof DEFAULT_WORKER {
  const workers = new Set<W>();
  for (const need of needs) {
    const { worker } = table[need];
    if (worker !== "any") {
      workers.add(worker);
    }
  }
  const [worker, second] = workers;
  if (worker !== undefined && second !== undefined) {
    throw new Error(
      `A node needs ${needs.join(", ")}, which no one Worker has: ${worker} and ${second}.`,
    );
  }
  return worker ?? DEFAULT_WORKER;
}

/** All that an inline node may reach: of what it named, what run objects have. */
export type InlineContext<N extends Need = Need> = Pick<InlineTools, N & keyof InlineTools>;

/** The call that an attempt belongs to: one element of one node of one run. */
export interface TaskCall {
  /**
   * The same in every attempt and after every wait of this call, and no other call has it: what a
   * provider takes as its idempotency key.
   */
  readonly key: string;
  /** From 1. Going on after a wait is no new attempt. */
  readonly attempt: number;
  /** What this call last waited with; null when it has not waited. Kept until the call ends. */
  readonly token: string | null;
  /**
   * Says what the element is charged and what it used; the last one said before `run` ends counts,
   * also where `run` throws a NodeError for good. Throws RangeError for what is no amount. Never
   * above the node's own `cost`: the rest is cut off, and the operator's log says so.
   */
  charge(charge: { readonly milliCredits: number; readonly quantity: number | null }): void;
  /**
   * Shows the next piece of the call's text to whoever watches the run, joined over 100 ms. Nothing
   * of it is stored: what the call gives is what `run` returns. What is over the limit of one element
   * (`growing_text`) is left out, and every attempt begins anew. Never throws.
   */
  emitText(piece: string): void;
  /**
   * `return ctx.task.wait(…)` has the call go on later, with `token`, in whichever executor: `run` is
   * called again with the same inputs. Meanwhile it holds no lease and no place. At most
   * `WAIT_TOKEN_MAX_CHARS` characters; throws RangeError beyond. The node's `timeLimitMs` counts over
   * all waits, and a cancel ends the call without another `run`.
   */
  wait(token: string, resumeAfterMs: number): ReadonlyMap<string, never>;
}

/** What every task has. */
interface TaskBasics {
  readonly task: TaskCall;
  /** What the node's parameters refer to, by path, as it was when the run was admitted. */
  readonly references: StoredReferences;
  readonly log: (message: string, fields?: Record<string, unknown>) => void;
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
  /** Output ports that nothing in the run reads. A node may leave out what is costly to make for them. */
  readonly unreadPorts?: ReadonlySet<string>;
}

/** All that a task may reach, in the Worker that runs it: the tools that its node named. */
export type TaskContext<N extends Need = Need> = TaskBasics & Pick<NodeTools, N>;
