import pixels from "../../images/pixels/pixels.wasm";
import type { CheckRequest, CheckResult } from "../../contracts/models/model-providers.ts";
import { storedConnection } from "../../domain/models/find-connection.ts";
import { isJsonObject } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import type { AskingEnv } from "./model-providers.ts";
import { NEEDS } from "../../nodes/define-tools.ts";
import { RequestMemory } from "../../platform/request-memory.ts";
import { badOutput } from "../../providers/call-failure.ts";
import { providerIo } from "../../providers/provider-io.ts";
import { findProvider } from "../../providers/providers.ts";
import { readJsonAnswer } from "../../providers/read-answer.ts";

/** A check answers within this time. */
const CHECK_MAX_MS = 15_000;

/**
 * Asks a provider of a scope something that costs nothing, also a disabled one. A failure is part of the result, with the
 * code with which a node's call would have failed. Throws `service_unavailable` if there is no memory for it in time.
 */
export async function checkProvider(env: AskingEnv, request: CheckRequest): Promise<CheckResult> {
  const startMs = Date.now();
  const latency = () => Math.max(0, Date.now() - startMs);
  try {
    const result = await new RequestMemory().use(NEEDS.models.memoryBytes, () => ask(env, request));
    return result ?? { ok: true, latency_ms: latency(), error_code: null };
  } catch (error) {
    if (!(error instanceof NodeError)) {
      throw error;
    }
    return { ok: false, latency_ms: latency(), error_code: error.code };
  }
}

/** Undefined once the provider has answered. Throws NodeError `PROVIDER_*`. */
async function ask(
  env: AskingEnv,
  { workspace_id: workspaceId, id }: CheckRequest,
): Promise<"none" | "no_free_call" | undefined> {
  const connection = await storedConnection(env, workspaceId, id);
  if (connection === undefined) {
    return "none";
  }
  const { baseUrl } = connection;
  const provider = findProvider(connection.kind);
  const path = provider?.freePath;
  if (provider === undefined || path === undefined || baseUrl === null) {
    return "no_free_call";
  }
  const io = providerIo(
    env,
    provider,
    { ...connection, baseUrl },
    {
      key: "check",
      attempt: 1,
      signal: new AbortController().signal,
      timeoutMs: CHECK_MAX_MS,
      openPicture: () => Promise.reject(new TypeError("A check has no pictures.")),
      pixels,
    },
  );
  const response = await io.send(path, {
    method: "GET",
    headers: { accept: "application/json" },
    maxBytes: LIMITS.provider_json.value,
  });
  const answer = await readJsonAnswer(response, io);
  if (!isJsonObject(answer) && !Array.isArray(answer)) {
    throw badOutput("its body is neither an object nor a list");
  }
  return undefined;
}
