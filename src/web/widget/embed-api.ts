/** The calls of the widget over `fetch`; uploads over `XMLHttpRequest`, which alone reports the bytes sent. */
import { ApiClient, ApiError, type ApiRequest } from "../shared/api-client.ts";
import type { EmbedConfig } from "./core/config.ts";
import { ApiFailure, type EmbedApi, type OnSent, type StoredFile } from "./core/api.ts";

/**
 * Returns the calls with one token. `interfaceId` is that of the page's address, null for the token's own. `known` is the
 * answer of `config` if the page came with it.
 */
export function createEmbedApi(
  token: string,
  interfaceId: string | null,
  known: EmbedConfig | null = null,
): EmbedApi {
  const client = new ApiClient(token);
  const call = async <Body>(
    method: string,
    path: string,
    request: ApiRequest = {},
  ): Promise<Body> => {
    try {
      return (await client.call<Body>(method, `/api/embed${path}`, request)).body;
    } catch (error) {
      throw failureOf(error);
    }
  };
  const idempotent = (key: string) => ({ "idempotency-key": key });
  const uploads = (id: string, verb = "") => `/uploads/${encodeURIComponent(id)}${verb}`;
  const run = (id: string, part = "") => `/executions/${encodeURIComponent(id)}${part}`;
  return {
    config: async () =>
      known ?? (await call("GET", "/config", { query: { interface: interfaceId ?? undefined } })),
    takePermit: async () =>
      (await call<{ readonly permit: string | null }>("POST", "/check-execution")).permit,
    submit: (body, key) => call("POST", "/executions", { body, headers: idempotent(key) }),
    execution: (id, signal) => call("GET", run(id), { signal }),
    result: (id, signal) => call("GET", run(id, "/result"), { signal }),
    cancel: async (id) => {
      await call("POST", run(id, "/cancel"));
    },
    events: async (id, lastEventId, signal) => {
      try {
        const response = await client.open("GET", `/api/embed${run(id, "/events")}`, {
          signal,
          headers: lastEventId === "" ? {} : { "last-event-id": lastEventId },
        });
        return pieces(response);
      } catch (error) {
        throw failureOf(error);
      }
    },
    uploadFile: async (file, key, onSent, signal) => {
      const body = new FormData();
      body.append("file", file);
      const headers = { authorization: `Bearer ${token}`, ...idempotent(key) };
      const text = await send("POST", "/api/embed/assets", headers, body, onSent, signal);
      // The service's own answer, of the same version as this page.
      return JSON.parse(text) as StoredFile;
    },
    openSession: (name, sizeBytes, key) =>
      call("POST", "/uploads", {
        body: { file_name: name, size_bytes: sizeBytes },
        headers: idempotent(key),
      }),
    readSession: (id) => call("GET", uploads(id)),
    signPart: async (id, part_number, size_bytes, checksum_base64) => {
      const body = { parts: [{ part_number, size_bytes, checksum_base64 }] };
      const { parts } = await call<{
        readonly parts: readonly {
          readonly upload_url: string;
          readonly required_headers: Readonly<Record<string, string>>;
        }[];
      }>("POST", uploads(id, "/parts:sign"), { body });
      const [signed] = parts;
      if (signed === undefined) {
        throw new ApiFailure("upload_failed", 500);
      }
      return signed;
    },
    putBytes: async (url, headers, bytes, onSent, signal) => {
      await send("PUT", url, headers, bytes, onSent, signal);
    },
    endSession: (id, how) => call("POST", uploads(id, `:${how}`)),
    abortSession: async (id) => {
      await call("POST", uploads(id, ":abort"));
    },
  };
}

function failureOf(error: unknown): unknown {
  if (!(error instanceof ApiError)) {
    return error;
  }
  const { code, status, body, problems } = error;
  return failure(
    code,
    status,
    body,
    problems.map(({ field }) => field ?? ""),
  );
}

function failure(
  code: string,
  status: number,
  body: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): ApiFailure {
  const { reason, request_id: id } = body;
  const told = status === 401 && typeof reason === "string" ? reason : code;
  return new ApiFailure(told, status, typeof id === "string" ? id : null, fields);
}

async function* pieces(response: Response): AsyncGenerator<string> {
  if (response.body === null) {
    return;
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      yield value;
    }
  } finally {
    // Also where the caller stops reading; the stream may have failed already.
    await reader.cancel().catch(() => undefined);
  }
}

/** Sends bytes and reports their progress. Returns the text of the response. */
function send(
  method: "POST" | "PUT",
  url: string,
  headers: Readonly<Record<string, string>>,
  body: FormData | Blob,
  onSent: OnSent,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    const abort = (): void => {
      request.abort();
    };
    signal.addEventListener("abort", abort);
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) {
      // Browsers set these themselves and refuse others.
      if (!/^(?:content-length|host)$/i.test(name)) {
        request.setRequestHeader(name, value);
      }
    }
    request.upload.addEventListener("progress", ({ loaded }) => {
      onSent(loaded);
    });
    request.addEventListener("loadend", () => {
      signal.removeEventListener("abort", abort);
      const { status, responseText } = request;
      if (signal.aborted) {
        reject(new DOMException("The upload was cancelled.", "AbortError"));
      } else if (status >= 200 && status < 300) {
        resolve(responseText);
      } else {
        const problem = parseObject(responseText);
        const code = typeof problem["code"] === "string" ? problem["code"] : "network";
        reject(failure(code, status, problem, []));
      }
    });
    request.send(body);
  });
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}
