/**
 * What a node type is. One file makes one of these; the catalog, the validator, the engine,
 * the editor and the docs all read it, and nothing else describes a node.
 */
import type { z } from "zod";
import type { BundleTools } from "../contracts/bundle-manifest.ts";
import type { CodeFormat, CodeSpec, DrawnCode } from "../contracts/code-symbol.ts";
import type { DatasetManifest, DatasetOptions, DatasetProfile } from "../contracts/dataset.ts";
import type { IssueCode } from "../contracts/definition-issue.ts";
import type { MediaKind } from "../contracts/media-input.ts";
import type { ValueType } from "../contracts/node-parameters.ts";
import type { PortType } from "../contracts/port-type.ts";
import type { ExactNumber, JsonValue } from "../lib/exact-json.ts";
import type { FileRef } from "../lib/file-ref.ts";

/** What travels through a port: plain JSON (with exact numbers) or a stored file. */
export type RunValue = JsonValue | FileRef;

export interface InputPort {
  readonly name: string;
  readonly type: PortType;
  /**
   * Without it (absent or unconnected) the node cannot run. Default true; `if_connected` where a
   * node takes one of several ports: then only absence keeps it from running.
   */
  readonly required?: boolean | "if_connected";
  readonly label?: string;
  /** Several connections, in order, arrive as one list. */
  readonly list?: {
    readonly minCount?: number;
    readonly maxCount?: number;
    readonly compact?: boolean;
  };
  /** Source types taken besides `type`; numbers and booleans are turned into canonical text where `type` is text. */
  readonly accepts?: readonly PortType[];
}

export interface OutputPort {
  readonly name: string;
  readonly type: PortType;
  readonly label?: string;
  /** The output has the type of what feeds this input port (`merge`: the common type, else any). */
  readonly typeOf?: string;
  /** Part of what an enumerator iterates over. */
  readonly enumerable?: boolean;
  /** May be absent although the node ran (a branch that was not taken). */
  readonly optional?: boolean;
}

/** How a composite parameter becomes ports, for the catalog (spec 2 §2.3). */
export type DynamicPortDescriptor =
  | {
      readonly derivation: "named";
      readonly direction: "input" | "output";
      readonly parameter: string;
      readonly items_path: string;
      readonly name_field: string;
      readonly type_field?: string;
      readonly port_type?: PortType;
      readonly reserved_names?: readonly string[];
    }
  | {
      readonly derivation: "positional";
      readonly direction: "input" | "output";
      readonly parameter: string;
      readonly name_pattern: string;
      readonly index_base: number;
      readonly port_type: PortType;
      readonly min_count: number;
      readonly max_count: number;
      readonly mode: string;
    }
  | {
      readonly derivation: "expression_variables";
      readonly direction: "input";
      readonly parameter: string;
      readonly port_type: PortType;
      readonly max_count: number;
    };

/** A problem with a node's parameters that its schema alone cannot see. */
export interface ParameterIssue {
  /** `invalid_dynamic_config` unless the contract names another code. */
  readonly code: IssueCode;
  /** Below `parameters`, as a JSON path without a leading dot: `expression`, `jsonConfig.properties[2].formula`. */
  readonly path: string;
  readonly message: string;
  /** Left out where the one of its code (`ISSUE_SUGGESTIONS`) says it all. */
  readonly suggestion?: string;
}

/** What feeds an input port, for checks made when a definition is saved. */
export interface ConnectedPort {
  readonly port: string;
  readonly type: PortType;
}

/** A node's inputs for one element: present values only, by port name. */
export class NodeInputs {
  readonly #values: ReadonlyMap<string, RunValue | readonly RunValue[]>;

  constructor(values: ReadonlyMap<string, RunValue | readonly RunValue[]>) {
    this.#values = values;
  }

  has(port: string): boolean {
    return this.#values.has(port);
  }

  /** The value of a port, undefined when absent or unconnected. */
  get(port: string): RunValue | undefined {
    return this.#values.get(port) as RunValue | undefined;
  }

  /** A text port's value. The engine has already turned accepted numbers and booleans into text. */
  text(port: string): string {
    return this.#values.get(port) as string;
  }

  number(port: string): number | ExactNumber {
    return this.#values.get(port) as number | ExactNumber;
  }

  boolean(port: string): boolean {
    return this.#values.get(port) as boolean;
  }

  json(port: string): JsonValue {
    return this.#values.get(port) as JsonValue;
  }

  file(port: string): FileRef {
    return this.#values.get(port) as FileRef;
  }

  /** A list port's present values in connection order; empty when none is. */
  list(port: string): readonly RunValue[] {
    return (this.#values.get(port) as readonly RunValue[] | undefined) ?? [];
  }
}

/** A node's outputs by port name. A port left out is absent (a branch not taken). */
export type NodeOutputs = ReadonlyMap<string, RunValue>;

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
   * (spec 1 §4.4). Throws NodeError `COLUMN_NOT_FOUND` or `TYPE_MISMATCH`.
   */
  convert(column: string, type: ValueType): JsonValue;
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
    options: { readonly delimiter?: string },
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

/** All that an inline node may reach. No clock, no randomness, no I/O. */
export interface InlineContext {
  readonly schemas: {
    /** Compiles (cached) and returns a check. Throws NodeError `INVALID_SCHEMA` on a schema that cannot be used. */
    compile(schema: JsonValue): Promise<SchemaCheck>;
  };
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
   * transparency; an SVG is drawn 2048 px on its longest side (spec 1 §4.3). `quality` is 1 to 100
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

/** Fetching of what callers name by address. Given by the runner. */
export interface MediaTools {
  /**
   * Fetches a public https address under the egress guard and keeps the file, an SVG cleaned, with
   * this task's own. Throws NodeError `MEDIA_URL_REFUSED`, `MEDIA_FETCH_FAILED` (worth another
   * attempt), `MEDIA_TOO_LARGE`, `MEDIA_TYPE_UNSUPPORTED` or `MEDIA_TYPE_MISMATCH`.
   */
  fetch(address: string, kind: MediaKind): Promise<FileRef>;
}

/** All that a task node may reach, in the runner. */
export interface TaskContext extends InlineContext {
  readonly files: {
    read(file: FileRef): Promise<Uint8Array>;
    /**
     * Stores bytes under this task's own unguessable path; `name` is the base name with extension.
     * What reading them throws, it throws, and stores nothing.
     */
    write(name: string, contentType: string, bytes: FileBytes): Promise<FileRef>;
  };
  readonly codes: CodeTools;
  readonly images: ImageTools;
  readonly media: MediaTools;
  readonly datasets: DatasetReaders & DatasetWriter;
  readonly bundles: BundleTools;
  readonly log: (message: string, fields?: Record<string, unknown>) => void;
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
  /** Output ports that nothing in the run reads. A node may leave out what is costly to make for them. */
  readonly unreadPorts?: ReadonlySet<string>;
}

export type NodeStatus = "stable" | "preview" | "deprecated" | "latest";

/** What an interface calls an input of this node (spec 1 §2.7). */
export type InputKind =
  | "text"
  | "number"
  | "boolean"
  | "json"
  | "image"
  | "video"
  | "audio"
  | "document"
  | "model3d"
  | "any";

interface NodeDescription<P extends z.ZodObject> {
  readonly type: `${string}/${string}`;
  readonly version: string;
  readonly name: string;
  readonly description: string;
  readonly whenToUse: string;
  readonly subCategory?: string;
  readonly status: NodeStatus;
  readonly icon: string;
  readonly color: string;
  readonly capabilities?: readonly string[];
  readonly inputs: readonly InputPort[];
  readonly outputs: readonly OutputPort[];
  /**
   * Parameters as a strict zod object. Each property's `.meta()` may carry
   * `title, description, advanced, exposable, hidden, visible_when, schema_ref, category`.
   */
  readonly params: P;
  readonly dynamicPorts?: {
    readonly descriptors: readonly DynamicPortDescriptor[];
    /** Ports besides the static ones. Called only with parameters that passed the schema. */
    resolve(params: z.output<P>): {
      readonly inputs?: readonly InputPort[];
      readonly outputs?: readonly OutputPort[];
      /** Static ports that these parameters take away (`result` when there are variants). */
      readonly without?: readonly string[];
    };
  };
  /**
   * JSON Schemas among the parameters, with their path below `parameters`. They are compiled, which
   * takes time, only where a definition is validated or published. What an input node names here
   * the values submitted to it must meet.
   */
  schemas?(params: z.output<P>): readonly { readonly path: string; readonly schema: JsonValue }[];
  /** Checks that need more than the schema, with what is connected. Every problem at once. */
  check?(params: z.output<P>, connected: readonly ConnectedPort[]): readonly ParameterIssue[];
}

interface Costed<P extends z.ZodObject> {
  /** Milli-credits for one run of the node (1,000 = 1 credit). Default 0. */
  readonly costMilliCredits?: number;
  /** Declared work units of one element; about a microsecond each. A slice holds 2,000. Default 5. */
  readonly work?: number | ((params: z.output<P>) => number);
}

interface TransformNode<P extends z.ZodObject> extends NodeDescription<P>, Costed<P> {
  readonly role: "transform" | "output";
  /** Inline runs inside the run object and must be pure; a task runs in the runner. */
  readonly placement: "inline" | "task" | ((params: z.output<P>) => "inline" | "task");
  /** Only for tasks: after this the attempt is aborted and fails with `NODE_TIMEOUT`. */
  readonly timeLimitMs?: number;
  /**
   * Only for tasks: bytes that one run holds at once besides its input values and files (rasters,
   * wasm copies). The runner starts side by side only what fits its memory. Default 256 KiB.
   */
  readonly memoryBytes?: number | ((params: z.output<P>) => number);
  run(
    ctx: TaskContext,
    inputs: NodeInputs,
    params: z.output<P>,
  ): NodeOutputs | Promise<NodeOutputs>;
}

interface MergeNode<P extends z.ZodObject> extends NodeDescription<P>, Costed<P> {
  /** Takes the first of its list that is not absent; the engine does it (spec 4, `utility/merge`). */
  readonly role: "merge";
  /** Whether a failed or blocked one met first blocks (`block`) or is passed over (`next`). */
  onFailed(params: z.output<P>): "block" | "next";
}

interface InputNode<P extends z.ZodObject> extends NodeDescription<P>, Costed<P> {
  readonly role: "input";
  readonly inputKind: InputKind;
  isRequired(params: z.output<P>): boolean;
  /** The default as a value, undefined when none. */
  defaultValue(params: z.output<P>): JsonValue | undefined;
  /**
   * Present when a run may send a stored file (`asset_path`): the extensions that are taken, and the
   * path used when a run sends nothing.
   */
  readonly files?: {
    readonly extensions: readonly string[];
    /** Nothing else is taken: no inline value. */
    readonly isOnly: boolean;
    defaultPath(params: z.output<P>): string | undefined;
  };
  /**
   * Present when the submitted value, in port `value`, is worked on by the runner before anything
   * reads it (`input/data`). Always a task.
   */
  run?(
    ctx: TaskContext,
    inputs: NodeInputs,
    params: z.output<P>,
  ): NodeOutputs | Promise<NodeOutputs>;
  readonly timeLimitMs?: number;
  readonly memoryBytes?: number | ((params: z.output<P>) => number);
  /** How the file is read as a table, where it is: an estimate counts its rows so. */
  datasetOptions?(params: z.output<P>): DatasetOptions;
  /** Checks a submitted value (already JSON) or a default; the message says how to mend it. */
  parse(value: JsonValue, params: z.output<P>): { value: JsonValue } | { problem: string };
  /** Present when the input fans out (`input/json`): as for an enumerator, the value in port `value`. */
  enumerate?(inputs: NodeInputs, params: z.output<P>): Iterable<NodeOutputs>;
  /** As for an enumerator. */
  stream?: EnumeratorNode<P>["stream"];
  /** As for an enumerator. */
  countItems?(inputs: NodeInputs, params: z.output<P>): number;
}

interface EnumeratorNode<P extends z.ZodObject> extends NodeDescription<P>, Costed<P> {
  readonly role: "enumerator";
  /** Yields one set of outputs an element, in index order; may throw NodeError at any of them. */
  enumerate?(inputs: NodeInputs, params: z.output<P>): Iterable<NodeOutputs>;
  /** Input port whose dataset's rows are the elements, one each: `row_count` beside it counts them. */
  readonly rowsOf?: string;
  /**
   * The same where elements lie in a stored file, read as they are drawn. Undefined for inputs that
   * hold no file: then `enumerate` is called. How many there are is known only in the run.
   */
  stream?(
    datasets: DatasetReaders,
    inputs: NodeInputs,
    params: z.output<P>,
  ): AsyncIterable<NodeOutputs> | undefined;
  /** How many elements `enumerate` would yield, where that is cheaper to say. Throws as it does. */
  countItems?(inputs: NodeInputs, params: z.output<P>): number;
}

interface AggregatorNode<P extends z.ZodObject> extends NodeDescription<P>, Costed<P> {
  readonly role: "aggregator";
  collapse(params: z.output<P>): "all" | "innermost";
  onFailedItems(params: z.output<P>): "skip" | "fail";
  /** Folds the elements that were not left out, in index order. An absent column is missing from the map. */
  aggregate(params: z.output<P>): {
    add(columns: NodeInputs): void;
    finish(): NodeOutputs;
  };
}

export type NodeSpec<P extends z.ZodObject = z.ZodObject> =
  | TransformNode<P>
  | MergeNode<P>
  | InputNode<P>
  | EnumeratorNode<P>
  | AggregatorNode<P>;

/** A node type with its parameter type erased: what lists and the engine hold. */
// oxlint-disable-next-line typescript/no-explicit-any -- the one place where the parameter types of different nodes meet; compile parses them before use
export type NodeType = NodeSpec<any>;

/** Whether a run may leave the input out and still has a value or a file for it. */
export function hasDefault(type: Extract<NodeType, { role: "input" }>, params: unknown): boolean {
  return (
    type.defaultValue(params as never) !== undefined ||
    type.files?.defaultPath(params as never) !== undefined
  );
}

/** Whether the node opens an axis of iteration. */
export function opensAxis(type: NodeType): boolean {
  return (
    type.role === "enumerator" ||
    (type.role === "input" && (type.enumerate !== undefined || type.stream !== undefined))
  );
}

/** Gives a node file its types. Identity at run time. */
export function defineNode<P extends z.ZodObject, N extends NodeSpec<P>>(
  spec: N & { readonly params: P },
): N {
  return spec;
}
