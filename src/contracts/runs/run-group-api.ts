/** RPC interface of the object that carries out the quick runs of a batch (docs/decisions/run-groups.md). */
import type { BatchRunEnd } from "./run-object-api.ts";
import type { RunStart } from "./run.ts";

/** A start without what all starts of one call have in common. */
export type GroupedStart = Omit<RunStart, "definition_json">;

/** A run as its group keeps it until the run's own object takes it over. */
export interface KeptRun {
  /** Of the code that carried it out: the version of a run's database. */
  readonly version: number;
  readonly parts: readonly (readonly [key: string, text: string])[];
}

export interface StartAllRequest {
  readonly v: 1;
  /** Of the version that all runs have. */
  readonly definition_json: string;
  /** At most `GROUPED_STARTS_MAX`, of runs of the same group. */
  readonly starts: readonly GroupedStart[];
}

/** More runs would delay the ends of all. */
export const GROUPED_STARTS_MAX = 100;

export interface RunGroupApi {
  /**
   * Carries out runs that end within their start, and keeps them. Returns for each, in order, what the workspace must be told,
   * as `startOfBatch` does; null for a run that does not end at once, whose start throws, or that another call has started or
   * taken: of such a run nothing is left, and its own object must be started. Ends are durable before the call returns.
   */
  startAll(request: StartAllRequest): Promise<readonly (BatchRunEnd | null)[]>;
  /**
   * A run that was carried out here, once a call that is carrying it out has ended; null if there is none. With `begins` the run's
   * own object is about to begin it: a run that is not known is never carried out here.
   */
  take(request: { v: 1; run_id: string; begins: boolean }): Promise<KeptRun | null>;
  /** The outputs of a run expire: its own object has it. */
  forget(request: { v: 1; run_id: string }): Promise<void>;
}
