import type { AppContext, Principal } from "../platform/context.ts";
import type { Env } from "../platform/env.ts";
import type { EndpointDeclaration } from "./endpoint-declaration.ts";

/** What Hono's `c` carries here: bindings, and what the middleware put there. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    ctx: AppContext;
    /** The endpoint that was matched; unset for unknown routes. */
    endpoint?: EndpointDeclaration;
    /** Set once the caller is known; for the request's log line. */
    principal?: Principal;
    /** Where the caller stands with its request limits; on every answer to a known caller. */
    rateLimit?: Readonly<Record<string, string>>;
    /** Every endpoint of the app: the OpenAPI document is made from it. */
    endpoints: readonly EndpointDeclaration[];
  };
}
