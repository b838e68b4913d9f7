/** What failures mean for a job, and for a request that was sent. */
import { NodeError } from "../../lib/errors/node-error.ts";
import { isAnswerLost } from "../../providers/call-failure.ts";

const FAILED_POLL: ReadonlySet<string> = new Set([
  "PROVIDER_UNAVAILABLE",
  "PROVIDER_RATE_LIMITED",
  "PROVIDER_TIMEOUT",
  "PROVIDER_BAD_OUTPUT",
]);

const JOB_ENDED: ReadonlySet<string> = new Set([
  "PROVIDER_JOB_FAILED",
  "PROVIDER_JOB_CANCELLED",
  "CONTENT_REFUSED",
]);

const GIVES_UP: ReadonlySet<string> = new Set(["CANCELLED", "NODE_TIMEOUT"]);

/** Whether the failure of a poll says nothing about its job. */
export function isFailedPoll({ code }: NodeError): boolean {
  return FAILED_POLL.has(code);
}

/** Whether a failure is the end of the job itself. */
export function endsJob({ code }: NodeError): boolean {
  return JOB_ENDED.has(code);
}

/** Whether nobody wants the job after this abort. After a lost lease another executor goes on. */
export function isGivenUp({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof NodeError && GIVES_UP.has(reason.code);
}

/** Failures after which nobody knows whether a request was carried out. An answer that cannot be used has arrived. */
export function isLostWithRequest(error: NodeError): boolean {
  return error.code !== "PROVIDER_BAD_OUTPUT" && isAnswerLost(error);
}
