import { createExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import type { Env } from "../../src/platform/env.ts";
import worker from "../../src/worker.ts";
import { DocumentHolder } from "./openapi/hold-to-document.ts";

export const ORIGIN = "http://svc.test";
/** As in vitest.config.ts. */
export const ADMIN_TOKEN = "the-operator-token-of-the-tests";

export interface Call {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent unchanged. */
  readonly body?: BodyInit;
  /** Variables of another deployment. */
  readonly env?: Partial<Env>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
  /** The parsed body; undefined if it is not JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever came
  readonly json: any;
}

/** One request to the whole Worker. */
export async function call(method: string, path: string, options: Call = {}): Promise<Reply> {
  const headers = new Headers(options.headers);
  if (options.token !== undefined) {
    headers.set("authorization", `Bearer ${options.token}`);
  }
  if (options.json !== undefined) {
    headers.set("content-type", "application/json");
  }
  const body = options.json === undefined ? options.body : JSON.stringify(options.json);
  const request = new Request<unknown, IncomingRequestCfProperties>(ORIGIN + path, {
    method,
    headers,
    redirect: "manual",
    ...(body !== undefined && { body }),
  });
  const response =
    options.env === undefined
      ? await exports.default.fetch(request)
      : await worker.fetch(request, { ...env, ...options.env }, createExecutionContext());
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  await document.hold(
    {
      method,
      url: path,
      status: response.status,
      headers: response.headers,
      text,
    },
    () => exports.default.fetch(`${ORIGIN}/swagger/public-v1/swagger.json`),
  );
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    text,
    json: isJson && text !== "" ? JSON.parse(text) : undefined,
  };
}

const document = new DocumentHolder();

export function operator(method: string, path: string, json?: unknown): Promise<Reply> {
  return call(method, path, { token: ADMIN_TOKEN, json });
}

export interface Caller {
  readonly workspaceId: string;
  readonly organizationId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly token: string;
}

export interface KeyRequest {
  /** Another key of an existing workspace. */
  readonly workspaceId?: string;
  readonly scopes?: readonly string[];
  readonly permissions?: readonly string[];
  readonly expires_at?: string;
  readonly is_agent?: boolean;
}

/** A key with a valid token; in its own workspace unless one is given. */
export async function newCaller(request: KeyRequest = {}): Promise<Caller> {
  const { workspaceId = await newWorkspace(), ...rest } = request;
  const key = await operator("POST", "/admin/v1/api-keys", {
    workspace_id: workspaceId,
    name: "Test",
    ...rest,
  });
  const { client_id: clientId, client_secret: clientSecret } = key.json;
  const token = await requestToken(clientId, clientSecret);
  return {
    workspaceId,
    organizationId: key.json.organization_id,
    clientId,
    clientSecret,
    token: token.json.access_token,
  };
}

export async function newWorkspace(plan = "dev"): Promise<string> {
  const organization = await operator("POST", "/admin/v1/organizations", {
    name: "Test",
    plan,
    ...(env.WORKER_SHARDS === "1" && { shard: 1 }),
  });
  const workspace = await operator("POST", "/admin/v1/workspaces", {
    organization_id: organization.json.id,
    name: "Test",
  });
  return workspace.json.id;
}

let addresses = 0;

/** Requests a token from an address that no other request of this file has used. */
export function requestToken(
  clientId: string,
  clientSecret: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  addresses += 1;
  return call("POST", "/api/v1/auth/token", {
    headers: {
      "cf-connecting-ip": `2001:db8::${addresses.toString(16)}`,
      authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
      "content-type": "application/x-www-form-urlencoded",
      ...headers,
    },
    body: "grant_type=client_credentials",
  });
}
