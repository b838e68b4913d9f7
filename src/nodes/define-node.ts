/**
 * What a node type is. One file makes one of these; the catalog, the validator, the engine,
 * the editor and the docs all read it, and nothing else describes a node.
 */
import type { z } from "zod";
import type { DatasetOptions } from "../contracts/dataset.ts";
import type { IssueCode } from "../contracts/definition-issue.ts";
import type { PortType } from "../contracts/port-type.ts";
import type { ReadingNotes } from "../contracts/reading-notes.ts";
import type { UsageUnit } from "../contracts/task.ts";
import type { ExactNumber, JsonValue } from "../lib/exact-json.ts";
import type { FileRef } from "../lib/file-ref.ts";
import type { InlineContext, Need, TableRow, TaskContext } from "./define-tools.ts";

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
  /**
   * Only of aggregators: read once for each result and not for each element, so what feeds it must
   * not vary over an axis that the node closes.
   */
  readonly once?: boolean;
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

/** How a composite parameter becomes ports, for the catalog (docs/contract/catalog.md#dynamic-ports). */
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

export type NodeStatus = "stable" | "preview" | "deprecated" | "latest";

/** What an interface calls an input of this node (docs/contract/workflows.md#ports). */
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

interface NodeDescription<P extends z.ZodObject, N extends Need> {
  readonly type: `${string}/${string}`;
  /**
   * Two numbers, `1.0`. The first is raised when the node gives other results for the same inputs and
   * parameters, when its runs leave other state (role, placement, axes, what a cell holds), or when a
   * port goes or takes another type: runs that were begun with the version before end with
   * `DEFINITION_INCOMPATIBLE` where they would otherwise mix the two. The second is raised for every
   * other change of ports, parameters or cost: such runs go on, at the price they were admitted at.
   * `test/unit/nodes/node-versions.test.ts` compares each node with its last version.
   */
  readonly version: string;
  readonly name: string;
  readonly description: string;
  readonly whenToUse: string;
  readonly subCategory?: string;
  readonly status: NodeStatus;
  readonly icon: string;
  readonly color: string;
  readonly capabilities?: readonly string[];
  /** The tools that its context carries (`define-tools.ts`); they decide the Worker that runs its tasks. */
  readonly needs?: readonly N[];
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

/** What one element of a node may cost. See docs/decisions/task-costs.md. */
export interface NodeCost<P extends z.ZodObject> {
  /** What its usage is counted in. */
  readonly unit: UsageUnit;
  /**
   * The most that one element may be charged, in whole milli-credits (1,000 = 1 credit), not
   * negative: this is reserved before the element starts. A number where parameters and connections
   * do not matter.
   */
  readonly milliCredits:
    | number
    | ((params: z.output<P>, connected: readonly ConnectedPort[]) => number);
  /**
   * What an element with these inputs is charged, where the inputs say it (the characters of a
   * text). More than `milliCredits` is cut down to it. What `ctx.task.charge` says comes before.
   */
  ofInputs?(
    inputs: NodeInputs,
    params: z.output<P>,
  ): { readonly milliCredits: number; readonly quantity: number | null };
  /**
   * Whether an element may be charged less than `milliCredits`, so that an estimate is a ceiling.
   * Default: only with `ofInputs`.
   */
  readonly isCeiling?: boolean | ((params: z.output<P>) => boolean);
}

interface Costed<P extends z.ZodObject> {
  /** Without it the node costs nothing. */
  readonly cost?: NodeCost<P>;
  /** Declared work units of one element; about a microsecond each. A slice holds 2,000. Default 5. */
  readonly work?: number | ((params: z.output<P>) => number);
}

/** What a node does with one element. */
type Run<C, P extends z.ZodObject> = (
  ctx: C,
  inputs: NodeInputs,
  params: z.output<P>,
) => NodeOutputs | Promise<NodeOutputs>;

interface Limited<P extends z.ZodObject> {
  /** Only for tasks: after this the attempt is aborted and fails with `NODE_TIMEOUT`. */
  readonly timeLimitMs?: number;
  /**
   * Only for tasks: bytes that one run holds at once besides the values of its inputs: files that it
   * reads, rasters, wasm. Tasks begin as the isolate's memory budget has room. Default: that of its needs.
   */
  readonly memoryBytes?: number | ((params: z.output<P>, files: readonly FileRef[]) => number);
}

/** Runs inside the run object and must be pure; with large inputs, or to copy a file, as a task. */
interface InlineRun<P extends z.ZodObject, N extends Need> {
  readonly placement: "inline";
  readonly run: Run<InlineContext<N>, P>;
  readonly runInline?: never;
}

/** Runs in the Worker that its needs name. */
interface TaskRun<P extends z.ZodObject, N extends Need> {
  readonly placement: "task";
  readonly run: Run<TaskContext<N>, P>;
  readonly runInline?: never;
}

/** Runs where its parameters say. */
interface ChosenRun<P extends z.ZodObject, N extends Need> {
  readonly placement: (params: z.output<P>) => "inline" | "task";
  /** As a task. */
  readonly run: Run<TaskContext<N>, P>;
  /** Where `placement` says inline. */
  readonly runInline: Run<InlineContext<N>, P>;
}

type TransformNode<P extends z.ZodObject, N extends Need> = NodeDescription<P, N> &
  Costed<P> &
  Limited<P> & { readonly role: "transform" | "output" } & (
    | InlineRun<P, N>
    | TaskRun<P, N>
    | ChosenRun<P, N>
  );

interface MergeNode<P extends z.ZodObject, N extends Need>
  extends NodeDescription<P, N>, Costed<P> {
  /** Takes the first of its list that is not absent; the engine does it (`utility/merge`). */
  readonly role: "merge";
  /** Whether a failed or blocked one met first blocks (`block`) or is passed over (`next`). */
  onFailed(params: z.output<P>): "block" | "next";
}

interface InputNode<P extends z.ZodObject, N extends Need>
  extends NodeDescription<P, N>, Costed<P>, Limited<P> {
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
  readonly run?: Run<TaskContext<N>, P>;
  /** How the file is read as a table, where it is: an estimate counts its rows so. */
  datasetOptions?(params: z.output<P>): DatasetOptions;
  /** Checks a submitted value (already JSON) or a default; the message says how to mend it. */
  parse(value: JsonValue, params: z.output<P>): { value: JsonValue } | { problem: string };
  /** Present when the input fans out (`input/json`): as for an enumerator, the value in port `value`. */
  enumerate?(inputs: NodeInputs, params: z.output<P>): Elements;
  /** As for an enumerator. */
  stream?: EnumeratorNode<P, N>["stream"];
  /** As for an enumerator. */
  countItems?(inputs: NodeInputs, params: z.output<P>): number;
}

/** Elements one after another, and at their end what was noted about the rows that they came from. */
// oxlint-disable-next-line typescript/no-invalid-void-type -- what most generators return is nothing
export type Elements = Iterable<NodeOutputs, ReadingNotes | undefined | void>;

interface EnumeratorNode<P extends z.ZodObject, N extends Need>
  extends NodeDescription<P, N>, Costed<P> {
  readonly role: "enumerator";
  /** Yields one set of outputs an element, in index order; may throw NodeError at any of them. */
  enumerate?(inputs: NodeInputs, params: z.output<P>): Elements;
  /** Input port whose dataset's rows are the elements, one each: `row_count` beside it counts them. */
  readonly rowsOf?: string;
  /** With `rowsOf`: columns that the rows must have. */
  columnsOf?(params: z.output<P>): readonly string[];
  /** With `rowsOf`: tells which rows open an element, undefined where every one does. Throws as `stream` does. */
  rowTest?(params: z.output<P>): ((row: TableRow) => boolean) | undefined;
  /**
   * The same where elements lie in a stored file, read as they are drawn. Undefined for inputs that
   * hold no file: then `enumerate` is called. How many there are is known only in the run.
   */
  readonly stream?: (
    ctx: InlineContext<N>,
    inputs: NodeInputs,
    params: z.output<P>,
  ) => AsyncIterable<NodeOutputs, ReadingNotes | undefined> | undefined;
  /** How many elements `enumerate` would yield, where that is cheaper to say. Throws as it does. */
  countItems?(inputs: NodeInputs, params: z.output<P>): number;
}

interface AggregatorNode<P extends z.ZodObject, N extends Need>
  extends NodeDescription<P, N>, Costed<P> {
  readonly role: "aggregator";
  collapse(params: z.output<P>): "all" | "innermost";
  onFailedItems(params: z.output<P>): "skip" | "fail";
  /**
   * Folds the elements that were not left out, in index order. An absent column is missing from the
   * map. `once` has the ports that are read once for each result.
   */
  aggregate(
    params: z.output<P>,
    once: NodeInputs,
  ): {
    add(columns: NodeInputs): void;
    finish(): NodeOutputs;
  };
}

export type NodeSpec<P extends z.ZodObject = z.ZodObject, N extends Need = Need> =
  | TransformNode<P, N>
  | MergeNode<P, N>
  | InputNode<P, N>
  | EnumeratorNode<P, N>
  | AggregatorNode<P, N>;

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

/** What of a node runs inside a run object. Throws for a node that only runs as a task. */
export function inlineRunOf(
  type: Extract<NodeType, { role: "transform" | "output" }>,
): Run<InlineContext, z.ZodObject> {
  const run = type.runInline ?? (type.placement === "inline" ? type.run : undefined);
  if (run === undefined) {
    throw new Error(`${type.type} runs only as a task.`);
  }
  return run;
}

/** Whether the node opens an axis of iteration. */
export function opensAxis(type: NodeType): boolean {
  return (
    type.role === "enumerator" ||
    (type.role === "input" && (type.enumerate !== undefined || type.stream !== undefined))
  );
}

type Runner<P extends z.ZodObject, N extends Need, R> = NodeDescription<P, N> &
  Costed<P> &
  Limited<P> & { readonly role: "transform" | "output" } & R;

/** A node while it is being written: its placement decides what its context is. */
type Drafted<P extends z.ZodObject, N extends Need, L> =
  | Runner<
      P,
      N,
      {
        readonly placement: L;
        readonly run: Run<L extends "inline" ? InlineContext<N> : TaskContext<N>, P>;
      }
    >
  | Exclude<NodeSpec<P, N>, { role: "transform" | "output" }>;

/** Gives a node file its types: its context has what `needs` names. Identity at run time. */
export function defineNode<
  P extends z.ZodObject,
  const N extends Need = never,
  const L extends "inline" | "task" = "inline",
  S extends Drafted<P, N, L> = Drafted<P, N, L>,
>(spec: S & { readonly params: P; readonly needs?: readonly N[]; readonly placement?: L }): S {
  return spec;
}

/** The same for a node whose parameters say where it runs. */
export function defineMovableNode<
  P extends z.ZodObject,
  const N extends Need,
  S extends Runner<P, N, ChosenRun<P, N>>,
>(spec: S & { readonly params: P; readonly needs?: readonly N[] }): S {
  return spec;
}
