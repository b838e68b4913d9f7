/** The definition of a CLI command: its words, its route, and the mapping of its arguments to a request. */
import type { Flags } from "./arguments.ts";
import type { Session } from "./session.ts";

/** How a flag's text is converted to a field of a JSON body; `null` is null in a `nullable` one. */
export type FieldKind = "text" | "nullable" | "number" | "boolean" | "list" | "json";

export interface Route {
  /** Operation id of the OpenAPI document; a test compares the commands with the service's routes. */
  readonly operation: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** `{name}` is replaced by the arguments in order. */
  readonly path: string;
  /** Flags sent in the query, by parameter. A flag has the parameter's name with dashes. */
  readonly query?: readonly string[];
  /** Flags that are sent as headers, by header. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Flags that are fields of the body. `--body FILE` provides the other fields. */
  readonly fields?: Readonly<Record<string, readonly [field: string, kind: FieldKind]>>;
  /** The argument after those of the path is a JSON file: the whole body, or the field of this name. */
  readonly file?:
    | "body"
    | {
        readonly field: string;
        readonly isOptional?: boolean;
        /** The field is the file's text. */
        readonly isText?: boolean;
      };
  /** The whole body, where the command's words say it. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** The route changes something and requires an idempotency key. */
  readonly needsKey?: boolean;
  readonly isOperator?: boolean;
  readonly isPublic?: boolean;
}

export interface Given {
  readonly args: readonly string[];
  readonly flags: Flags;
}

export interface Command {
  /** `runs cancel` */
  readonly words: string;
  /** `ID [FILE]` */
  readonly args?: string;
  readonly about: string;
  /** Columns of its list in table output. */
  readonly columns?: readonly string[];
  readonly route?: Route;
  /** Operations that `run` calls, if there is no `route`. */
  readonly operations?: readonly string[];
  /** Additional flags, in the format of `parseArgs`. */
  readonly flags?: Readonly<Record<string, FlagSpec>>;
  /** For commands that make several requests. Its return value is printed. */
  readonly run?: (session: Session, given: Given) => Promise<unknown>;
}

export interface FlagSpec {
  readonly type: "string" | "boolean";
  readonly multiple?: boolean;
  /** `KEY=TEXT` */
  readonly value?: string;
}

/**
 * Flags of a JSON body, type-checked against the fields of the contract's type: `fieldsOf<PatchWorkflow>()({ name:
 * ["name", "text"] })`.
 */
export function fieldsOf<Body>() {
  return (
    fields: Readonly<Record<string, readonly [KeyOf<Body> & string, FieldKind]>>,
  ): Readonly<Record<string, readonly [string, FieldKind]>> => fields;
}

/** Names of a body's fields, of all its forms if there are several. */
type KeyOf<Body> = Body extends unknown ? keyof Body : never;
