import type {
  AttemptReport,
  SignedAttempt,
} from "../../../contracts/webhooks/webhook-object-api.ts";
import { EgressError } from "../../../platform/egress/egress-error.ts";
import { guardedFetch, type GuardedResponse } from "../../../platform/egress/guarded-fetch.ts";
import type { EgressEnv } from "../../../platform/egress/loopback-exceptions.ts";
import { LIMITS } from "../../../lib/limits/limits-table.ts";

/** docs/contract/webhooks.md#deliveries */
const RESPONSE_TIMEOUT_MS = LIMITS.webhook_timeout.value;
/**
 * The status has been decided by then: the excerpt is only for people, and must not hold a
 * connection for long.
 */
const EXCERPT_WAIT_MS = 1_000;
const EXCERPT_BYTES = 1_024;

type Outcome = AttemptReport["outcome"];

/**
 * Makes one attempt and returns its outcome; never throws. Redirects are not followed, and only the
 * bytes of the excerpt are read from the response.
 */
export async function sendAttempt(
  env: EgressEnv,
  attempt: Pick<SignedAttempt, "url" | "headers" | "body">,
  send?: typeof fetch,
): Promise<Outcome> {
  const startedMs = Date.now();
  try {
    const response = await guardedFetch(env, attempt.url, {
      method: "POST",
      // A compressed response would need work and has no benefit.
      headers: { ...attempt.headers, "accept-encoding": "identity" },
      body: attempt.body,
      responseTimeoutMs: RESPONSE_TIMEOUT_MS,
      totalTimeoutMs: RESPONSE_TIMEOUT_MS,
      maxBytes: Number.MAX_SAFE_INTEGER,
      redirects: "refuse",
      allowsIpLiterals: false,
      ...(send !== undefined && { send }),
    });
    const durationMs = Date.now() - startedMs;
    const bytes = await readStart(response, EXCERPT_BYTES);
    return {
      duration_ms: durationMs,
      response_status: response.status,
      error_code: codeOf(response.status),
      response_excerpt: excerptOf(bytes, response.headers.get("content-type")),
      retry_after: response.headers.get("retry-after")?.slice(0, 100) ?? null,
    };
  } catch (error) {
    return {
      duration_ms: Date.now() - startedMs,
      response_status: null,
      error_code: egressCode(error),
      response_excerpt: "",
      retry_after: null,
    };
  }
}

function codeOf(status: number): Outcome["error_code"] {
  if (status >= 200 && status < 300) {
    return null;
  }
  if (status === 410) {
    return "gone";
  }
  return status >= 300 && status < 400 ? "redirect" : "http_error";
}

function egressCode(error: unknown): Outcome["error_code"] {
  const code = error instanceof EgressError ? error.code : "connection_failed";
  return code === "url_refused" || code === "timeout" ? code : "connection_failed";
}

/** The first bytes of a body, as many as arrive in a second; then closes it. */
async function readStart({ body }: GuardedResponse, maxBytes: number): Promise<Uint8Array> {
  const reader = body.getReader();
  const bytes = new Uint8Array(maxBytes);
  let length = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, EXCERPT_WAIT_MS, undefined);
  });
  try {
    while (length < maxBytes) {
      const read = await Promise.race([reader.read(), late]);
      if (read?.value === undefined) {
        break;
      }
      const piece = read.value.subarray(0, maxBytes - length);
      bytes.set(piece, length);
      length += piece.byteLength;
    }
  } catch {
    // Cut off in the middle: the received bytes are the excerpt.
  } finally {
    clearTimeout(timer);
    void reader.cancel().catch(() => undefined);
  }
  return bytes.subarray(0, length);
}

const TEXT_TYPE =
  /^(text\/|application\/([\w.+-]+\+)?(json|xml)\b|application\/x-www-form-urlencoded\b)/i;

/**
 * The beginning of a response as text: cut between characters, empty if it is not text
 * (docs/contract/webhooks.md#deliveries).
 */
export function excerptOf(bytes: Uint8Array, contentType: string | null): string {
  if (contentType !== null && !TEXT_TYPE.test(contentType.trim())) {
    return "";
  }
  let text: string;
  try {
    // `stream` omits a character whose last bytes are missing; any other invalid UTF-8 throws.
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, {
      stream: true,
    });
  } catch {
    return "";
  }
  // oxlint-disable-next-line no-control-regex -- text with these characters is not readable
  return /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text) ? "" : text;
}
