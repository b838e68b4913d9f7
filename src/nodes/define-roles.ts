/** The description of a node type, and the functions that each role adds. */
import type { StoredReferences } from "../contracts/references.ts";
import type * as z from "zod";
import type { IssueCode } from "../contracts/workflows/definition-issue.ts";
import type { DatasetOptions } from "../contracts/dataset.ts";
import type { MediaKind } from "../contracts/media/media-kinds.ts";
import type { ModelCapability } from "../contracts/models/model.ts";
import type { ReadingNotes } from "../contracts/reading-notes.ts";
import type { JsonValue } from "../lib/json/exact-json.ts";
import type { Costed, Limited } from "./define-cost.ts";
import type {
  AggregatedElements,
  ConnectedPort,
  DynamicPortDescriptor,
  InputPort,
  NamedReference,
  NodeInputs,
  NodeOutputs,
  OutputPort,
  ParameterIssue,
} from "./define-ports.ts";
import type { TableRow } from "./define-dataset-tools.ts";
import type { InlineContext, Need, TaskContext } from "./define-tools.ts";

export type NodeStatus = "stable" | "preview" | "deprecated" | "latest";

/** The type that an interface gives to an input of this node (docs/contract/workflows.md#ports). */
export type InputKind = "text" | "number" | "boolean" | "json" | MediaKind | "any";

export interface NodeDescription<P extends z.ZodObject, N extends Need> {
  readonly type: `${string}/${string}`;
  /**
   * Two numbers, such as `1.0`. Raise the first when the node returns different results for the same inputs and
   * parameters, when its runs store different state (role, placement, axes, contents of a cell), or when a port is
   * removed or changes its type: runs that started with the previous version then end with `DEFINITION_INCOMPATIBLE`
   * instead of mixing the two. Raise the second for every other change of ports, parameters or cost: such runs
   * continue, at the price that was reserved for them. `test/unit/nodes/node-versions.test.ts` compares each node with
   * its last version, and `node-results.test.ts` beside it what it returns for fixed inputs.
   */
  readonly version: string;
  readonly name: string;
  readonly description: string;
  readonly whenToUse: string;
  readonly subCategory?: string;
  readonly status: NodeStatus;
  readonly icon: string;
  readonly color: string;
  /** The capabilities of models that the node can use (docs/contract/models.md#capabilities). */
  readonly capabilities?: readonly ModelCapability[];
  /** The tools in the node's context (`define-tools.ts`); they determine the Worker that runs its tasks. */
  readonly needs?: readonly N[];
  readonly inputs: readonly InputPort[];
  readonly outputs: readonly OutputPort[];
  /**
   * Parameters as a strict zod object. Each property's `.meta()` may carry
   * `title, description, advanced, exposable, hidden, visible_when, schema_ref, category`.
   */
  readonly params: P;
  /**
   * The stored resources that the parameters refer to. They are fetched before the definition is compiled; `stored` has
   * them by path in all functions for ports, checks and costs. A run keeps the versions that it was admitted with; its
   * tasks read them from `ctx.references`.
   */
  references?(params: z.output<P>): readonly NamedReference[];
  readonly dynamicPorts?: {
    readonly descriptors: readonly DynamicPortDescriptor[];
    /** The node has inputs that follow from what its parameters refer to, which no descriptor can list. */
    readonly hasStoredInputs?: boolean;
    /** Ports besides the static ones. Called only with parameters that match the schema. */
    resolve(
      params: z.output<P>,
      stored: StoredReferences,
    ): {
      readonly inputs?: readonly InputPort[];
      readonly outputs?: readonly OutputPort[];
      /** Static ports that these parameters remove (`result` if there are variants). */
      readonly without?: readonly string[];
    };
  };
  /**
   * The code of a problem with a parameter of this name, given as `given`, if it is not that of every parameter
   * (`INVALID_PARAMETER`, `invalid_dynamic_config`).
   */
  parameterIssue?(
    name: PropertyKey | undefined,
    given: JsonValue | undefined,
  ): IssueCode | undefined;
  /** The issue that is reported if an input of the node iterates; omit it for a node that runs for each element. */
  readonly iterated?: { readonly code: IssueCode; readonly message: string };
  /**
   * JSON Schemas among the parameters, with their path below `parameters`. Compiling them takes time, so it happens
   * only when a definition is validated or published. Values submitted to an input node must match the schemas that it
   * lists.
   */
  schemas?(params: z.output<P>): readonly { readonly path: string; readonly schema: JsonValue }[];
  /** Checks that need the connections besides the schema. Returns all issues at once. */
  check?(
    params: z.output<P>,
    connected: readonly ConnectedPort[],
    stored: StoredReferences,
  ): readonly ParameterIssue[];
}

/** Executes the node for one element. */
export type Run<C, P extends z.ZodObject> = (
  ctx: C,
  inputs: NodeInputs,
  params: z.output<P>,
) => NodeOutputs | Promise<NodeOutputs>;

/** Runs inside the run object and must be pure; runs as a task if inputs are large or a file is copied. */
interface InlineRun<P extends z.ZodObject, N extends Need> {
  readonly placement: "inline";
  readonly run: Run<InlineContext<N>, P>;
  readonly runInline?: never;
}

/** Runs in the Worker that the node's needs determine. */
interface TaskRun<P extends z.ZodObject, N extends Need> {
  readonly placement: "task";
  readonly run: Run<TaskContext<N>, P>;
  readonly runInline?: never;
}

/** Runs where the node's parameters determine. */
export interface ChosenRun<P extends z.ZodObject, N extends Need> {
  readonly placement: (params: z.output<P>) => "inline" | "task";
  /** Runs as a task. */
  readonly run: Run<TaskContext<N>, P>;
  /** Runs inside the run object when `placement` returns inline. */
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
  /** Takes the first present value of its list port; implemented by the engine (`utility/merge`). */
  readonly role: "merge";
  /**
   * How the node treats a failed or blocked value that it meets first: `block` blocks the node, `next` skips the value.
   */
  onFailed(params: z.output<P>): "block" | "next";
}

interface InputNode<P extends z.ZodObject, N extends Need>
  extends NodeDescription<P, N>, Costed<P>, Limited<P> {
  readonly role: "input";
  readonly inputKind: InputKind;
  isRequired(params: z.output<P>): boolean;
  /** Returns the default as a value, undefined if there is none. */
  defaultValue(params: z.output<P>): JsonValue | undefined;
  /**
   * Present if a run may send a stored file (`asset_path`): the accepted extensions, and the path to use if a run sends
   * nothing.
   */
  readonly files?: {
    readonly extensions: readonly string[];
    /** If set, inline values are rejected. */
    readonly isOnly: boolean;
    defaultPath(params: z.output<P>): string | undefined;
  };
  /**
   * Present if the runner processes the submitted value, in port `value`, before other nodes read it (`input/data`).
   * Always a task.
   */
  readonly run?: Run<TaskContext<N>, P>;
  /** How to read the file as a table, if it is one; estimates use it to count rows. */
  datasetOptions?(params: z.output<P>): DatasetOptions;
  /** Checks a submitted value (already JSON) or a default. The message includes the remedy. */
  parse(value: JsonValue, params: z.output<P>): { value: JsonValue } | { problem: string };
  /** Present if the input opens an axis (`input/json`): the enumerator's function, with the value in port `value`. */
  enumerate?(inputs: NodeInputs, params: z.output<P>): Elements;
  /** As for an enumerator. */
  stream?: EnumeratorNode<P, N>["stream"];
  /** As for an enumerator. */
  countItems?(inputs: NodeInputs, params: z.output<P>): number;
}

/** Returns the elements one after another and, at the end, notes about their source rows. */
// oxlint-disable-next-line typescript/no-invalid-void-type -- what most generators return is nothing
export type Elements = Iterable<NodeOutputs, ReadingNotes | undefined | void>;

interface EnumeratorNode<P extends z.ZodObject, N extends Need>
  extends NodeDescription<P, N>, Costed<P> {
  readonly role: "enumerator";
  /** Yields the outputs of each element in index order. May throw NodeError at any element. */
  enumerate?(inputs: NodeInputs, params: z.output<P>): Elements;
  /** Input port with a dataset whose rows are the elements; the dataset's `row_count` is their number. */
  readonly rowsOf?: string;
  /** With `rowsOf`: columns that the dataset must have. */
  columnsOf?(params: z.output<P>): readonly string[];
  /**
   * With `rowsOf`: a filter that selects the rows that become elements, undefined if all do. Throws the same errors as
   * `stream`.
   */
  rowTest?(params: z.output<P>): ((row: TableRow) => boolean) | undefined;
  /**
   * Reads elements from a stored file on demand. Returns undefined for inputs that hold no file; `enumerate` is called
   * then. The number of elements is known only during the run.
   */
  readonly stream?: (
    ctx: InlineContext<N>,
    inputs: NodeInputs,
    params: z.output<P>,
  ) => AsyncIterable<NodeOutputs, ReadingNotes | undefined> | undefined;
  /** The number of elements that `enumerate` would yield, if it is cheaper to compute. Throws the same errors. */
  countItems?(inputs: NodeInputs, params: z.output<P>): number;
}

interface Aggregates<P extends z.ZodObject, N extends Need>
  extends NodeDescription<P, N>, Costed<P> {
  readonly role: "aggregator";
  /** Code of the issue about a source that varies of a port that is read once; `AGGREGATE_INPUT_VARIES` if omitted. */
  readonly variesCode?: IssueCode;
  /**
   * Code of the issue about columns that do not vary over the same axes, opened below one enumerator that does not vary
   * itself. If omitted, columns are joined whatever they vary over.
   */
  readonly columnsCode?: IssueCode;
  collapse(params: z.output<P>): "all" | "innermost";
  onFailedItems(params: z.output<P>): "skip" | "fail";
}

/** Folds inside the run object. */
interface InlineAggregator<P extends z.ZodObject, N extends Need> extends Aggregates<P, N> {
  readonly placement?: "inline";
  /**
   * Folds the present elements in index order. An absent column is missing from the map. `once` has the ports that are
   * read once for each result.
   */
  aggregate(
    params: z.output<P>,
    once: NodeInputs,
  ): {
    add(columns: NodeInputs): void;
    finish(): NodeOutputs;
  };
}

/** Makes each of its results in one task, in the Worker that its needs name. */
interface TaskAggregator<P extends z.ZodObject, N extends Need>
  extends Aggregates<P, N>, Limited<P> {
  readonly placement: "task";
  readonly aggregate?: never;
  /** `once` has the ports that are read once for each result, which are also what `cost.ofInputs` is given. */
  readonly combine: (
    ctx: TaskContext<N>,
    elements: AggregatedElements,
    once: NodeInputs,
    params: z.output<P>,
  ) => NodeOutputs | Promise<NodeOutputs>;
}

type AggregatorNode<P extends z.ZodObject, N extends Need> =
  | InlineAggregator<P, N>
  | TaskAggregator<P, N>;

export type NodeSpec<P extends z.ZodObject = z.ZodObject, N extends Need = Need> =
  | TransformNode<P, N>
  | MergeNode<P, N>
  | InputNode<P, N>
  | EnumeratorNode<P, N>
  | AggregatorNode<P, N>;

/** A node type whose parameter type is erased, as lists and the engine hold it. */
// oxlint-disable-next-line typescript/no-explicit-any -- the one place where the parameter types of different nodes meet; compile parses them before use
export type NodeType = NodeSpec<any>;
