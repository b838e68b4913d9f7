/**
 * The tools that a node can use besides its inputs: the name of each (a node lists its tools in `needs`), the Worker
 * that has it, and the contexts that carry the tools.
 */
import type { BundleTools } from "../contracts/bundle-manifest.ts";
import type { CodeFormat, CodeSpec, DrawnCode } from "../contracts/code-symbol.ts";
import type { DatasetManifest, DatasetOptions, DatasetProfile } from "../contracts/dataset.ts";
import type { LayoutReport } from "../contracts/layout-report.ts";
import type { MediaKind } from "../contracts/media-kinds.ts";
import type {
  ImagePrompt,
  MadePicture,
  PictureSize,
  ReferencedModel,
  SoundMetadata,
  SpeechRequest,
  StemName,
  TextAnswer,
  TextPrompt,
  TranscriptAnswer,
} from "../contracts/model-calls.ts";
import type { ValueType } from "../contracts/node-parameters.ts";
import type { StoredReferences } from "../contracts/references.ts";
import type { RenderOptions } from "../contracts/renderer.ts";
import type { ModelCalls } from "../contracts/task.ts";
import { DEFAULT_WORKER, type TaskWorker } from "../contracts/task-workers.ts";
import type {
  Background,
  ResizeRequest,
  StoredLayer,
  StoredPicture,
} from "../contracts/picture-edits.ts";
import type { ReferencedTemplate } from "../contracts/template-reference.ts";
import type { JsonValue } from "../lib/exact-json.ts";
import type { FileRef } from "../lib/file-ref.ts";
import { LIMITS } from "../lib/limits-table.ts";

/** Compiled JSON Schema check; returns an empty list if the value conforms. */
export type SchemaCheck = (value: JsonValue) => readonly { path: string; message: string }[];

/** One row of a table. */
export interface TableRow {
  /** Row index, from 0. */
  readonly index: number;
  /** Column names, the same for every row of a table. */
  readonly columns: readonly string[];
  /** The row by column name, with cells in the types of their columns. */
  readonly values: { readonly [column: string]: JsonValue };
  /**
   * A cell read strictly as a declared type; null for an empty cell, an empty text for a text type
   * (docs/contract/datasets.md#reading-rules). Throws NodeError `COLUMN_NOT_FOUND` or `TYPE_MISMATCH`.
   */
  convert(column: string, type: ValueType): JsonValue;
  /** A cell as it is stored; undefined if a short row has none. Throws `COLUMN_NOT_FOUND`. */
  cell(column: string): JsonValue | undefined;
}

/** Id of a dataset's row: the same file read with the same options gives a row the same id. */
export interface DatasetRow extends TableRow {
  readonly id: string;
}

/**
 * Readers for tables in stored files. They read row by row on demand and never hold a whole table. All of them throw
 * NodeError while reading: the dataset codes in capitals (`INVALID_DATA`), `FILE_MISSING`, `SOURCE_CHANGED`,
 * `DATASET_DAMAGED`.
 */
export interface DatasetReaders {
  /** Reads rows of CSV, from a text or a stored file. Cells are text. */
  csvRows(
    source: string | FileRef,
    options: {
      readonly delimiter?: string;
      /**
       * If true, all rows are read, because some may not become elements, and more than a million are
       * `ROW_LIMIT_EXCEEDED`. If false, reading stops after the maximum number of elements of a node.
       */
      readonly isWhole?: boolean;
    },
  ): AsyncIterable<TableRow>;
  /** Reads the elements of the array at `table` in a stored JSON file, or of every line of an NDJSON file. */
  jsonItems(file: FileRef, table: string | undefined): AsyncIterable<JsonValue>;
  /** Reads the rows of a dataset made by `input/data` and verifies them against its manifest. */
  rows(manifest: JsonValue): AsyncIterable<DatasetRow>;
}

/** Makes datasets from files. Implemented by the runner. */
export interface DatasetWriter {
  /** Reads a whole stored file once, in constant memory, and stores its rows. Throws the readers' errors. */
  store(
    file: FileRef,
    options: DatasetOptions,
  ): Promise<{ readonly manifest: DatasetManifest; readonly profile: DatasetProfile }>;
}

/** Compiles JSON Schemas. */
export interface SchemaTools {
  /**
   * Compiles (with a cache) and returns a check. Throws NodeError `INVALID_SCHEMA` for a schema that cannot be used.
   */
  compile(schema: JsonValue): Promise<SchemaCheck>;
}

/** Draws and reads back code symbols. Implemented by the runner. */
export interface CodeTools {
  /**
   * Draws a symbol as pixels and as SVG. Throws NodeError `CODE_TEXT_INVALID`, `CODE_TOO_SMALL`,
   * and for a logo `IMAGE_UNREADABLE`, `IMAGE_TOO_LARGE` or `SVG_UNDRAWABLE`.
   */
  draw(spec: CodeSpec): Promise<DrawnCode>;
  /** Reads every code in an RGBA raster (width * height * 4 bytes); only codes of `format` if it is set. */
  decode(
    rgba: Uint8ClampedArray,
    width: number,
    height: number,
    format?: CodeFormat,
  ): Promise<readonly { format: string; text: string }[]>;
}

/** Joins stored PDFs. Implemented by the renderer. */
export interface DocumentTools {
  /**
   * Joins the pages of PDFs in order and stores the result (docs/contract/templates.md#nodes). The same PDFs give the same
   * bytes. Throws NodeError `PDF_UNREADABLE`, `PDF_ENCRYPTED`, `PDF_TOO_LARGE`, and those of reading a file.
   */
  merge(documents: readonly FileRef[], fileName: string): Promise<FileRef>;
}

/** Values by field code. A file is the picture of an image field. */
export type FieldValues = ReadonlyMap<string, JsonValue | FileRef>;

/** The document that a template node prints, and how. */
export interface TemplateRender {
  readonly template: ReferencedTemplate;
  readonly options: RenderOptions;
  /** Of the PDF; page images have the same name with their number. */
  readonly fileName: string;
}

export interface OneRender extends TemplateRender {
  readonly values: FieldValues;
  readonly output: "pdf" | "image" | "pages" | "both";
  /** Whether the files' keys become part of a value: they are then stored by themselves at once. */
  readonly isReferred: boolean;
}

export interface StoredPage {
  readonly page_number: number;
  readonly page_id: string;
  readonly label: string;
  /** In points. */
  readonly width: number;
  readonly height: number;
  /** A PNG with its size in pixels; null if none was drawn. */
  readonly image: {
    readonly file: FileRef;
    readonly width: number;
    readonly height: number;
  } | null;
}

export interface StoredRender {
  /** Pages of the whole output. */
  readonly pageCount: number;
  readonly report: LayoutReport;
  /** The selected pages. */
  readonly pages: readonly StoredPage[];
  readonly pdf: FileRef | null;
}

export interface CollectedRender extends TemplateRender {
  /** The values of each document, in order. They are asked for one after another, as they are printed. */
  readonly documents: AsyncIterable<FieldValues>;
  /** PDFs that come before and after the documents. */
  readonly intro: FileRef | undefined;
  readonly outro: FileRef | undefined;
}

/**
 * Renders design templates and stores what it made (docs/contract/templates.md#nodes). Equal documents, values, fonts and
 * pictures give equal bytes. Values without a field are reported and ignored. Throws NodeError
 * `TEMPLATE_NOT_AVAILABLE`, `INVALID_FIELD_VALUE`, `MISSING_REQUIRED_FIELD`, `TEXT_OVERFLOW`, `LIST_OVERFLOW`,
 * `IMAGE_FAILED` (can be retried if an address did not respond), `PAGE_SELECTION_INVALID`, `RENDER_TOO_LARGE`,
 * `COLOR_PROFILE_INVALID`, `NODE_TIMEOUT`. Implemented by the renderer.
 */
export interface TemplateTools {
  render(request: OneRender): Promise<StoredRender>;
  /**
   * Lays out every document by itself, numbers its pages by itself, and joins all in one PDF, in which each font and
   * picture is embedded once. `document` is undefined if there are neither documents nor an intro or outro. Throws
   * also `PDF_TOO_LARGE`, and the codes of `DocumentTools.merge`.
   */
  collect(
    request: CollectedRender,
  ): Promise<{ readonly document: FileRef | undefined; readonly count: number }>;
}

/** Pixels as RGBA, not premultiplied: `width` × `height` × 4 bytes. */
export interface Pixels {
  readonly rgba: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/** A file's bytes, whole or as a stream of pieces; each piece is valid until the next one is requested. */
export type FileBytes = Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Raster tools. Implemented by the runner; every call is limited in pixels and bytes. */
export interface ImageTools {
  encodePng(rgba: Uint8ClampedArray, width: number, height: number): Promise<Uint8Array>;
  /**
   * Decodes PNG, JPEG (rotated as EXIF specifies), WebP, GIF (first frame) and AVIF. Throws NodeError
   * `IMAGE_UNREADABLE` or `IMAGE_TOO_LARGE`.
   */
  decode(bytes: Uint8Array): Promise<Pixels>;
  /**
   * Converts any picture to another format: png is lossless, jpg has a white background, webp has exact transparency,
   * and an SVG is drawn with 2048 px on its longest side (docs/contract/assets.md#files). `quality` is 1 to 100 and is
   * ignored for png; `background` replaces transparency. The call, and reading its result, throw NodeError
   * `SVG_UNDRAWABLE`, `IMAGE_UNREADABLE`, `IMAGE_TOO_LARGE` or `TYPE_MISMATCH`.
   */
  convert(
    bytes: Uint8Array,
    contentType: string,
    format: "png" | "jpg" | "webp",
    options?: {
      readonly quality?: number | undefined;
      readonly background?: Background | undefined;
    },
  ): Promise<FileBytes>;
  /**
   * Whether a PNG, JPEG, WebP, GIF or AVIF is displayed as it is stored. Throws NodeError `IMAGE_UNREADABLE` or
   * `IMAGE_TOO_LARGE`.
   */
  isUpright(bytes: Uint8Array): Promise<boolean>;
  /**
   * Scales a picture (docs/contract/pictures.md#resizing). Throws as `convert` does, and RangeError if neither a width
   * nor a height is requested.
   */
  resize(
    bytes: Uint8Array,
    contentType: string,
    request: ResizeRequest,
  ): Promise<{
    readonly bytes: FileBytes;
    readonly format: "png" | "jpg" | "webp";
    readonly width: number;
    readonly height: number;
  }>;
  /**
   * Lays pictures over another one, the first lowest (docs/contract/pictures.md#composing). Returns a PNG of the base's
   * size. Throws as `convert` does.
   */
  compose(base: StoredPicture, layers: readonly StoredLayer[]): Promise<FileBytes>;
  /** Draws an SVG with resvg, `longestSide` px, on a transparent background. Throws NodeError `SVG_UNDRAWABLE`. */
  drawSvg(svg: string, longestSide: number): Promise<Pixels>;
}

/**
 * Fetches a public https address under the egress guard and stores the file (an SVG after cleaning) with the task's
 * files. `storage://` and a path is a stored file of the workspace or of one of its runs. Throws NodeError `FILE_MISSING`, `MEDIA_URL_REFUSED`, `MEDIA_FETCH_FAILED` (can be retried), `MEDIA_TOO_LARGE`,
 * `MEDIA_TYPE_UNSUPPORTED`, `MEDIA_TYPE_MISMATCH` or `STORAGE_UNAVAILABLE` (can be retried).
 */
export type FetchMedia = (address: string, kind: MediaKind) => Promise<FileRef>;

/** A task's input files and the files that it writes. */
export interface FileTools {
  read(file: FileRef): Promise<Uint8Array>;
  /**
   * Stores bytes under an unguessable path of this task; `name` is the base name with its extension. Rethrows errors of
   * the source and stores nothing then.
   */
  write(name: string, contentType: string, bytes: FileBytes): Promise<FileRef>;
}

/**
 * Asks models, whichever provider serves them (docs/contract/models.md). A call of a provider that works in jobs throws
 * TaskSuspended until its job is done: the node passes it on, runs again later, and gets the result of the same call. Throws NodeError `PROVIDER_UNAVAILABLE`,
 * `PROVIDER_RATE_LIMITED`, `PROVIDER_TIMEOUT`, `PROVIDER_BAD_OUTPUT` (these can be retried), `PROVIDER_AUTH_FAILED`,
 * `PROVIDER_QUOTA_EXCEEDED`, `PROVIDER_REJECTED`, `CONTENT_REFUSED`, and those of reading a file. Implemented by the
 * runner.
 */
export interface ModelTools {
  /**
   * Returns the answer to a prompt. With `isStreamed`, clients that watch the run see the text as it grows. `call` is the name of
   * this call among those of the task, the same in every attempt.
   */
  generateText(
    model: ReferencedModel,
    prompt: TextPrompt,
    options: { readonly call: string; readonly isStreamed: boolean },
  ): Promise<TextAnswer>;
  /** Makes one picture. `call` is as for texts. Throws also `IMAGE_UNREADABLE` and `IMAGE_TOO_LARGE` for the inputs. */
  makeImage(model: ReferencedModel, prompt: ImagePrompt, call: string): Promise<MadePicture>;
  /**
   * Begins a call that `makeImage` ends, so that several jobs of a provider work at the same time. Returns at once for
   * a provider that answers in one request.
   */
  beginImage(model: ReferencedModel, prompt: ImagePrompt, call: string): Promise<void>;
  /** Cancels the jobs of the task that still work: the task fails for good. */
  giveUp(): Promise<void>;
  /** Removes the background of a picture: a PNG of its size, upright. Throws also the codes of `makeImage`. */
  removeBackground(model: ReferencedModel, edit: PictureEdit, call: string): Promise<EditedPicture>;
  /**
   * Enlarges a picture: a PNG of exactly `scale` times its size, upright. Throws `IMAGE_TOO_LARGE` before anything is sent if that
   * is more than `pixelsMax`, and the codes of `makeImage`.
   */
  upscaleImage(
    model: ReferencedModel,
    edit: PictureEdit & { readonly scale: 2 | 4; readonly pixelsMax: number },
    call: string,
  ): Promise<EditedPicture>;
  /** Reads format and duration of a stored sound. Throws NodeError `AUDIO_UNREADABLE`, and those of reading a file. */
  measureSound(file: FileRef): Promise<SoundMetadata>;
  /** Speaks a text and stores the sound. A sound that cannot be read is `PROVIDER_BAD_OUTPUT`. */
  speak(model: ReferencedModel, request: SpeechRequest, call: string): Promise<StoredSpeech>;
  /** Writes down what is said in a sound. Throws also `AUDIO_UNREADABLE` for one that the model cannot read. */
  transcribe(
    model: ReferencedModel,
    request: SoundEdit & { readonly language: string | null },
    call: string,
  ): Promise<TranscriptAnswer>;
  /** Separates a sound into stems and stores them. Throws as `speak` and `transcribe` do. */
  separateStems(model: ReferencedModel, request: SoundEdit, call: string): Promise<StoredStems>;
}

/** What a node asks of a model about one picture, with values of the model's own parameters. */
export interface PictureEdit {
  readonly image: FileRef;
  readonly parameters: { readonly [name: string]: JsonValue };
}

export interface EditedPicture {
  readonly bytes: FileBytes;
  readonly size: PictureSize;
}

/** The same about a sound that `measureSound` has read. */
export interface SoundEdit {
  readonly file: FileRef;
  readonly metadata: SoundMetadata;
  readonly parameters: { readonly [name: string]: JsonValue };
}

export interface StoredSound {
  readonly file: FileRef;
  readonly metadata: SoundMetadata;
}

export interface StoredSpeech extends StoredSound {
  /** Characters that the provider counted; null if it reports none. */
  readonly characters: number | null;
}

export interface StoredStems {
  readonly stems: Readonly<Record<StemName, StoredSound>>;
  /** SHA-256 of the sound's bytes, hexadecimal. */
  readonly sourceSha256: string;
  /** Seconds that the provider counted; null if it reports none. */
  readonly seconds: number | null;
}

/** Every tool by the name that a node's `needs` uses. */
export interface NodeTools {
  readonly bundles: BundleTools;
  readonly codes: CodeTools;
  readonly datasets: DatasetReaders & DatasetWriter;
  readonly documents: DocumentTools;
  readonly fetch: FetchMedia;
  readonly files: FileTools;
  readonly images: ImageTools;
  readonly models: ModelTools;
  readonly schemas: SchemaTools;
  readonly templates: TemplateTools;
}
export type Need = keyof NodeTools;

/** The tools that run objects have as well. They have no clock and no randomness, and write nothing. */
export interface InlineTools {
  readonly datasets: DatasetReaders;
  readonly schemas: SchemaTools;
}

interface NeedEntry {
  /** The Worker that has the tool; `any` if every Worker has it. */
  readonly worker: TaskWorker | "any";
  /** Bytes that a task holds by using the tool, if its node does not declare its memory. */
  readonly memoryBytes: number;
}

const MB = 1024 * 1024;

/** The only table of tools: the Worker of each and the memory that it takes. */
export const NEEDS: Readonly<Record<Need, NeedEntry>> = {
  // A manifest and the listing that it is compared with.
  bundles: { worker: "runner", memoryBytes: 8 * MB },
  // The pixels of the largest code, the reader's copy of them, and the rows of a file.
  codes: { worker: "runner", memoryBytes: 48 * MB },
  // A file's rows while they are written to parts of an upload.
  datasets: { worker: "runner", memoryBytes: 48 * MB },
  // Its work takes memory when its turn comes (src/workers/renderer/document-tools.ts).
  documents: { worker: "renderer", memoryBytes: 0 },
  // A part of an upload, what was read before it turned out to be too large for a report, and the data that arrives.
  fetch: { worker: "runner", memoryBytes: 12 * MB },
  // A task's own files are counted by size.
  files: { worker: "any", memoryBytes: 0 },
  // The limit of every conversion (src/images/conversion-bytes.ts).
  images: { worker: "runner", memoryBytes: 64 * MB },
  // An answer of a model with its envelope, as bytes and as text, and the pictures of its prompt.
  models: { worker: "runner", memoryBytes: 24 * MB },
  schemas: { worker: "runner", memoryBytes: 0 },
  // As for documents.
  templates: { worker: "renderer", memoryBytes: 0 },
};

/** Memory for a node's values, its context and its report. */
const TASK_BYTES = 256 * 1024;

/** Most bytes of a file that is read as a whole. */
export const FILE_READ_BYTES_MAX = LIMITS.read_file.value;

/**
 * The most that one task of a node with these needs and files of this size may hold besides the values of its inputs,
 * in bytes. Conversions of pictures count their file themselves.
 */
export function memoryOfNeeds(needs: readonly Need[] = [], fileBytes = 0): number {
  const isRead = needs.includes("files") && !needs.includes("images");
  return needs.reduce(
    (sum, need) => sum + NEEDS[need].memoryBytes,
    TASK_BYTES + (isRead ? Math.min(fileBytes, FILE_READ_BYTES_MAX) : 0),
  );
}

/**
 * The Worker whose executor objects run tasks of a node with these needs. Throws if the needs belong to two Workers,
 * because no Worker could run the node.
 */
export function workerOf(needs: readonly Need[] = []): TaskWorker {
  return workerIn(NEEDS, needs);
}

/** The same for a given table. */
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

/** The context of an inline node: the listed tools that run objects have. */
export type InlineContext<N extends Need = Need> = Pick<InlineTools, N & keyof InlineTools>;

/** The call of an attempt: one element of one node of one run. */
export interface TaskCall {
  /**
   * Identical for every attempt and after every wait of this call, and unique to it. Suitable as a provider's
   * idempotency key.
   */
  readonly key: string;
  /** Number of the attempt, from 1. Resuming after a wait is not a new attempt. */
  readonly attempt: number;
  /**
   * Number of the times that an executor began this call, from 1; higher than the attempt after waits and lost workers.
   */
  readonly lease: number;
  /** The last token of this call; null if there is none. Kept until the call ends. */
  readonly token: string | null;
  /**
   * Reports the element's charge and usage. The last report before `run` ends counts, also if `run` throws a permanent
   * NodeError. Throws RangeError for an invalid amount. An amount above the node's `cost` is capped and the operator's
   * log records it.
   */
  charge(charge: { readonly milliCredits: number; readonly quantity: number | null }): void;
  /**
   * Publishes the next piece of the call's text to the run's event streams; pieces within 100 ms are joined. Nothing is
   * stored: the result of the call is the return value of `run`. Text beyond the limit of one element (`growing_text`)
   * is dropped, and every attempt starts with an empty text. Never throws.
   */
  emitText(piece: string): void;
  /**
   * `return ctx.task.wait(…)` suspends the call. It resumes later, with `token`, in any executor: `run` is called again
   * with the same inputs. While it waits it holds no lease and no lane. The token has at most `WAIT_TOKEN_MAX_CHARS`
   * characters; throws RangeError beyond. The node's `timeLimitMs` counts over all waits, and a cancel ends the call
   * without another `run`. `isQueued`: it waits for its turn, which does not count towards the time limit, and the run
   * may be told to resume it earlier.
   */
  wait(token: string, resumeAfterMs: number, isQueued?: boolean): ReadonlyMap<string, never>;
  /** Counts requests to a model, for the trace. */
  countCalls(made: ModelCalls): void;
  /** Replaces the token with which the next attempt begins if this one fails. Throws RangeError as `wait` does. */
  keep(token: string): void;
}

/** The parts of the context that every task has. */
interface TaskBasics {
  readonly task: TaskCall;
  /** The stored resources that the node's parameters refer to, by path, as they were at the run's admission. */
  readonly references: StoredReferences;
  readonly log: (message: string, fields?: Record<string, unknown>) => void;
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
  /** Output ports that nothing in the run reads. A node may skip outputs that are expensive to make. */
  readonly unreadPorts?: ReadonlySet<string>;
}

/** The context of a task in its Worker: the common parts and the tools that its node lists. */
export type TaskContext<N extends Need = Need> = TaskBasics & Pick<NodeTools, N>;
