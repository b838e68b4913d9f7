import type { RunListFilter } from "../src/contracts/workspaces/admission.ts";

/** The requests that the benchmark of lists sends to its objects. */
export interface ListAsked {
  readonly filter: RunListFilter;
  /** Lists made in one request; the time is their mean. */
  readonly times: number;
}

export interface ListAnswered {
  /** Inside the object. */
  readonly ms: number;
  readonly total: number;
  readonly ids: readonly string[];
}

/** The correct response, from a scan of all runs. */
export interface ListScanned extends ListAnswered {
  /** The run at nine tenths of all matches, null if there are none. */
  readonly deep: string | null;
}
