/** Calls a running service and records requests and responses as examples of operations. */
import { RecordedText } from "./recorded-text.ts";

/** Most items of a list in an example. */
const ITEMS_MAX = 2;
/** Most UTF-16 code units of a text in an example. */
const TEXT_MAX = 1_200;
const WAITS_MAX = 100;

// oxlint-disable-next-line typescript/no-explicit-any -- recordings contain any JSON
export type Json = any;

export interface Example {
  readonly request?: unknown;
  readonly status: number;
  readonly response?: unknown;
}

interface Sent {
  readonly json?: unknown;
  readonly form?: FormData;
  readonly headers?: Readonly<Record<string, string>>;
  readonly as?: "operator" | "nobody";
}

export class ExampleRecorder {
  readonly examples: Record<string, Example> = {};
  readonly text: RecordedText;
  /** Access token of the caller, once it has one. */
  token = "";
  readonly #baseUrl: string;
  readonly #adminToken: string;
  #keys = 0;

  constructor(given: {
    readonly baseUrl: string;
    readonly adminToken: string;
    readonly receiverUrl: string;
  }) {
    this.#baseUrl = given.baseUrl;
    this.#adminToken = given.adminToken;
    this.text = new RecordedText({
      [given.baseUrl]: "https://api.example.com",
      [given.receiverUrl]: "https://hooks.example.com",
      [given.adminToken]: "ADMIN_TOKEN",
    });
  }

  /**
   * Calls a route and records the call as the example of an operation, if one is given. Throws if the response is an
   * error.
   */
  async call(
    operation: string | null,
    method: string,
    path: string,
    sent: Sent = {},
  ): Promise<Json> {
    const bearer = sent.as === "operator" ? this.#adminToken : this.token;
    const body = sent.form ?? (sent.json === undefined ? undefined : JSON.stringify(sent.json));
    const response = await fetch(new URL(path, this.#baseUrl), {
      method,
      redirect: "manual",
      headers: {
        ...(sent.as !== "nobody" && { authorization: `Bearer ${bearer}` }),
        ...(sent.json !== undefined && { "content-type": "application/json" }),
        ...(method !== "GET" && {
          "idempotency-key": `recorded-example-${String(this.#keys++)}-${Date.now()}`,
        }),
        ...sent.headers,
      },
      ...(body !== undefined && { body }),
    });
    const bytes = await response.arrayBuffer();
    if (response.status >= 400) {
      throw new Error(`${method} ${path}: ${response.status} ${Buffer.from(bytes).toString()}`);
    }
    const type = response.headers.get("content-type") ?? "";
    const isText = /^text\/|json/.test(type);
    const text = isText ? Buffer.from(bytes).toString() : "";
    const value: unknown = type.includes("json") ? JSON.parse(text) : text;
    if (operation !== null) {
      this.examples[operation] = {
        ...(sent.json !== undefined && { request: shortened(sent.json) }),
        ...(sent.form !== undefined && { request: shownForm(sent.form) }),
        status: response.status,
        ...(isText && text !== "" && { response: shortened(value) }),
      };
    }
    return value;
  }

  /** All examples by name, identical in every recording. */
  stable(): string {
    const sorted = Object.entries(this.examples).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return this.text.stable(JSON.stringify(Object.fromEntries(sorted), null, 2));
  }
}

/** The fields of a form; a file is represented by its name, as in curl. */
function shownForm(form: FormData): Json {
  const shown: Json = {};
  for (const [name, value] of form) {
    const text = typeof value === "string" ? value : `@${value.name}`;
    if (name === "files") {
      (shown[name] ??= []).push(text);
    } else {
      shown[name] = text;
    }
  }
  return shown;
}

/** Shortens lists to a few items and texts of events to their beginning. */
export function shortened(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.slice(0, ITEMS_MAX).map(shortened);
  }
  if (typeof value === "string") {
    return value.length > TEXT_MAX ? `${value.slice(0, TEXT_MAX).trimEnd()}\n…` : value;
  }
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]))
    : value;
}

/** Polls until there is a result, for at most ten seconds. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
): Promise<T> {
  for (let waits = 0; waits < WAITS_MAX; waits++) {
    const found = await look();
    if (found !== undefined && found !== false) {
      return found;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${what} did not arrive in time.`);
}
