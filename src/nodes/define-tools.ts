/**
 * The tools that a node can use besides its inputs: the name of each (a node lists its tools in `needs`), the Worker
 * that has it, and the contexts that carry the tools.
 */
import type { ColorConversion } from "../images/color/convert-colors.ts";
import type { BundleTools } from "../contracts/files/bundle-manifest.ts";
import type { CodeFormat, CodeSpec, DrawnCode } from "../contracts/code-symbol.ts";
import type { StoredReferences } from "../contracts/references.ts";
import { DEFAULT_WORKER, type TaskWorker } from "../contracts/runs/task-workers.ts";
import type { ModelCalls } from "../contracts/runs/task.ts";
import type { JsonValue } from "../lib/json/exact-json.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";
import type { AudioTools } from "./define-audio-tools.ts";
import type { DatasetReaders, DatasetWriter } from "./define-dataset-tools.ts";
import type { FetchMedia, FileTools } from "./define-file-tools.ts";
import type { ImageTools } from "./define-image-tools.ts";
import type { ModelTools } from "./define-model-tools.ts";
import type { VideoTools } from "./define-video-tools.ts";
import type { DocumentTools, TemplateTools } from "./define-template-tools.ts";

/** Compiled JSON Schema check; returns an empty list if the value conforms. */
export type SchemaCheck = (value: JsonValue) => readonly { path: string; message: string }[];

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

/** Every tool by the name that a node's `needs` uses. */
export interface NodeTools {
  readonly audio: AudioTools;
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
  readonly video: VideoTools;
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
  /** Bytes of its memory with which a task begins; the tool takes the rest when its turn has come. All if omitted. */
  readonly beginsWith?: number;
}

const MB = 1024 * 1024;

/** What a task holds that waits for a place at a provider, or for its answer: a request without large pictures. */
export const WAITING_MODEL_BYTES = MB;

/** The only table of tools: the Worker of each and the memory that it takes. */
export const NEEDS: Readonly<Record<Need, NeedEntry>> = {
  // Ranges and decoders of the sounds that are open, a window of samples, the parts of two files, and their encoders.
  audio: { worker: "media", memoryBytes: 64 * MB },
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
  models: { worker: "runner", memoryBytes: 24 * MB, beginsWith: WAITING_MODEL_BYTES },
  schemas: { worker: "runner", memoryBytes: 0 },
  // As for documents.
  templates: { worker: "renderer", memoryBytes: 0 },
  // Ranges and tables of the videos that are open, the tables of the result, its parts, and subtitles.
  video: { worker: "media", memoryBytes: 64 * MB },
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

/** The part of its memory with which a task of a node with these needs begins, in bytes. Its tools take the rest. */
export function bytesToBegin(needs: readonly Need[] = [], ownBytes: number): number {
  // A node that declares its memory may need a tool that is not in the table, as in tests of executors.
  const table: Readonly<Partial<Record<Need, NeedEntry>>> = NEEDS;
  return needs.reduce((bytes, need) => Math.min(bytes, table[need]?.beginsWith ?? bytes), ownBytes);
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
  /** Counts a file that the attempt has opened or stored, for the trace. Files that tools read and write are counted by them. */
  countFile(file: CountedFile): void;
  /** Counts the subtitles that the attempt writes, for the trace. */
  countCaptions(count: number): void;
  /** Notes that the result depends on what an address returned: it is kept for no other run. */
  readonly noteFetched: () => void;
  /** Counts a picture in other colors than sRGB that the attempt reads, for the trace. A function that may be passed on. */
  readonly countColors: (conversion: ColorConversion) => void;
  /** Replaces the token with which the next attempt begins if this one fails. Throws RangeError as `wait` does. */
  keep(token: string): void;
}

/** A file of an attempt, for the trace. */
export interface CountedFile {
  readonly use: "read" | "stored";
  readonly key: string;
  readonly sizeBytes: number;
  /** Of an MP4 or MOV that is stored: whether its metadata stand before its data. */
  readonly faststart?: boolean;
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
