import type { Env } from "../../platform/env.ts";

/** The object that owns a run. One per run, named by its id; created in the region of its first caller. */
export function runObject(ctx: { readonly env: Pick<Env, "RUN"> }, runId: string) {
  return ctx.env.RUN.get(ctx.env.RUN.idFromName(runId));
}
