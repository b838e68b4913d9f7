import type { AppContext } from "./context.ts";

/** A page or file for browsers: a path (`{name}` for parameters) and its handler. Public. */
export interface Page {
  readonly path: `/${string}`;
  /** Name for the log. */
  readonly operationId: string;
  respond(ctx: AppContext, request: PageRequest): Response | Promise<Response>;
}

export interface PageRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Headers;
}
