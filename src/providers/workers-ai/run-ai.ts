import type { ReferencedModel } from "../../contracts/models/model-calls.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { EgressError } from "../../platform/egress/egress-error.ts";
import { respondWithin, untilAborted } from "../../platform/egress/timed-response.ts";
import { requestFailure, statusFailure, unavailable } from "../call-failure.ts";
import type { ProviderIo } from "../provider.ts";

/** What a model returned: its bytes, or a value. */
export type AiOutput =
  | { readonly kind: "bytes"; readonly body: ReadableStream<Uint8Array> }
  | { readonly kind: "value"; readonly value: unknown };

/** Thrown codes (docs/contract/models.md#calls): no capacity at present, and the account's allocation used up. */
const NO_CAPACITY = "3040";
const USED_UP = "3036";

/**
 * Runs a model through the binding `AI`, within the time limit of the model and at most `maxBytes` of a response. Throws
 * NodeError `PROVIDER_*`, and the reason of an abort.
 */
export async function runAi(
  { remote_model: name, timeout_ms: timeoutMs }: ReferencedModel,
  inputs: Readonly<Record<string, unknown>>,
  { ai, signal, attempt, nowMs }: ProviderIo,
  maxBytes: number,
): Promise<AiOutput> {
  if (ai === undefined) {
    throw unavailable();
  }
  let value: unknown;
  const limits = { responseTimeoutMs: timeoutMs, totalTimeoutMs: timeoutMs, maxBytes, signal };
  try {
    const { body, response } = await respondWithin(limits, (until) =>
      untilAborted(
        ai.run(name, inputs, { signal: until }).then((output) => {
          value = output;
          return responseOf(output);
        }),
        until,
      ),
    );
    if (response.status === NO_BODY) {
      await body.cancel();
      return { kind: "value", value };
    }
    return { kind: "bytes", body };
  } catch (error) {
    throw failureOf(error, attempt, nowMs());
  }
}

const NO_BODY = 204;

/** Bytes in whatever form a model returns them; without a body for a value. */
function responseOf(output: unknown): Response {
  return output instanceof Response
    ? output
    : output instanceof ReadableStream || output instanceof Uint8Array
      ? new Response(output as BodyInit)
      : output instanceof ArrayBuffer
        ? new Response(new Uint8Array(output))
        : new Response(null, { status: NO_BODY });
}

function failureOf(error: unknown, attempt: number, nowMs: number): unknown {
  if (error instanceof NodeError || !(error instanceof EgressError)) {
    return error;
  }
  const code = error.code === "connection_failed" ? codeOf(error.cause) : undefined;
  const failed = (status: number) =>
    statusFailure({ status, headers: new Headers() }, undefined, nowMs);
  return code === NO_CAPACITY
    ? failed(429)
    : code === USED_UP
      ? failed(402)
      : requestFailure(error, attempt);
}

/** The code that begins the message of a thrown error, or that it carries. */
function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) {
    return undefined;
  }
  const { code, internalCode } = thrown as { code?: unknown; internalCode?: unknown };
  const named = [code, internalCode].map(String).find((each) => /^\d{4}$/.test(each));
  return named ?? /^(?:\w+: )?(\d{4})\b/.exec(thrown.message)?.[1];
}
