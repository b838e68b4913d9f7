import { EgressError } from "./egress-error.ts";
import { checkUrl } from "./check-url.ts";
import { type EgressEnv, loopbackExceptions } from "./loopback-exceptions.ts";
import { resolvesToPrivate } from "./private-name.ts";
import { type ResponseLimits, respondWithin, untilAborted } from "./timed-response.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/** docs/contract/assets.md#import. */
const REDIRECTS_MAX = LIMITS.import_redirects.value;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Headers that must not follow a redirect to another origin. */
const CREDENTIAL_HEADERS = ["authorization", "cookie", "proxy-authorization"];

/** The time until the response includes redirects. */
export interface GuardedFetchOptions extends ResponseLimits {
  readonly method?: "GET" | "HEAD" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** `follow` checks each redirect like the first URL; `refuse` returns the 3xx response to the caller. */
  readonly redirects: "follow" | "refuse";
  /** Whether an IP address is accepted instead of a name. Default true. It must be public in either case. */
  readonly allowsIpLiterals?: boolean;
  /** Replaces `fetch` in tests. */
  readonly send?: typeof fetch;
}

export interface GuardedResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The URL of the response, after redirects. */
  readonly url: string;
  /** Read the body to its end or `cancel` it: the time limit runs until then. Reading fails with EgressError. */
  readonly body: ReadableStream<Uint8Array>;
}

/**
 * The only client for addresses that callers provide (ARCHITECTURE.md): https to public hosts on port 443, redirects
 * followed manually, limits on time and bytes. Throws EgressError.
 *
 * On Cloudflare, the IP address of a name cannot be pinned between lookup and connection, so the name is looked up once
 * before each request. Locally, the sandbox's network refuses non-public addresses as it connects.
 */
export async function guardedFetch(
  env: EgressEnv,
  address: string,
  options: GuardedFetchOptions,
): Promise<GuardedResponse> {
  let from = "";
  const { response, body } = await respondWithin(options, async (signal) => {
    const reached = await follow(env, address, options, signal);
    from = reached.url.href;
    return reached.response;
  });
  return { status: response.status, headers: response.headers, url: from, body };
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
  const checked = checkUrl(address, {
    loopback: loopbackExceptions(env),
    allowsIpLiterals: options.allowsIpLiterals ?? true,
  });
  if (!checked.isAllowed) {
    throw new EgressError("url_refused", `${subject}: ${checked.reason}.`);
  }
  if (!checked.isLoopback && (await resolvesToPrivate(env, checked.url, send))) {
    throw new EgressError(
      "url_refused",
      `${subject}: its name resolves to an address that is not public.`,
    );
  }
  return checked.url;
}
