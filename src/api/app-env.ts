import type { AppContext, Principal } from "../platform/context.ts";
import type { Env } from "../platform/env.ts";
import type { EndpointDeclaration } from "./endpoint-declaration.ts";

/** The values on Hono's `c`: bindings, and the variables that the middleware sets. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    ctx: AppContext;
    /** The endpoint that matched; undefined for unknown routes. */
    endpoint?: EndpointDeclaration;
    /** Set after authentication; for the request's log line. */
    principal?: Principal;
    /** The caller's rate-limit state, sent with every response to an authenticated caller. */
    rateLimit?: Readonly<Record<string, string>>;
  };
}
