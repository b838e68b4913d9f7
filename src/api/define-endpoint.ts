import type { Context } from "hono";
import type * as z from "zod";
import type { CreationKey } from "../domain/idempotency/create-once.ts";
import type { ErrorCode } from "../lib/errors/errors.ts";
import type { LimitName } from "../lib/limits/limits-table.ts";
import type { JsonValue } from "../lib/json/exact-json.ts";
import { sha256HexOfBytes } from "../lib/sha256.ts";
import type { AppContext, CallerContext, EmbedContext } from "../platform/context.ts";
import type { AppEnv } from "./app-env.ts";
import { authorize } from "./middleware/authorize.ts";
import { creationKey, routeOf, withCreationKey } from "./creation-key.ts";
import { type AnswerKnown, parseRequest } from "./parse-request.ts";
import { reading, writing } from "./storage-guard.ts";
import type {
  Access,
  EmbedAccess,
  EndpointDeclaration,
  EndpointDocs,
  RequestSchemas,
  ResponseSpec,
} from "./endpoint-declaration.ts";

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;
type ReadonlyDeep<T> = T extends readonly (infer I)[]
  ? readonly ReadonlyDeep<I>[]
  : T extends object
    ? { readonly [K in keyof T]: ReadonlyDeep<T[K]> }
    : T;

interface EndpointInput<P, Q, H, B> {
  readonly params: Parsed<P>;
  readonly query: Parsed<Q>;
  readonly headers: Parsed<H>;
  readonly body: Parsed<B>;
  /** The request's `Idempotency-Key` on a route with `createsOnce`; undefined if none was sent. */
  readonly creation: CreationKey | undefined;
  /**
   * Returns the body before schema validation, with the exact digits of every number
   * (docs/contract/conventions.md#numbers).
   */
  readonly exactBody: () => JsonValue;
  /** Hex SHA-256 of the body's bytes, where `answerKnown` was asked. */
  readonly bodyDigest: string | undefined;
}

/** A request with a key and a large body, before the body is parsed. */
interface KnownInput<P> {
  readonly params: Parsed<P>;
  readonly creation: Pick<CreationKey, "route" | "key">;
  readonly body: Uint8Array;
  /** Hex SHA-256 of the body. */
  readonly digest: string;
}

/** `{ status, body?, headers? }` with the status and the body of one declared response. */
export type Reply<R extends Record<number, ResponseSpec>> = {
  [S in keyof R & number]: {
    readonly status: S;
    readonly headers?: Readonly<Record<string, string>>;
  } & (R[S] extends { readonly body: infer T extends z.ZodType }
    ? { readonly body: ReadonlyDeep<z.output<T>> }
    : { readonly body?: undefined });
}[keyof R & number];

/** A response that the handler builds itself: bytes, streams, JSON written by `stringifyJson`. */
export interface RawReply {
  readonly response: Response;
  readonly status?: undefined;
}

/** What `authorize` adds to the context for an access. */
type ContextOf<A extends Access> = A extends EmbedAccess
  ? EmbedContext
  : A extends string
    ? AppContext
    : CallerContext;

interface Definition<
  P,
  Q,
  H,
  B,
  R extends Record<number, ResponseSpec>,
  A extends Access,
  O,
> extends EndpointDocs {
  readonly access: A;
  readonly request?: {
    readonly params?: P;
    readonly query?: Q;
    /** Names in lower case. */
    readonly headers?: H;
    /** A JSON object; its schema decides about unknown fields (`z.strictObject`). */
    readonly body?: B;
    /** A request without a body is read as `{}`. */
    readonly isBodyOptional?: boolean;
    /**
     * The code to return instead of `validation_error` if that field is invalid: `{ "query.status": "invalid_status"
     * }`.
     */
    readonly codes?: Readonly<Record<string, ErrorCode>>;
    /** Name of the limit for the size of a JSON body, from the table of limits; `json_body` if omitted. */
    readonly bodyLimit?: LimitName;
    /** Name of the limit for the number of reported problems; `problems_reported` if omitted. */
    readonly problemsLimit?: LimitName;
    /** Problems of the ids are reported before those of the query and the headers, and these before those of the body. */
    readonly inOrder?: boolean;
  };
  readonly responses: R;
  /**
   * On a route with `createsOnce` and `inOrder`: the response to the repeat of a request whose large body is byte for byte that of
   * the first; undefined otherwise.
   */
  answerKnown?(ctx: ContextOf<A>, input: KnownInput<P>): Promise<Response | undefined>;
  handle(ctx: ContextOf<A>, input: EndpointInput<P, Q, H, B>, c: Context<AppEnv>): O | Promise<O>;
}

/** One endpoint with erased types, as the list, the router and the OpenAPI document use it. */
export interface Endpoint extends EndpointDeclaration {
  readonly run: (c: Context<AppEnv>) => Promise<Response>;
}

interface AnyReply {
  readonly status?: number | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly response?: Response;
}

/**
 * Declares one endpoint: route, access, schemas, responses and handler. The request is authorized and then parsed as a
 * whole before `handle` receives it; an AppError from `handle` becomes a problem document. A declaration without
 * `access` does not compile.
 */
export function defineEndpoint<
  const R extends Record<number, ResponseSpec>,
  const A extends Access,
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  H extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
  const O extends Reply<R> | RawReply = Reply<R> | RawReply,
>(definition: Definition<P, Q, H, B, R, A, O>): Endpoint {
  const { createsOnce = false } = definition;
  const isKeyed = createsOnce !== false;
  const request: RequestSchemas = isKeyed
    ? withCreationKey(createsOnce, definition.request)
    : (definition.request ?? {});
  return {
    ...definition,
    request,
    run: async (c) => {
      const ctx = await authorize(c, definition.access);
      try {
        return await response(c, ctx);
      } finally {
        ctx.memory.release();
      }
    },
  };

  async function response(c: Context<AppEnv>, ctx: AppContext): Promise<Response> {
    let bodyDigest: string | undefined;
    const known: AnswerKnown = async ({ params }, body) => {
      const key = c.req.header("idempotency-key") ?? "";
      const digest = (bodyDigest = await sha256HexOfBytes(body));
      const creation = { route: routeOf(definition, params), key };
      const input = { params, creation, body, digest };
      return await writing(ctx, async () => definition.answerKnown?.(ctx as never, input as never));
    };
    const parsed = await parseRequest(c, request, definition.path, definition.answerKnown && known);
    if (parsed instanceof Response) {
      return parsed;
    }
    const creation = isKeyed ? await creationKey(c, definition, parsed) : undefined;
    // The only place that restores the types: authorize has checked `access`, parseRequest the schemas.
    const handle = () =>
      definition.handle(ctx as never, { ...parsed, creation, bodyDigest } as never, c);
    const isWriting = definition.method !== "get" && definition.isReadOnly !== true;
    const reply = await (isWriting ? writing(ctx, handle) : reading(ctx, handle));
    return toResponse(reply);
  }
}

const JSON_HEADERS = { "content-type": "application/json; charset=utf-8" };

function toResponse(reply: AnyReply): Response {
  if (reply.response !== undefined) {
    return reply.response;
  }
  if (reply.body === undefined) {
    return new Response(null, {
      status: reply.status ?? 200,
      ...(reply.headers && { headers: { ...reply.headers } }),
    });
  }
  return new Response(JSON.stringify(reply.body), {
    status: reply.status ?? 200,
    headers: reply.headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...reply.headers },
  });
}
