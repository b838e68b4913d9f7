/**
 * The declaration of an endpoint: access, request and responses. `define-endpoint` implements it. The deployed Worker does not have
 * the members that only the OpenAPI document shows (scripts/without-documentation.ts).
 */
import type * as z from "zod";
import type { EmbedPermission } from "../contracts/embeds/embed-permissions.ts";
import type { Permission, Scope } from "../contracts/workspaces/access.ts";
import type { ErrorCode } from "../lib/errors/errors.ts";
import type { LimitName } from "../lib/limits/limits-table.ts";
import type { Tag } from "./tags.ts";

/**
 * Required access. `public` needs no token, `operator` the ADMIN_TOKEN, any other value a bearer token of a key that
 * has the scope and the workspace permission (null: any valid token). `embed:` and a permission: a runtime embed token
 * that has it.
 */
export type Access = "public" | "operator" | EmbedAccess | KeyAccess;

export type EmbedAccess = `embed:${EmbedPermission}`;

export interface KeyAccess {
  readonly scope: Scope | null;
  readonly permission: Permission | null;
  /** Tokens of embedded editors are refused with `api_key_required`. */
  readonly needsApiKey?: true;
}

/** The permission that a route of embeds needs; undefined for other routes. */
export function embedPermission(access: Access): EmbedPermission | undefined {
  return typeof access === "string" && access.startsWith("embed:")
    ? (access.slice("embed:".length) as EmbedPermission)
    : undefined;
}

export interface ResponseSpec {
  readonly description: string;
  /** Omitted for a response without a JSON body. */
  readonly body?: z.ZodType;
  /** Media type of a body that is not JSON. */
  readonly contentType?: string;
  /** Shown if no call was recorded: for a route that nothing can call yet with success. */
  readonly example?: unknown;
  /** Documented response headers: name → meaning. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RequestSchemas {
  readonly params?: z.ZodType | undefined;
  readonly query?: z.ZodType | undefined;
  readonly headers?: z.ZodType | undefined;
  readonly body?: z.ZodType | undefined;
  readonly isBodyOptional?: boolean | undefined;
  readonly codes?: Readonly<Record<string, ErrorCode>> | undefined;
  /** Name of the limit for the size of a JSON body; `json_body` if omitted. */
  readonly bodyLimit?: LimitName | undefined;
  /** Name of the limit for the number of reported problems; `problems_reported` if omitted. */
  readonly problemsLimit?: LimitName | undefined;
  /** Problems of the ids are reported before those of the query and the headers, and these before those of the body. */
  readonly inOrder?: boolean | undefined;
}

export interface EndpointDocs {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** With `{name}` for parameters, as in OpenAPI. */
  readonly path: `/${string}`;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: Tag;
  readonly access: Access;
  /** Codes of this route besides those that all routes of its kind have. */
  readonly errors: readonly ErrorCode[];
  /** Codes that have a different status here: publishing returns 422 for `validation_error`. */
  readonly errorStatuses?: Readonly<Partial<Record<ErrorCode, number>>>;
  /** Media type and schema of a request body that the handler reads itself (forms, files). */
  readonly rawBody?: { readonly contentType: string; readonly schema: z.ZodType };
  /**
   * Creates a resource that a repeat with the same `Idempotency-Key` must not create again: `handle` receives the key
   * as `creation`. With `required`, a request without a key is refused.
   */
  readonly createsOnce?: boolean | "required";
  /** A body that the service accepts once its ids are replaced by ids of the caller's workspace. */
  readonly example?: unknown;
  /** The operation whose recorded call is an example of this one too: its bodies are the same. */
  readonly exampleOf?: string;
  /** For a route that is not GET and stores nothing: it works on a full disk too. */
  readonly isReadOnly?: boolean;
  /** Hidden from the OpenAPI document: pages and files for browsers. */
  readonly isUndocumented?: boolean;
  /** Pages of any origin may read the response; preflight requests are served too. */
  readonly isCrossOrigin?: boolean;
}

/** An endpoint without its handler, as the checks, the log and the OpenAPI document use it. */
export interface EndpointDeclaration extends EndpointDocs {
  readonly request: RequestSchemas;
  readonly responses: Readonly<Record<number, ResponseSpec>>;
}
