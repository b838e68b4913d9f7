import type { AppContext } from "./context.ts";

/** A page or file for browsers: a path (`{name}` for parameters) and what answers it. Public. */
export interface Page {
  readonly path: `/${string}`;
  /** For the log. */
  readonly operationId: string;
  respond(
    ctx: AppContext,
    request: { readonly params: Readonly<Record<string, string>>; readonly headers: Headers },
  ): Response | Promise<Response>;
}
