/** What an endpoint says of itself: who may call, what it takes, what it returns. What carries it out is `define-endpoint`. */
import type * as z from "zod";
import type { Permission, Scope } from "../contracts/access.ts";
import type { ErrorCode } from "../lib/errors.ts";
import type { LimitName } from "../lib/limits-table.ts";
import type { Tag } from "./tags.ts";

/**
 * Who may call. `public` needs nothing, `operator` the ADMIN_TOKEN, otherwise a bearer token of a
 * key that has the scope and the workspace permission (null: any valid token).
 */
export type Access =
  | "public"
  | "operator"
  | { readonly scope: Scope | null; readonly permission: Permission | null };

export interface ResponseSpec {
  readonly description: string;
  /** Left out for an answer without JSON body. */
  readonly body?: z.ZodType;
  /** Media type of a body that is not JSON. */
  readonly contentType?: string;
  /** Response headers worth documenting: name → meaning. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RequestSchemas {
  readonly params?: z.ZodType | undefined;
  readonly query?: z.ZodType | undefined;
  readonly headers?: z.ZodType | undefined;
  readonly body?: z.ZodType | undefined;
  readonly isBodyOptional?: boolean | undefined;
  readonly codes?: Readonly<Record<string, ErrorCode>> | undefined;
  /** How large a JSON body may be; `json_body` when left out. */
  readonly bodyLimit?: LimitName | undefined;
  /** How many problems are reported at once; `problems_reported` when left out. */
  readonly problemsLimit?: LimitName | undefined;
}

export interface EndpointDocs {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** With `{name}` for parameters, as in the specification. */
  readonly path: `/${string}`;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: Tag;
  readonly access: Access;
  /** Codes this route answers besides those every route of its kind has. */
  readonly errors: readonly ErrorCode[];
  /** Where a code has another status than its own here: publishing answers 422 `validation_error`. */
  readonly errorStatuses?: Readonly<Partial<Record<ErrorCode, number>>>;
  /** Media type and schema of a request body that the handler reads itself (forms, files). */
  readonly rawBody?: { readonly contentType: string; readonly schema: z.ZodType };
  /** Creates what a repeat with the same `Idempotency-Key` must not: `handle` gets it as `creation`. */
  readonly createsOnce?: boolean;
  /** A body that the service accepts once its ids are those of the caller's workspace. */
  readonly example?: unknown;
  /** On a route that is not GET and stores nothing: it works on a full disk too. */
  readonly isReadOnly?: boolean;
  /** Kept out of the OpenAPI document: pages and files for browsers. */
  readonly isUndocumented?: boolean;
  /** A browser's page of any origin may read the answer; its preflight is answered too. */
  readonly isCrossOrigin?: boolean;
}

/** An endpoint without its handler: what the checks, the log and the OpenAPI document go by. */
export interface EndpointDeclaration extends EndpointDocs {
  readonly request: RequestSchemas;
  readonly responses: Readonly<Record<number, ResponseSpec>>;
}
