import type { RunObjectApi } from "../../contracts/run-object-api.ts";
import type { Env } from "../../platform/env.ts";

/** `fetch` answers the events; `openRunEvents` speaks its language. */
type RunStub = RunObjectApi & { fetch(url: string): Promise<Response> };

/** The object that owns a run. One per run, named by its id; first called near the caller. */
export function runObject(ctx: { readonly env: Pick<Env, "RUN"> }, runId: string): RunStub {
  // The generated stub type wraps every member in mapped types that the checker gives up on
  // ("excessively deep"); the contract says the same in plain words.
  return ctx.env.RUN.get(ctx.env.RUN.idFromName(runId)) as unknown as RunStub;
}
