import type { RunGroupApi } from "../../contracts/runs/run-group-api.ts";
import type { Env } from "../../platform/env.ts";

/** Hex digits at the end of a run's id that its group leaves out: a group has up to 256 runs. */
const DIGITS = 2;

/** The group of a run: a batch numbers its runs, so those of neighboring items have the same. */
export function runGroupOf(runId: string): string {
  return runId.slice(0, -DIGITS);
}

/** The object that carries out and keeps quick runs of a batch; one for each group of run ids. */
export function runGroupObject(
  ctx: { readonly env: Pick<Env, "RUN_GROUP"> },
  runId: string,
): RunGroupApi {
  return ctx.env.RUN_GROUP.get(ctx.env.RUN_GROUP.idFromName(runGroupOf(runId)));
}
