/** Calls of a provider's adapter against a scripted server, and the failures that a task reports. */
import { expect } from "vitest";
import type { ReferencedModel } from "../../../src/contracts/models/model-calls.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";
import { providerIo } from "../../../src/providers/provider-io.ts";
import type { Provider, ProviderIo } from "../../../src/providers/provider.ts";
import { imageCodecs } from "../images/wasm-modules.ts";

export const PROVIDER_KEY = "sk-the-operators-key-MARKER";

export interface CallOptions {
  readonly attempt?: number;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Path of the base address. */
  readonly path?: string;
  /** Hosts that callers may name, besides public ones. */
  readonly allowed?: string;
}

/** What a call of `provider` reaches at this host. */
export function ioOf(
  provider: Provider,
  host: string,
  { attempt = 1, signal, timeoutMs = 10_000, path = "/v1", allowed = "" }: CallOptions = {},
): ProviderIo {
  return providerIo(
    {
      ENVIRONMENT: "local",
      PROVIDERS_ALLOW_LOOPBACK: host,
      EGRESS_ALLOW_LOOPBACK: allowed,
    },
    provider,
    { baseUrl: `http://${host}${path}`, apiKey: PROVIDER_KEY, headers: { "x-org": "org-1" } },
    {
      key: "el-1",
      attempt,
      signal: signal ?? new AbortController().signal,
      timeoutMs,
      openPicture: () => Promise.reject(new Error("no pictures here")),
      pixels: imageCodecs.pixels,
    },
  );
}

/** A model as a run keeps it. */
export function modelOf(more: Partial<ReferencedModel>): ReferencedModel {
  return {
    model: "tiny",
    provider: "mine",
    remote_model: "vendor/tiny-1",
    capabilities: [],
    supports_vision: true,
    cost_unit: "per_request",
    credit_cost_milli_credits: 10,
    input_milli_credits_per_1k: null,
    output_milli_credits_per_1k: null,
    controls: [],
    voices: [],
    sizes: [],
    max_input_images: 8,
    timeout_ms: 10_000,
    hides: [],
    parameters: [],
    json_mode: "json_schema",
    max_tokens_field: "max_tokens",
    ...more,
  };
}

/** The failure as a task reports it. Nothing of the address, the key or what a test marks is in its message. */
export async function failureOf(promise: Promise<unknown>) {
  const error: unknown = await promise.then(
    (value) => value,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(NodeError);
  const { code, retryable, retryAfterMs, message } = error as NodeError;
  expect(message).not.toMatch(/127\.0\.0\.1|localhost|sk-|MARKER/);
  return { code, retryable, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}
