/** The caller's credentials, and requests that use them. */
import { chmod, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Problem } from "../../src/contracts/problem.ts";
import { type Flags, textOf, UsageError } from "./arguments.ts";

/** A token is renewed when its remaining lifetime is shorter than this. */
const TOKEN_SLACK_MS = 60_000;

/** A response that is not 2xx. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly status: number;
  readonly problem: Partial<Problem>;

  constructor(status: number, problem: Partial<Problem>) {
    super(problem.detail ?? `HTTP ${status}`);
    this.status = status;
    this.problem = problem;
  }
}

interface Credentials {
  readonly base_url: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly admin_token?: string;
}

interface KeptToken {
  readonly base_url: string;
  readonly client_id: string | undefined;
  readonly access_token: string;
  readonly expires_at_ms: number;
}

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly body?: FormData | string;
  readonly as?: "key" | "operator" | "nobody";
}

export class Session {
  readonly #credentials: Credentials;
  readonly #tokenFile: string;

  private constructor(credentials: Credentials, file: string) {
    this.#credentials = credentials;
    this.#tokenFile = join(dirname(file), "cli-token.json");
  }

  /**
   * Reads a credentials file and the environment, which takes precedence. Throws UsageError if no service is
   * configured.
   */
  static async open(flags: Flags): Promise<Session> {
    const { env } = process;
    const file =
      textOf(flags, "credentials") ??
      env["EDGELOOM_CREDENTIALS"] ??
      join(".edgeloom", "credentials.json");
    const kept = await readCredentials(file);
    const given = {
      base_url: textOf(flags, "base-url") ?? env["EDGELOOM_BASE_URL"],
      client_id: env["EDGELOOM_CLIENT_ID"],
      client_secret: env["EDGELOOM_CLIENT_SECRET"],
      admin_token: env["EDGELOOM_ADMIN_TOKEN"],
    };
    const merged = {
      ...kept,
      ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    };
    if (merged.base_url === undefined) {
      throw new UsageError(
        `${file} does not exist. Start the service with npm run dev, or select a file with --credentials.`,
      );
    }
    return new Session({ ...merged, base_url: merged.base_url }, file);
  }

  /** Returns the parsed body of a 2xx response. Throws ProblemError for others. */
  async call<T = unknown>(method: string, path: string, options: SendOptions = {}): Promise<T> {
    return (await readBody(await this.send(method, path, options))) as T;
  }

  /** Returns the response. Throws ProblemError unless it is 2xx or a redirect that was followed. */
  async send(method: string, path: string, options: SendOptions = {}): Promise<Response> {
    const response = await this.#attempt(method, path, options);
    if (response.status === 401 && (options.as ?? "key") === "key") {
      await response.body?.cancel();
      // The cached token belongs to a service whose data was recreated since.
      await rm(this.#tokenFile, { force: true });
      return checked(await this.#attempt(method, path, options));
    }
    return checked(response);
  }

  async #attempt(method: string, path: string, options: SendOptions): Promise<Response> {
    const { json, body, as = "key", headers } = options;
    const authorization = {
      key: async () => ({ authorization: `Bearer ${await this.token()}` }),
      operator: async () => ({ authorization: `Bearer ${this.#must("admin_token")}` }),
      nobody: async () => ({}),
    }[as];
    const content = json === undefined ? body : JSON.stringify(json);
    return fetch(new URL(path, this.#credentials.base_url), {
      method,
      headers: {
        ...(await authorization()),
        ...(json !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(content !== undefined && { body: content, duplex: "half" }),
    } as RequestInit);
  }

  /** Returns an access token. It is cached between calls, because the token endpoint is rate-limited. */
  async token(): Promise<string> {
    const { base_url, client_id } = this.#credentials;
    const known = await readKept(this.#tokenFile);
    if (
      known?.client_id === client_id &&
      known?.base_url === base_url &&
      known.expires_at_ms > Date.now() + TOKEN_SLACK_MS
    ) {
      return known.access_token;
    }
    const pair = `${this.#must("client_id")}:${this.#must("client_secret")}`;
    const response = await checked(
      await fetch(new URL("/api/v1/auth/token", base_url), {
        method: "POST",
        headers: { authorization: `Basic ${Buffer.from(pair).toString("base64")}` },
        body: new URLSearchParams({ grant_type: "client_credentials" }),
      }),
    );
    const made = (await response.json()) as { access_token: string; expires_in: number };
    await writePrivate(this.#tokenFile, {
      base_url,
      client_id,
      access_token: made.access_token,
      expires_at_ms: Date.now() + made.expires_in * 1000,
    });
    return made.access_token;
  }

  #must(name: "client_id" | "client_secret" | "admin_token"): string {
    const value = this.#credentials[name];
    if (value === undefined) {
      throw new UsageError(`The credentials have no ${name}. Set EDGELOOM_${name.toUpperCase()}.`);
    }
    return value;
  }
}

/** Returns parsed JSON for a JSON response, text for others; undefined without a body. */
export async function readBody(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === "") {
    return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function checked(response: Response): Promise<Response> {
  if (response.ok) {
    return response;
  }
  const body = await readBody(response);
  const problem = typeof body === "object" && body !== null ? body : { status: response.status };
  throw new ProblemError(response.status, problem);
}

async function readCredentials(file: string): Promise<Partial<Credentials>> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as Partial<Credentials>;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      return {};
    }
    throw new UsageError(`${file} cannot be read: ${String(error)}`);
  }
}

async function readKept(file: string): Promise<KeptToken | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as KeptToken;
  } catch {
    return undefined;
  }
}

/** Writes the file with mode 0600, atomically. If the folder is not writable, only the cache is lost. */
async function writePrivate(path: string, value: KeptToken): Promise<void> {
  const staging = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(staging, JSON.stringify(value), { mode: 0o600 });
    await chmod(staging, 0o600);
    await rename(staging, path);
  } catch {
    // The next call requests a new token.
  }
}
