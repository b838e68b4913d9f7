/** What a node type says of itself, and what one of each role does besides. */
import type { StoredReferences } from "../contracts/references.ts";
import type { z } from "zod";
import type { DatasetOptions } from "../contracts/dataset.ts";
import type { MediaKind } from "../contracts/media-kinds.ts";
import type { ReadingNotes } from "../contracts/reading-notes.ts";
import type { JsonValue } from "../lib/exact-json.ts";
import type { Costed, Limited } from "./define-cost.ts";
import type {
  ConnectedPort,
  DynamicPortDescriptor,
  InputPort,
  NamedReference,
  NodeInputs,
  NodeOutputs,
  OutputPort,
  ParameterIssue,
} from "./define-ports.ts";
import type { InlineContext, Need, TableRow, TaskContext } from "./define-tools.ts";

export type NodeStatus = "stable" | "preview" | "deprecated" | "latest";

/** What an interface calls an input of this node (docs/contract/workflows.md#ports). */
export type InputKind = "text" | "number" | "boolean" | "json" | MediaKind | "any";

export interface NodeDescription<P extends z.ZodObject, N extends Need> {
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
  /**
   * What the parameters name that is stored elsewhere. It is fetched before the definition is
   * compiled, and `stored` has it by path wherever ports, checks and costs depend on it. A run keeps
   * what it was admitted with, whatever is stored later; its tasks have it as `ctx.references`.
   */
  references?(params: z.output<P>): readonly NamedReference[];
  readonly dynamicPorts?: {
    readonly descriptors: readonly DynamicPortDescriptor[];
    /** Ports besides the static ones. Called only with parameters that passed the schema. */
    resolve(
      params: z.output<P>,
      stored: StoredReferences,
    ): {
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
  check?(
    params: z.output<P>,
    connected: readonly ConnectedPort[],
    stored: StoredReferences,
  ): readonly ParameterIssue[];
}

/** What a node does with one element. */
export type Run<C, P extends z.ZodObject> = (
  ctx: C,
  inputs: NodeInputs,
  params: z.output<P>,
) => NodeOutputs | Promise<NodeOutputs>;

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
export interface ChosenRun<P extends z.ZodObject, N extends Need> {
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
