/** Calls of the service's own API with the page's token. */

/** One problem of a refused request, as far as the service names it. */
export interface ApiProblem {
  readonly field?: string;
  readonly message: string;
  readonly code?: string;
  readonly path?: string;
  readonly node_id?: string | null;
  readonly suggestion?: string | null;
}

/** A call that failed. `status` 0 and code `network` if no answer arrived. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: string;
  readonly problems: readonly ApiProblem[];
  /** Members of the problem document. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Seconds until a repetition can succeed; undefined if the service does not say so. */
  readonly retryAfterS: number | undefined;

  constructor(
    status: number,
    body: Readonly<Record<string, unknown>>,
    retryAfterS: number | undefined,
  ) {
    super(typeof body["detail"] === "string" ? body["detail"] : `Status ${String(status)}`);
    this.status = status;
    this.body = body;
    this.code = typeof body["code"] === "string" ? body["code"] : "network";
    // The service's own document, which lists objects with these members.
    this.problems = Array.isArray(body["errors"]) ? (body["errors"] as ApiProblem[]) : [];
    this.retryAfterS = retryAfterS;
  }
}

export interface ApiRequest {
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON; a form or bytes as they are. */
  readonly body?: object | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ApiAnswer<Body> {
  readonly status: number;
  /** Undefined for an answer without content. */
  readonly body: Body;
  readonly headers: Headers;
}

export class ApiClient {
  #token: string;
  readonly #fetch: typeof fetch;

  /** `send` is the browser's `fetch`, or another one in tests. */
  constructor(token: string, send: typeof fetch = (input, init) => fetch(input, init)) {
    this.#token = token;
    this.#fetch = send;
  }

  /** Later calls use this token. */
  setToken(token: string): void {
    this.#token = token;
  }

  /** Sends a request; `path` begins with `/api/`. Throws `ApiError`, and the signal's reason if it was aborted. */
  async call<Body>(
    method: string,
    path: string,
    request: ApiRequest = {},
  ): Promise<ApiAnswer<Body>> {
    const response = await this.open(method, path, request);
    const text = await this.#network(request.signal, () => response.text());
    // What the service sends, of the same version as this page.
    const body = (text === "" ? undefined : parseJson(text)) as Body;
    return { status: response.status, body, headers: response.headers };
  }

  /** Like `call`, with the body unread: for event streams and files. */
  async open(method: string, path: string, request: ApiRequest = {}): Promise<Response> {
    const isPlain =
      request.body !== undefined &&
      !(request.body instanceof FormData || request.body instanceof Blob);
    const init: RequestInit = {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(isPlain && { "content-type": "application/json" }),
        ...request.headers,
      },
      // Neither cookies nor the address of the page leave it.
      credentials: "omit",
      referrerPolicy: "no-referrer",
      cache: "no-store",
      ...(request.signal !== undefined && { signal: request.signal }),
      ...(request.body !== undefined && {
        body: isPlain ? JSON.stringify(request.body) : (request.body as FormData | Blob),
      }),
    };
    const response = await this.#network(request.signal, () =>
      this.#fetch(path + queryOf(request.query), init),
    );
    if (response.ok) {
      return response;
    }
    const text = await this.#network(request.signal, () => response.text());
    const body = parseJson(text);
    throw new ApiError(
      response.status,
      typeof body === "object" && body !== null ? { ...body } : { code: "network" },
      secondsOf(response.headers.get("retry-after")),
    );
  }

  async #network<Result>(
    signal: AbortSignal | undefined,
    run: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await run();
    } catch (thrown) {
      signal?.throwIfAborted();
      throw new ApiError(0, { code: "network", detail: String(thrown) }, undefined);
    }
  }
}

function queryOf(query: ApiRequest["query"]): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) {
      parameters.set(name, value);
    }
  }
  return parameters.size === 0 ? "" : `?${String(parameters)}`;
}

/** Undefined for text that is not JSON, such as the page of a gateway in between. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function secondsOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}
