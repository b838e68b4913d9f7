/**
 * The failures of calls to providers, the same for each of them (docs/contract/models.md#calls). Messages are fixed
 * sentences: nothing of an answer's body, a prompt or an address is part of them.
 */
import { isJsonObject, type JsonValue } from "../lib/json/exact-json.ts";
import { parseHttpDate } from "../lib/http/http-date.ts";
import type { NodeErrorCode } from "../lib/errors/node-error-guides.ts";
import { NodeError } from "../lib/errors/node-error.ts";
import { EgressError } from "../platform/egress/egress-error.ts";

/** A provider that asks for a longer wait fails the call at once (docs/contract/models.md#calls). */
const RETRY_AFTER_MAX_MS = 60_000;
const TOO_MANY_REQUESTS = 429;

export function unavailable(cause?: unknown): NodeError {
  return new NodeError(
    "PROVIDER_UNAVAILABLE",
    "The provider of the model did not answer, or answered that it cannot.",
    { retryable: true, cause },
  );
}

export function badOutput(what: string, cause?: unknown): NodeError {
  return new NodeError(
    "PROVIDER_BAD_OUTPUT",
    `The provider of the model answered, but not with the output that was requested: ${what}.`,
    { retryable: true, cause },
  );
}

export function refused(): NodeError {
  return new NodeError(
    "CONTENT_REFUSED",
    "A safety filter of the provider refused the content. Change the prompt or the inputs.",
  );
}

/** `attempt`: one more than the number of times that the call has timed out; it is repeated once. */
export function timedOut(attempt: number): NodeError {
  return new NodeError("PROVIDER_TIMEOUT", "The model did not answer within its time limit.", {
    retryable: attempt === 1,
  });
}

export function jobFailed(): NodeError {
  return new NodeError(
    "PROVIDER_JOB_FAILED",
    "The provider accepted the job and could not finish it, so it would fail again.",
  );
}

export function jobCancelled(): NodeError {
  return new NodeError(
    "PROVIDER_JOB_CANCELLED",
    "The job was cancelled at the provider, and not by this service.",
  );
}

/**
 * Two submissions may have reached the provider, and neither was confirmed; a third could be one too many. `error` is the
 * failure of the second; a lost worker has none.
 */
export function unconfirmed(error?: unknown): NodeError {
  return new NodeError(
    error instanceof NodeError ? error.code : "PROVIDER_UNAVAILABLE",
    "The provider's answer to a submission was lost twice. It is not submitted again, because each may have been accepted.",
  );
}

/** A failure of which only the code is known any more. */
export function knownFailure(code: NodeErrorCode): NodeError {
  return new NodeError(code, "The provider of the model failed this call.");
}

/** Whether the answer to a request was lost, so that nobody knows whether the provider has accepted it. */
export function isAnswerLost(error: unknown): boolean {
  if (!(error instanceof NodeError)) {
    return true;
  }
  return (
    error.code === "PROVIDER_TIMEOUT" ||
    error.code === "PROVIDER_BAD_OUTPUT" ||
    (error.code === "PROVIDER_UNAVAILABLE" && error.cause !== undefined)
  );
}

/** The failure of a request without a response. Rethrows what is not an EgressError (an abort). */
export function requestFailure(error: unknown, attempt: number): NodeError {
  if (!(error instanceof EgressError)) {
    throw error;
  }
  switch (error.code) {
    case "timeout":
      return timedOut(attempt);
    case "connection_failed":
      return unavailable(error);
    case "too_many_redirects":
      return badOutput("it redirects to another address", error);
    case "url_refused":
      return badOutput("it named an address that may not be called", error);
    case "body_too_large":
      return badOutput("it is larger than such an output may be", error);
  }
}

/**
 * The failure that a response with a status other than 2xx stands for. `code` is the provider's own word for it, which
 * decides between a refusal, a used-up quota and the rest; it is compared and never shown.
 */
export function statusFailure(
  response: { readonly status: number; readonly headers: Headers },
  body: JsonValue | undefined,
  nowMs: number,
): NodeError {
  const { status } = response;
  const code = errorCodeIn(body);
  if (
    status === 402 ||
    (status === TOO_MANY_REQUESTS && code === "insufficient_quota") ||
    (status === 401 && code === "quota_exceeded")
  ) {
    return new NodeError(
      "PROVIDER_QUOTA_EXCEEDED",
      "The operator's account at the provider has no quota left.",
    );
  }
  if (status === TOO_MANY_REQUESTS) {
    return rateLimited(retryAfterMs(response.headers.get("retry-after"), body, nowMs));
  }
  if (status === 401 || status === 403) {
    return new NodeError(
      "PROVIDER_AUTH_FAILED",
      "The provider does not accept the operator's key for this model.",
    );
  }
  if (status === 408 || status >= 500) {
    return unavailable();
  }
  if (code !== undefined && REFUSALS.has(code)) {
    return refused();
  }
  return new NodeError(
    "PROVIDER_REJECTED",
    "The provider rejected the request, so it would reject it again.",
  );
}

/** The words of OpenAI-compatible servers and of fal for a refusal by a safety filter. */
const REFUSALS: ReadonlySet<string> = new Set([
  "content_policy_violation",
  "moderation_blocked",
  "content_filter",
]);

function rateLimited(waitMs: number | undefined): NodeError {
  const isTooLong = waitMs !== undefined && waitMs > RETRY_AFTER_MAX_MS;
  return new NodeError(
    "PROVIDER_RATE_LIMITED",
    isTooLong
      ? "The provider accepts no calls for longer than a minute."
      : "The provider accepts fewer calls than were made.",
    {
      retryable: !isTooLong,
      ...(waitMs !== undefined && !isTooLong && { retryAfterMs: waitMs }),
    },
  );
}

/**
 * `error.code` or `error.type`; for servers whose errors are a `detail`, its `status`, or of several the `type` of a
 * refusal, otherwise of the first.
 */
function errorCodeIn(body: JsonValue | undefined): string | undefined {
  if (!isJsonObject(body)) {
    return undefined;
  }
  const { error, detail } = body;
  const codes = Array.isArray(detail)
    ? (detail as readonly JsonValue[]).map((one) => (isJsonObject(one) ? one["type"] : undefined))
    : [
        isJsonObject(error) ? (error["code"] ?? error["type"]) : undefined,
        isJsonObject(detail) ? detail["status"] : undefined,
      ];
  const texts = codes.filter((code) => typeof code === "string");
  return texts.find((code) => REFUSALS.has(code)) ?? texts[0];
}

/**
 * The wait in milliseconds that a `Retry-After` header (seconds or a date) or a body's `retry_after` (seconds) asks for;
 * a time in the past means 0. Undefined if neither can be read.
 */
export function retryAfterMs(
  header: string | null,
  body: JsonValue | undefined,
  nowMs: number,
): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,12}(\.\d{1,6})?$/.test(text)) {
    return Math.ceil(Number(text) * 1_000);
  }
  const date = parseHttpDate(text);
  if (date !== undefined) {
    return Math.max(0, date - nowMs);
  }
  const named = isJsonObject(body) ? body["retry_after"] : undefined;
  const seconds = named === undefined ? Number.NaN : Number(named);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds * 1_000) : undefined;
}
