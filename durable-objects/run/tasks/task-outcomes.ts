/** Converts reports, and missing ones, to outcomes of elements for the rows. */
import {
  type ClaimedCharge,
  type ElementDigests,
  type TaskOutcome,
  type TaskReport,
  WAIT_TOKEN_MAX_CHARS,
} from "../../../src/contracts/runs/task.ts";
import type { ReportedTask } from "../../../src/engine/drive/run-rows.ts";
import type { PlanNode } from "../../../src/engine/plan/plan.ts";
import { DIGEST_CHARS } from "../../../src/engine/values/element-digest.ts";

export const WORKER_LOST = {
  kind: "failed",
  failure: {
    code: "WORKER_LOST",
    message: "The worker that ran this node was lost, and so were the workers of its retries.",
  },
} as const;

export const TOKEN_TOO_LONG = {
  kind: "failed",
  failure: {
    code: "INTERNAL_NODE_ERROR",
    message: `The node waited with a token of more than ${WAIT_TOKEN_MAX_CHARS} characters. This is a fault of the service.`,
  },
} as const;

export function waitedTooLong(node: PlanNode | undefined): ReportedTask["outcome"] {
  return {
    kind: "failed",
    failure: {
      code: "NODE_TIMEOUT",
      message: `${node?.type.type ?? "The node"} was still waiting when its limit of ${node?.timeLimitMs ?? 0} ms was reached. Reduce its work.`,
    },
  };
}

/** A runner's text for the rows, limited to the length of a digest. */
function boundedDigests({ inputs, outputs }: ElementDigests): ElementDigests {
  const cut = (digest: string) => digest.slice(0, DIGEST_CHARS);
  return { inputs: cut(inputs), ...(outputs === undefined ? {} : { outputs: cut(outputs) }) };
}

/** Returns how an attempt ended; any other outcome leaves the task open. */
export type ResultOutcome = Extract<TaskOutcome, { kind: "ok" | "failed" }>;

export function isResult(outcome: TaskOutcome): outcome is ResultOutcome {
  return outcome.kind === "ok" || outcome.kind === "failed";
}

export function settledOutcome(
  outcome: ResultOutcome,
  charge: ClaimedCharge | undefined,
  digests: ElementDigests | undefined,
  reused: TaskReport["reused"],
  isPure = false,
): ReportedTask["outcome"] {
  const said = {
    ...(charge === undefined ? {} : { charge }),
    ...(digests === undefined ? {} : { digests: boundedDigests(digests) }),
    ...(isPure ? { isPure } : {}),
  };
  const from = reused && {
    reused: {
      execution: reused.execution,
      milliCredits: reused.milli_credits,
      isCached: true as const,
    },
  };
  return outcome.kind === "ok"
    ? {
        kind: "ok",
        outputs: outcome.outputs.map(({ port, value }) => [port, value]),
        ...said,
        ...from,
      }
    : { kind: "failed", failure: { code: outcome.code, message: outcome.message }, ...said };
}
