import type {
  AdmitOutcome,
  AdmitRequest,
  AdmitRunsOutcome,
} from "../../src/contracts/admission.ts";
import type { KeyRecord } from "./workspace-store.ts";

/** Rolls a call for all of several runs back, and says what was decided. */
export class Withdrawn extends Error {
  readonly outcomes: readonly AdmitRunsOutcome[];

  constructor(decided: readonly AdmitOutcome[]) {
    super("not every run of the call can be admitted");
    const admitted = new Set(
      decided.flatMap((outcome) => (outcome.kind === "admitted" ? [outcome.start.run_id] : [])),
    );
    this.outcomes = decided.map((outcome) =>
      outcome.kind === "insufficient_credits"
        ? { ...outcome, run_id: null }
        : outcome.kind === "admitted" ||
            (outcome.kind === "replayed" && admitted.has(outcome.run_id))
          ? { kind: "withdrawn" }
          : outcome,
    );
  }
}

/** What a key was answered before; null when it is free. */
export function recall(
  record: KeyRecord | undefined,
  idempotency: AdmitRequest["idempotency"],
): Exclude<AdmitOutcome, { kind: "admitted" }> | null {
  if (record?.kind !== "kept") {
    return null;
  }
  return record.fingerprint === idempotency?.fingerprint
    ? { kind: "replayed", run_id: record.run_id, status_code: record.status_code }
    : { kind: "idempotency_conflict" };
}
