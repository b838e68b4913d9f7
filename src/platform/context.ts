import type { Env } from "./env.ts";
import type { Logger } from "./logger.ts";
import type { RequestMemory } from "./request-memory.ts";

/** Who is calling, from a verified token and its key. */
export interface Principal {
  readonly keyId: string;
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly scopes: ReadonlySet<string>;
  readonly permissions: ReadonlySet<string>;
  readonly isAgent: boolean;
}

/** Passed first, as `ctx`, to every domain function. Built once per request. */
export interface AppContext {
  readonly env: Env;
  readonly log: Logger;
  readonly correlationId: string;
  readonly baseUrl: string;
  readonly nowMs: () => number;
  /** What it holds of the isolate's memory; released when it ends. */
  readonly memory: RequestMemory;
  /** Lets work finish after the answer was sent. */
  readonly waitUntil: (promise: Promise<unknown>) => void;
}

/** A context with a caller: what every tenant route has. */
export interface CallerContext extends AppContext {
  readonly principal: Principal;
}
