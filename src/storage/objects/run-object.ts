import type { Env } from "../../platform/env.ts";

/** The object that owns a run. One per run, named by its id; first called near the caller. */
export function runObject(ctx: { readonly env: Pick<Env, "RUN"> }, runId: string) {
  return ctx.env.RUN.get(ctx.env.RUN.idFromName(runId));
}
