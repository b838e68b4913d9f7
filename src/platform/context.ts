import type { RuntimeClaims, SignedEmbedToken } from "../contracts/embeds/embed-claims.ts";
import type { EmbedOrigin, EmbedViewer } from "../contracts/embeds/embed-origin.ts";
import type { Env } from "./env.ts";
import type { Logger } from "./logger.ts";
import type { RequestMemory } from "./request-memory.ts";

/** The caller: identity from a verified token and its key. */
export interface Principal {
  readonly keyId: string;
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly scopes: ReadonlySet<string>;
  readonly permissions: ReadonlySet<string>;
  readonly isAgent: boolean;
  /** The embed token that the caller sent instead of an access token. */
  readonly embed?: EmbedOrigin;
  /** The same token with its claims, which is judged again while a response goes on. */
  readonly embedToken?: SignedEmbedToken;
  /** Of a runtime token: restricts the runs that the caller sees. */
  readonly embedViewer?: EmbedViewer;
}

/** The first argument, `ctx`, of every domain function. Built once per request. */
export interface AppContext {
  readonly env: Env;
  readonly log: Logger;
  readonly correlationId: string;
  readonly baseUrl: string;
  readonly nowMs: () => number;
  /** The request's share of the isolate's memory; released when the request ends. */
  readonly memory: RequestMemory;
  /** Lets work finish after the response was sent. */
  readonly waitUntil: (promise: Promise<unknown>) => void;
}

/** The context of tenant routes, which always have a caller. */
export interface CallerContext extends AppContext {
  readonly principal: Principal;
}

/** The context of the routes of embeds: the caller is a runtime token. */
export interface EmbedContext extends CallerContext {
  readonly embed: RuntimeClaims;
}
