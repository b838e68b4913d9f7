/** The inputs and outputs of a node: ports, the values that they carry, and checks of connections. */
import type { Reference } from "../contracts/references.ts";
import type { IssueCode } from "../contracts/workflows/definition-issue.ts";
import type { PortType } from "../contracts/workflows/port-type.ts";
import type { ExactNumber, JsonValue } from "../lib/json/exact-json.ts";
import type { FileRef } from "../lib/files/file-ref.ts";

/** A value on a port: plain JSON (with exact numbers) or a stored file. */
export type RunValue = JsonValue | FileRef;

export interface InputPort {
  readonly name: string;
  readonly type: PortType;
  /**
   * If true, the node cannot run while the port is absent or unconnected. Default true. `if_connected` is for nodes
   * that take one of several ports: only an absent value of a connected port keeps the node from running.
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
   * Aggregators only: the port is read once for each result and not for each element, so its source must not vary over
   * an axis that the node closes.
   */
  readonly once?: boolean;
  /**
   * Columns of aggregators that are tasks only: where the value failed or is blocked, the element counts as failed, but
   * keeps its place without this column if another one has a value. At most one column of a node.
   */
  readonly mayFail?: boolean;
  /** Source types accepted besides `type`; a port of type `text` converts numbers and booleans to canonical text. */
  readonly accepts?: readonly PortType[];
}

export interface OutputPort {
  readonly name: string;
  readonly type: PortType;
  readonly label?: string;
  /** The output has the type of the source of this input port (`merge`: the common type, else any). */
  readonly typeOf?: string;
  /** The output is part of an enumerator's element. */
  readonly enumerable?: boolean;
  /** The output may be absent although the node ran (a branch that was not taken). */
  readonly optional?: boolean;
  /** The structured contract of its values, under `/json-schemas/`. */
  readonly schemaRef?: string;
}

/** How a composite parameter expands to ports, for the catalog (docs/contract/catalog.md#dynamic-ports). */
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
      /** Items with false in this member have no port. */
      readonly selected_field?: string;
    }
  | {
      readonly derivation: "positional";
      readonly direction: "input" | "output";
      /** Omitted if no parameter says how many ports there are. */
      readonly parameter?: string;
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
    }
  | {
      /** The parameter names the type of a static port. */
      readonly derivation: "typed";
      readonly direction: "output";
      readonly parameter: string;
      readonly port: string;
    }
  | {
      /** The port exists while the parameter has a value. */
      readonly derivation: "when_set";
      readonly direction: "output";
      readonly parameter: string;
      readonly port_name: string;
      readonly port_type: PortType;
    };

/** A stored resource that a node's parameters refer to. */
export interface NamedReference extends Reference {
  /** Path below `parameters`, as in an issue. Each path occurs at most once in a node. */
  readonly path: string;
  /** Code of the issue that is reported if the resource does not exist; `REFERENCE_NOT_FOUND` if omitted. */
  readonly missingCode?: IssueCode;
  /** Its message; one that names the resource if omitted. */
  readonly missingMessage?: string;
  /** Path of the reference that contains this one: if that is missing, nothing is reported about this one. */
  readonly within?: string;
}

/** An issue with a node's parameters that their schema cannot detect. */
export interface ParameterIssue {
  /** `invalid_dynamic_config` unless the contract names another code. */
  readonly code: IssueCode;
  /** Below `parameters`, as a JSON path without a leading dot: `expression`, `jsonConfig.properties[2].formula`. */
  readonly path: string;
  readonly message: string;
  /** Omit it to use the default suggestion for the code (`ISSUE_SUGGESTIONS`). */
  readonly suggestion?: string;
}

/** The source of an input port, for checks that run when a definition is saved. */
export interface ConnectedPort {
  readonly port: string;
  readonly type: PortType;
}

/**
 * Of list ports that lack values, by port name: the place of each value among the connections of its port, from 0, in rising
 * order. A list port that is not here has a value of each of its connections.
 */
export type ListPlaces = ReadonlyMap<string, readonly number[]>;

const COMPLETE: ListPlaces = new Map();

/** A node's inputs for one element: present values only, by port name. */
export class NodeInputs {
  readonly #values: ReadonlyMap<string, RunValue | readonly RunValue[]>;
  readonly #places: ListPlaces;

  constructor(
    values: ReadonlyMap<string, RunValue | readonly RunValue[]>,
    places: ListPlaces = COMPLETE,
  ) {
    this.#values = values;
    this.#places = places;
  }

  has(port: string): boolean {
    return this.#values.has(port);
  }

  /** Returns the value of a port, undefined if it is absent or unconnected. */
  get(port: string): RunValue | undefined {
    return this.#values.get(port) as RunValue | undefined;
  }

  /** Returns a text port's value. The engine has already turned accepted numbers and booleans into text. */
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

  /** Returns a list port's present values in connection order; empty if there are none. */
  list(port: string): readonly RunValue[] {
    return (this.#values.get(port) as readonly RunValue[] | undefined) ?? [];
  }

  /** Returns the place of each value of `list` among the connections of the port, from 0. */
  places(port: string): readonly number[] {
    return this.#places.get(port) ?? this.list(port).map((_value, place) => place);
  }
}

/**
 * The elements that an aggregator's task reads: those that were not left out, in index order, read page by page as they are
 * asked for; an absent column is missing. Going through them again reads them again.
 */
export interface AggregatedElements extends AsyncIterable<NodeInputs> {
  /** Place of the element that was read last among all elements of the result, also failed ones and those left out; from 0. */
  readonly place: number;
  /** Elements before that count as failed, also those that were read without a column that may fail; all after a whole pass. */
  readonly failed: number;
}

/** A node's outputs by port name. An omitted port is absent (a branch that was not taken). */
export type NodeOutputs = ReadonlyMap<string, RunValue>;
