import { EgressError } from "./egress-error.ts";
import { judgeUrl } from "./judge-url.ts";
import { type EgressEnv, loopbackExceptions } from "./loopback-exceptions.ts";
import { privateAddressOf } from "./resolve-host.ts";
import { LIMITS } from "../../lib/limits-table.ts";

/** details A. */
const REDIRECTS_MAX = LIMITS.import_redirects.value;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** What must not follow a redirect to another origin. */
const CREDENTIAL_HEADERS = ["authorization", "cookie", "proxy-authorization"];

export interface GuardedFetchOptions {
  readonly method?: "GET" | "HEAD" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** From the call until the headers of the answer have come, redirects included. */
  readonly answerTimeoutMs: number;
  /** From the call until the last byte of the body has been read. */
  readonly totalTimeoutMs: number;
  /** Bytes of the body, as it is read (decompressed); the stream fails past them. */
  readonly maxBytes: number;
  /** `follow` re-checks each step as the first address; `refuse` hands the 3xx to the caller. */
  readonly redirects: "follow" | "refuse";
  /** Whether an address may stand in place of a name. Default true; it must be public either way. */
  readonly allowsIpLiterals?: boolean;
  readonly signal?: AbortSignal;
  /** For tests. */
  readonly send?: typeof fetch;
}

export interface GuardedResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Where the answer came from, after redirects. */
  readonly url: string;
  /** Read it to its end or `cancel` it: the time runs until then. Fails with EgressError. */
  readonly body: ReadableStream<Uint8Array>;
}

/**
 * The only way out to addresses that somebody else names (DESIGN §5 rule 11): https to public hosts
 * on port 443, redirects by hand, caps on time and bytes. Throws EgressError.
 *
 * On Cloudflare the address behind a name cannot be pinned between look-up and connection, and is
 * looked up once before each request; locally the sandbox's network refuses non-public addresses as
 * it connects.
 */
export async function guardedFetch(
  env: EgressEnv,
  address: string,
  options: GuardedFetchOptions,
): Promise<GuardedResponse> {
  const abort = new AbortController();
  const answerTimer = timer(abort, options.answerTimeoutMs, "No answer");
  const totalTimer = timer(abort, options.totalTimeoutMs, "No end of the answer");
  const stop = () => {
    clearTimeout(answerTimer);
    clearTimeout(totalTimer);
    options.signal?.removeEventListener("abort", onCallerAbort);
  };
  const onCallerAbort = () => {
    abort.abort(options.signal?.reason);
  };
  options.signal?.addEventListener("abort", onCallerAbort);
  try {
    options.signal?.throwIfAborted();
    const { response, url } = await follow(env, address, options, abort.signal);
    clearTimeout(answerTimer);
    return {
      status: response.status,
      headers: response.headers,
      url: url.href,
      body: capped(response.body, options.maxBytes, abort.signal, stop),
    };
  } catch (error) {
    stop();
    throw asEgressError(error, abort.signal);
  }
}

async function follow(
  env: EgressEnv,
  address: string,
  options: GuardedFetchOptions,
  signal: AbortSignal,
): Promise<{ response: Response; url: URL }> {
  const send = options.send ?? fetch;
  const headers = new Headers(options.headers);
  const method = options.method ?? "GET";
  let url = await permitted(env, address, options, send);
  for (let redirects = 0; ; redirects++) {
    const response = await untilAborted(
      send(url.href, {
        method,
        headers,
        redirect: "manual",
        signal,
        ...(options.body !== undefined && { body: options.body }),
      }),
      signal,
    );
    const location = response.headers.get("location");
    if (options.redirects === "refuse" || !REDIRECTS.has(response.status) || location === null) {
      return { response, url };
    }
    await response.body?.cancel();
    if (method === "POST" || redirects === REDIRECTS_MAX) {
      throw new EgressError(
        "too_many_redirects",
        `The address redirects more than ${method === "POST" ? 0 : REDIRECTS_MAX} times.`,
      );
    }
    const target = URL.parse(location, url.href);
    const next = await permitted(env, target?.href ?? "", options, send, "redirect");
    if (next.origin !== url.origin) {
      for (const name of CREDENTIAL_HEADERS) {
        headers.delete(name);
      }
    }
    url = next;
  }
}

async function permitted(
  env: EgressEnv,
  address: string,
  options: GuardedFetchOptions,
  send: typeof fetch,
  step: "first" | "redirect" = "first",
): Promise<URL> {
  const subject =
    step === "first"
      ? "The address may not be called"
      : "The address redirects to one that may not be called";
  const judged = judgeUrl(address, {
    loopback: loopbackExceptions(env),
    allowsIpLiterals: options.allowsIpLiterals ?? true,
  });
  if (!judged.isAllowed) {
    throw new EgressError("url_refused", `${subject}: ${judged.reason}.`);
  }
  if (env.ENVIRONMENT !== "local" && !judged.url.hostname.startsWith("[")) {
    const found = await privateAddressOf(judged.url.hostname, send);
    if (found !== undefined) {
      throw new EgressError(
        "url_refused",
        `${subject}: its name resolves to an address that is not public.`,
      );
    }
  }
  return judged.url;
}

/** A fetch that heeds its signal late must not hold up the caller. */
function untilAborted(sent: Promise<Response>, signal: AbortSignal): Promise<Response> {
  return new Promise<Response>((resolve, reject) => {
    const onAbort = () => {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is an EgressError or the caller's
      reject(signal.reason);
      // What comes after all is let go, so that its connection closes.
      sent.then(
        (late) => late.body?.cancel(),
        () => undefined,
      );
    };
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener("abort", onAbort, { once: true });
    sent.then(resolve, reject).finally(() => {
      signal.removeEventListener("abort", onAbort);
    });
  });
}

/** The body with its caps: the stream fails past `maxBytes` and when the time is up. */
function capped(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  signal: AbortSignal,
  stop: () => void,
): ReadableStream<Uint8Array> {
  const reader = body?.getReader();
  let bytes = 0;
  let onAbort: (() => void) | undefined;
  const end = () => {
    stop();
    if (onAbort !== undefined) {
      signal.removeEventListener("abort", onAbort);
    }
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        onAbort = () => {
          end();
          controller.error(asEgressError(signal.reason, signal));
          void reader?.cancel().catch(() => undefined);
        };
        signal.addEventListener("abort", onAbort, { once: true });
      },
      async pull(controller) {
        try {
          const piece = await reader?.read();
          if (signal.aborted) {
            return;
          }
          if (piece?.value === undefined) {
            end();
            controller.close();
            return;
          }
          bytes += piece.value.byteLength;
          if (bytes > maxBytes) {
            throw new EgressError("body_too_large", `The answer has more than ${maxBytes} bytes.`);
          }
          controller.enqueue(piece.value);
        } catch (error) {
          if (signal.aborted) {
            return;
          }
          end();
          void reader?.cancel().catch(() => undefined);
          controller.error(asEgressError(error, signal, "The answer broke off before its end."));
        }
      },
      async cancel() {
        end();
        await reader?.cancel().catch(() => undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

function timer(abort: AbortController, ms: number, what: string): ReturnType<typeof setTimeout> {
  return setTimeout(() => {
    abort.abort(new EgressError("timeout", `${what} within ${ms} ms.`));
  }, ms);
}

function asEgressError(
  error: unknown,
  signal: AbortSignal,
  message = "The host does not resolve, refused the connection, cut it, or does not speak HTTP.",
): unknown {
  if (error instanceof EgressError) {
    return error;
  }
  if (signal.aborted) {
    return signal.reason;
  }
  return new EgressError("connection_failed", message, error);
}
