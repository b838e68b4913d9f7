/** What goes into a node and comes out of it: ports, the values that they carry, and checks of what is connected. */
import type { Reference } from "../contracts/references.ts";
import type { IssueCode } from "../contracts/definition-issue.ts";
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

/** Something stored elsewhere that a node's parameters name. */
export interface NamedReference extends Reference {
  /** Below `parameters`, as in an issue. No two of a node are the same. */
  readonly path: string;
  /** Of the problem that a definition has where it is not there; `REFERENCE_NOT_FOUND` when left out. */
  readonly missingCode?: IssueCode;
}

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
