/** What a command of the CLI is: words, the route behind it, and how its arguments become a request. */
import type { Flags } from "./arguments.ts";
import type { Session } from "./session.ts";

/** How a flag's text becomes a field of a JSON body. */
export type FieldKind = "text" | "number" | "boolean" | "list" | "json";

export interface Route {
  /** Of the OpenAPI document; a test compares the commands with the routes of the service. */
  readonly operation: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** `{name}` is filled from the arguments, in order. */
  readonly path: string;
  /** Flags that are sent in the query, by parameter. A flag has the parameter's name with dashes. */
  readonly query?: readonly string[];
  /** Flags that are sent as headers, by header. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Flags that are fields of the body. `--body FILE` gives the rest of it. */
  readonly fields?: Readonly<Record<string, readonly [field: string, kind: FieldKind]>>;
  /** The argument after those of the path is a JSON file: the body, or the field of this name. */
  readonly file?: "body" | { readonly field: string };
  /** The route changes something and refuses to without an idempotency key. */
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
  /** Columns of its list, for people. */
  readonly columns?: readonly string[];
  readonly route?: Route;
  /** Operations that its `run` calls, where it has no `route`. */
  readonly operations?: readonly string[];
  /** Flags of its own, as `parseArgs` names them. */
  readonly flags?: Readonly<Record<string, FlagSpec>>;
  /** Does more than one request. What it returns is printed. */
  readonly run?: (session: Session, given: Given) => Promise<unknown>;
}

export interface FlagSpec {
  readonly type: "string" | "boolean";
  readonly multiple?: boolean;
  /** `KEY=TEXT` */
  readonly value?: string;
}

/**
 * Flags of a JSON body, held to the fields that the contract's type has:
 * `fieldsOf<PatchWorkflow>()({ name: ["name", "text"] })`.
 */
export function fieldsOf<Body>() {
  return (
    fields: Readonly<Record<string, readonly [keyof Body & string, FieldKind]>>,
  ): Readonly<Record<string, readonly [string, FieldKind]>> => fields;
}
