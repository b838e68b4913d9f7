import { decodeJwt, SignJWT } from "jose";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { type Caller, call, newCaller, type KeyRequest, type Reply } from "../api-caller.ts";
import { ECHO_DEFINITION, publishedWorkflow } from "../published-workflow.ts";

export const EMBED_ORIGINS = ["https://app.example.com"];

export interface EmbedCaller extends Caller {
  readonly workflowId: string;
}

/** A key of a workspace of its own, and a published workflow there. */
export async function newEmbedCaller(
  request: KeyRequest = {},
  definition: object = ECHO_DEFINITION,
): Promise<EmbedCaller> {
  const caller = await newCaller(request);
  return { ...caller, workflowId: await publishedWorkflow(caller, definition) };
}

export interface Minted {
  readonly token: string;
  readonly jti: string;
  readonly expires_at: string;
}

/** Mints a runtime token of the caller's workflow. */
export async function mint(caller: EmbedCaller, more: object = {}): Promise<Minted> {
  const reply = await call("POST", "/api/v1/embed/tokens", {
    token: caller.token,
    json: { workflow: caller.workflowId, allowed_origins: EMBED_ORIGINS, ...more },
  });
  expect(reply.status, reply.text).toBe(201);
  return reply.json;
}

export async function mintEditor(caller: Caller, more: object = {}): Promise<Minted> {
  const reply = await call("POST", "/api/v1/embed/editor/tokens", {
    token: caller.token,
    json: { allowed_origins: EMBED_ORIGINS, ...more },
  });
  expect(reply.status, reply.text).toBe(201);
  return reply.json;
}

export function revoke(caller: Caller, jti: string, query = ""): Promise<Reply> {
  return call("DELETE", `/api/v1/embed/tokens/${jti}${query}`, { token: caller.token });
}

/** The same token with other claims, signed with the deployment's own secret unless another is given. */
export function resigned(
  token: string,
  changes: Readonly<Record<string, unknown>>,
  secret: string = env.JWT_SECRET,
): Promise<string> {
  return new SignJWT({ ...decodeJwt(token), ...changes })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .sign(new TextEncoder().encode(secret));
}

export function submitEmbed(
  token: string,
  json: object = { inputs: { words: { value: '"hello"' } } },
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  return call("POST", "/api/embed/executions", { token, json, headers });
}

export function check(token: string): Promise<Reply> {
  return call("POST", "/api/embed/check-execution", { token });
}
