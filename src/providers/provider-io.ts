import type { AiBinding } from "../platform/ai-binding.ts";
import type { EgressEnv } from "../platform/egress/loopback-exceptions.ts";
import { operatorFetch } from "../platform/egress/operator-fetch.ts";
import { ofBase, urlBelow } from "../platform/egress/check-operator-url.ts";
import { guardedFetch } from "../platform/egress/guarded-fetch.ts";
import { requestFailure } from "./call-failure.ts";
import type { OpenPicture, Provider, ProviderIo, ProviderRequest } from "./provider.ts";
import { requestIdOf } from "./request-id.ts";

/** An operator's provider, with its key. */
export interface Connection {
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

export interface CallScope {
  readonly key: string;
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly openPicture: OpenPicture;
  readonly pixels: WebAssembly.Module;
  /** Told of every request that asks for work, before it is sent. */
  readonly onRequest?: () => void;
  /** Told of each response, with the id that the provider gave to the request, if any. */
  readonly onResponse?: (requestId: string | null) => void;
  /** See `ProviderIo.kept`; by default nothing is kept. */
  readonly kept?: ProviderIo["kept"];
  /** See `ProviderIo.holding`; by default the caller has the memory. */
  readonly holding?: ProviderIo["holding"];
}

/** Most bytes of a request: pictures as base64 with their prompt. */
const REQUEST_BYTES_MAX = 256 * 1024 * 1024;

/** What a call reaches: the connection's address with its key, within the time limit of its model. */
export function providerIo(
  env: EgressEnv & { readonly AI?: AiBinding },
  provider: Provider,
  connection: Connection | null,
  {
    key,
    attempt,
    signal,
    timeoutMs,
    openPicture,
    pixels,
    onRequest = () => {},
    onResponse = () => {},
    holding = () => undefined,
    kept = (_name, read) => read(),
  }: CallScope,
): ProviderIo {
  const credential =
    connection === null || connection.apiKey === null
      ? {}
      : provider.authorize?.(connection.apiKey);
  const limits = { responseTimeoutMs: timeoutMs, totalTimeoutMs: timeoutMs, signal };
  const base = () => {
    if (connection === null) {
      throw new TypeError(`${provider.kind} has no address to send to.`);
    }
    return new URL(connection.baseUrl);
  };
  const sendTo = async (url: URL, { method, headers, body, maxBytes }: ProviderRequest) => {
    try {
      const response = await operatorFetch(env, connection?.baseUrl ?? "", url, {
        method,
        // The operator's headers are additions; they replace neither the key nor the content type.
        headers: { ...connection?.headers, ...headers, ...credential },
        ...(body !== undefined && { body }),
        maxRequestBytes: REQUEST_BYTES_MAX,
        maxBytes,
        ...limits,
      });
      onResponse(requestIdOf(response.headers));
      return response;
    } catch (error) {
      throw requestFailure(error, attempt);
    }
  };
  return {
    key,
    attempt,
    signal,
    openPicture,
    pixels,
    holding,
    kept,
    ...(env.AI !== undefined && { ai: told(env.AI, onRequest) }),
    nowMs: () => Date.now(),
    async send(path, request) {
      if (request.method === "POST") {
        onRequest();
      }
      return await sendTo(urlBelow(base(), path), request);
    },
    sendTo: async (place, request) => await sendTo(new URL(base().origin + place), request),
    place(named, documented) {
      const { pathname, search } = ofBase(base(), named) ?? urlBelow(base(), documented);
      return pathname + search;
    },
    async fetchFile(address, maxBytes) {
      const own = connection === null ? undefined : ofBase(new URL(connection.baseUrl), address);
      try {
        return connection === null || own === undefined
          ? await guardedFetch(env, address, { redirects: "follow", maxBytes, ...limits })
          : await operatorFetch(env, connection.baseUrl, own, {
              headers: { ...connection.headers, ...credential },
              maxRequestBytes: 0,
              maxBytes,
              ...limits,
            });
      } catch (error) {
        throw requestFailure(error, attempt);
      }
    },
  };
}

function told(ai: AiBinding, onRequest: () => void): AiBinding {
  return {
    run: (...call: Parameters<AiBinding["run"]>) => {
      onRequest();
      return ai.run(...call);
    },
  };
}
