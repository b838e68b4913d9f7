/** A small client of the public API for the local service, the demo, the tests and the benchmarks. */
import { isClosedConnection, isRepeatable, sendAgain } from "./send-again.ts";

export interface Credentials {
  readonly base_url: string;
  readonly app_url: string;
  readonly org_id: string;
  readonly workspace_id: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly admin_token: string;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** An unexpected response, with its problem document. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly problem: unknown;

  constructor(method: string, path: string, status: number, text: string) {
    super(`${method} ${path} returned ${status}: ${text.slice(0, 2000)}`);
    this.status = status;
    this.problem = tryParse(text);
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Sends requests with a bearer token, which it fetches once and again after it has expired. */
export class ApiClient {
  readonly baseUrl: string;
  readonly #clientId: string;
  readonly #clientSecret: string;
  #token: Promise<string> | undefined;

  constructor(given: Pick<Credentials, "base_url" | "client_id" | "client_secret">) {
    this.baseUrl = given.base_url;
    this.#clientId = given.client_id;
    this.#clientSecret = given.client_secret;
  }

  /** Returns the access token, for callers that send their own requests. */
  token(): Promise<string> {
    this.#token ??= this.#fetchToken();
    return this.#token;
  }

  /** Returns the raw response, whatever its status. */
  async send(method: string, path: string, options: CallOptions = {}): Promise<Response> {
    const call = async () =>
      fetch(new URL(path, this.baseUrl), {
        method,
        headers: {
          authorization: `Bearer ${await this.token()}`,
          ...(options.body === undefined ? {} : { "content-type": "application/json" }),
          ...options.headers,
        },
        ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      });
    const mayRepeat = isRepeatable(method, options.headers);
    let response = await sendAgain(call, (error) => mayRepeat && isClosedConnection(error));
    if (response.status === 401) {
      await response.body?.cancel();
      this.#token = undefined;
      response = await call();
    }
    return response;
  }

  /** Returns the parsed JSON body. Throws ApiError for any status that is not 2xx. */
  async call<T = unknown>(method: string, path: string, options: CallOptions = {}): Promise<T> {
    const response = await this.send(method, path, options);
    const text = await response.text();
    if (!response.ok) {
      throw new ApiError(method, path, response.status, text);
    }
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }

  async #fetchToken(): Promise<string> {
    const basic = Buffer.from(`${this.#clientId}:${this.#clientSecret}`).toString("base64");
    const response = await fetch(new URL("/api/v1/auth/token", this.baseUrl), {
      method: "POST",
      headers: {
        authorization: `Basic ${basic}`,
        "content-type": "application/x-www-form-urlencoded",
      },
      body: "grant_type=client_credentials",
    });
    const text = await response.text();
    if (!response.ok) {
      this.#token = undefined;
      throw new ApiError("POST", "/api/v1/auth/token", response.status, text);
    }
    return (JSON.parse(text) as { access_token: string }).access_token;
  }
}
