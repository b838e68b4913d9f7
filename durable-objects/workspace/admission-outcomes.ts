import type {
  AdmitOutcome,
  AdmitRequest,
  AdmitRunsOutcome,
} from "../../src/contracts/workspaces/admission.ts";
import { compareWithRecord } from "../../src/lib/idempotency-record.ts";
import type { KeyRecord } from "./workspace-store.ts";

/** Rolls back an all-or-nothing admission of several runs, and carries the outcomes. */
export class Withdrawn extends Error {
  readonly outcomes: readonly AdmitRunsOutcome[];

  constructor(decided: readonly AdmitOutcome[]) {
    super("not every run of the call can be admitted");
    const outcomes: AdmitRunsOutcome[] = [];
    /** The outcome of each run of the rolled-back call; a repeat of its key returns the same. */
    const rolledBack = new Map<string, AdmitRunsOutcome>();
    for (const outcome of decided) {
      const runId = outcome.kind === "admitted" ? outcome.start.run_id : runOf(outcome);
      let said: AdmitRunsOutcome = (runId === null ? undefined : rolledBack.get(runId)) ?? outcome;
      if (outcome.kind === "admitted") {
        said = { kind: "withdrawn" };
      } else if (outcome.kind === "insufficient_credits") {
        said = { ...outcome, run_id: null };
      }
      if (runId !== null && outcome.kind !== "replayed") {
        rolledBack.set(runId, said);
      }
      outcomes.push(said);
    }
    this.outcomes = outcomes;
  }
}

/** The outcomes of a call that decides in one transaction, which `Withdrawn` rolls back. */
export function outcomesOf(decide: () => readonly AdmitRunsOutcome[]): readonly AdmitRunsOutcome[] {
  try {
    return decide();
  } catch (error) {
    if (error instanceof Withdrawn) {
      return error.outcomes;
    }
    throw error;
  }
}

/** The run of an outcome other than an admission. */
function runOf(outcome: AdmitOutcome): string | null {
  return outcome.kind === "replayed" || outcome.kind === "insufficient_credits"
    ? outcome.run_id
    : null;
}

/** Returns the earlier outcome of a key; null if the key is free. */
export function recall(
  record: KeyRecord | undefined,
  idempotency: AdmitRequest["idempotency"],
): Exclude<AdmitOutcome, { kind: "admitted" }> | null {
  if (record?.kind !== "kept") {
    return null;
  }
  return compareWithRecord(record, idempotency?.fingerprint) === "repeat"
    ? { kind: "replayed", run_id: record.run_id, status_code: record.status_code }
    : { kind: "idempotency_conflict" };
}
