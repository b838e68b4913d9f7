import type { RunListFilter } from "../src/contracts/admission.ts";

/** What the bench of lists sends to its objects. */
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

/** The right answer, by looking at every run. */
export interface ListScanned extends ListAnswered {
  /** The run at nine tenths of all that match, null where none does. */
  readonly deep: string | null;
}
