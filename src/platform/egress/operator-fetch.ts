import { EgressError } from "./egress-error.ts";
import type { GuardedResponse } from "./guarded-fetch.ts";
import { checkBaseUrl, ofBase, providerLoopback } from "./check-operator-url.ts";
import type { EgressEnv } from "./loopback-exceptions.ts";
import { type ResponseLimits, respondWithin, untilAborted } from "./timed-response.ts";

export type OperatorBody =
  | string
  | Uint8Array<ArrayBuffer>
  | Blob
  | FormData
  | URLSearchParams
  | ReadableStream<Uint8Array>
  | SizedStream;

/** A stream of a known length, which the server is told where the runtime can. */
export interface SizedStream {
  readonly stream: ReadableStream<Uint8Array>;
  readonly sizeBytes: number;
}

export interface OperatorFetchOptions extends ResponseLimits {
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Includes keys; no header is sent to an origin other than the base's. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: OperatorBody;
  /** Most bytes of the request's body; a longer stream is cut off. */
  readonly maxRequestBytes: number;
  /** Replaces `fetch` in tests. */
  readonly send?: typeof fetch;
}

/**
 * The only client for addresses that an operator configured (APIs of models); `guardedFetch` is the client for callers'
 * addresses. `url` is the base itself or below it (`urlBelow`, `ofBase`). Bodies of any kind are streamed in both
 * directions. Redirects are not followed, because a response must not decide where a key is sent. Throws EgressError.
 */
export async function operatorFetch(
  env: EgressEnv,
  base: string,
  url: URL,
  options: OperatorFetchOptions,
): Promise<GuardedResponse> {
  const checked = checkBaseUrl(base, providerLoopback(env));
  if (!checked.isAllowed) {
    throw new EgressError(
      "url_refused",
      `The operator's address may not be called: ${checked.reason}.`,
    );
  }
  if (ofBase(checked.base, url.href) === undefined) {
    throw new EgressError("url_refused", "The address is not of the operator's own origin.");
  }
  const { maxRequestBytes, send = fetch, method = "GET" } = options;
  const outgoing = options.body === undefined ? undefined : limited(options.body, maxRequestBytes);
  const { response, body } = await respondWithin(options, async (signal) => {
    const init = {
      method,
      headers: new Headers(options.headers),
      redirect: "manual",
      signal,
      ...(outgoing !== undefined && { body: outgoing.body }),
      // Node requires the option for streamed bodies; workerd always behaves this way.
      ...(outgoing?.body instanceof ReadableStream && { duplex: "half" }),
    } satisfies RequestInit & { duplex?: string };
    try {
      return await untilAborted(send(url.href, init), signal);
    } catch (error) {
      throw outgoing?.failure() ?? error;
    }
  });
  if (response.status >= 300 && response.status < 400 && response.status !== 304) {
    await body.cancel();
    throw new EgressError(
      "too_many_redirects",
      "The operator's address redirects, and no redirect of it is followed.",
    );
  }
  return { status: response.status, headers: response.headers, url: url.href, body };
}

interface Outgoing {
  readonly body: Exclude<OperatorBody, SizedStream>;
  /** The reason why the body was cut off, if it was. */
  failure(): EgressError | undefined;
}

/** A body that fails when it exceeds `maxBytes`. Throws EgressError. */
function limited(body: OperatorBody, maxBytes: number): Outgoing {
  if (isSized(body)) {
    if (body.sizeBytes > maxBytes) {
      throw tooLarge(maxBytes);
    }
    // Servers that cannot read a body in chunks need its length, which only this stream of workerd carries.
    return typeof FixedLengthStream === "undefined"
      ? limited(body.stream, body.sizeBytes)
      : {
          body: body.stream.pipeThrough(new FixedLengthStream(body.sizeBytes)),
          failure: () => undefined,
        };
  }
  if (!(body instanceof ReadableStream)) {
    if (sizeOf(body) > maxBytes) {
      throw tooLarge(maxBytes);
    }
    return { body, failure: () => undefined };
  }
  let bytes = 0;
  let failure: EgressError | undefined;
  const counted = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        bytes += piece.byteLength;
        if (bytes > maxBytes) {
          failure = tooLarge(maxBytes);
          throw failure;
        }
        controller.enqueue(piece);
      },
    }),
  );
  return { body: counted, failure: () => failure };
}

function isSized(body: OperatorBody): body is SizedStream {
  return typeof body === "object" && "stream" in body && body.stream instanceof ReadableStream;
}

function sizeOf(body: Exclude<OperatorBody, ReadableStream | SizedStream>): number {
  if (typeof body === "string") {
    return Buffer.byteLength(body);
  }
  if (body instanceof URLSearchParams) {
    return body.toString().length;
  }
  if (body instanceof FormData) {
    let bytes = 0;
    // The types of workerd and of Node declare different iterators of a form.
    for (const [name, value] of body as unknown as Iterable<[string, string | Blob]>) {
      bytes += name.length + (typeof value === "string" ? value.length : value.size);
    }
    return bytes;
  }
  return body instanceof Blob ? body.size : body.byteLength;
}

function tooLarge(maxBytes: number): EgressError {
  return new EgressError("body_too_large", `The request has more than ${maxBytes} bytes.`);
}
