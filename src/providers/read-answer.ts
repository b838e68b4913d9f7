/** Bodies of providers' answers. Each is limited in bytes, in depth and in time before anything parses it. */
import { createParser } from "eventsource-parser";
import { type JsonValue, parseJson } from "../lib/json/exact-json.ts";
import { jsonMemory } from "../lib/json/json-memory.ts";
import { isJsonTextDeeperThan } from "../lib/json/json-text-depth.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";
import { NodeError } from "../lib/errors/node-error.ts";
import { EgressError } from "../platform/egress/egress-error.ts";
import type { GuardedResponse } from "../platform/egress/guarded-fetch.ts";
import { borrowedPieces } from "../platform/egress/timed-response.ts";
import { badOutput, statusFailure, timedOut, unavailable } from "./call-failure.ts";

/** An error's body is read to find its code; longer ones have none that matters. */
const ERROR_BYTES_MAX = 64 * 1024;

/** Estimated bytes of a parsed answer (`jsonMemory`). A call of a model reserves 24 MiB for it and its text. */
const ANSWER_MEMORY_MAX = 16 * 1024 * 1024;

interface Call {
  readonly attempt: number;
  readonly nowMs: () => number;
  readonly holding: (size: number) => Promise<void> | undefined;
}

/**
 * The JSON of a 2xx answer. Throws NodeError `PROVIDER_*` and `CONTENT_REFUSED`; `failureOf` decides which one an answer
 * with another status stands for.
 */
export async function readJsonAnswer(
  response: GuardedResponse,
  call: Call,
  failureOf = statusFailure,
): Promise<JsonValue> {
  await requireSuccess(response, call, failureOf);
  const text = await readText(response.body, call);
  if (jsonMemory(text) > ANSWER_MEMORY_MAX) {
    throw badOutput("its body takes too much memory");
  }
  const value = asJson(text);
  if (value === undefined) {
    throw badOutput("its body is not JSON");
  }
  return value;
}

/** Throws the failure that an answer other than 2xx stands for. */
export async function requireSuccess(
  response: GuardedResponse,
  call: Call,
  failureOf = statusFailure,
): Promise<void> {
  if (response.status >= 200 && response.status < 300) {
    return;
  }
  let text = "";
  try {
    for await (const piece of decoded(response.body)) {
      text += piece;
      if (text.length > ERROR_BYTES_MAX) {
        break;
      }
    }
  } catch {
    // The status decides without its body.
  }
  throw failureOf(response, asJson(text), call.nowMs());
}

/** The data of each server-sent event of an answer, in order. Throws NodeError. */
export async function* readEventData(
  response: Pick<GuardedResponse, "body">,
  call: Call,
): AsyncGenerator<string> {
  const ready: string[] = [];
  const parser = createParser({
    onEvent: ({ data }) => void ready.push(data),
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") {
        throw badOutput("one of its events is too long");
      }
    },
    maxBufferSize: LIMITS.provider_event.value,
  });
  try {
    let unread = 0;
    const decoder = new TextDecoder();
    // Pieces are short and many: a turn of the event loop for each of these steps would cost more than the steps.
    for await (const piece of borrowedPieces(response.body)) {
      parser.feed(decoder.decode(piece, { stream: true }));
      unread = ready.length === 0 ? unread + piece.length : 0;
      const memory = call.holding(unread);
      if (memory !== undefined) {
        // oxlint-disable-next-line no-await-in-loop -- the pieces arrive one after another
        await memory;
      }
      for (const data of ready.splice(0)) {
        const ofEvent = call.holding(data.length);
        if (ofEvent !== undefined) {
          // oxlint-disable-next-line no-await-in-loop -- the events are handed on in order
          await ofEvent;
        }
        yield data;
      }
    }
  } catch (error) {
    throw readFailure(error, call);
  }
}

async function readText(body: ReadableStream<Uint8Array>, call: Call): Promise<string> {
  try {
    let text = "";
    for await (const piece of decoded(body)) {
      text += piece;
      await call.holding(text.length);
    }
    return text;
  } catch (error) {
    throw readFailure(error, call);
  }
}

/** Ending early cancels the body. */
async function* decoded(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const piece of borrowedPieces(body)) {
    yield decoder.decode(piece, { stream: true });
  }
  yield decoder.decode();
}

/** Undefined for text that is not JSON, or that nests too deep. */
export function asJson(text: string): JsonValue | undefined {
  if (isJsonTextDeeperThan(text, LIMITS.json_depth.value)) {
    return undefined;
  }
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/**
 * The pieces of an answer's body, each valid until the next one is requested. Throws NodeError if it breaks off. Ending
 * early cancels the body.
 */
export async function* readPieces(
  body: ReadableStream<Uint8Array>,
  call: Call,
): AsyncGenerator<Uint8Array> {
  try {
    yield* borrowedPieces(body);
  } catch (error) {
    throw readFailure(error, call);
  }
}

/** The failure of an answer that broke off. Rethrows the reason of an abort. */
function readFailure(error: unknown, { attempt }: Call): unknown {
  if (error instanceof NodeError || !(error instanceof EgressError)) {
    return error;
  }
  switch (error.code) {
    case "timeout":
      return timedOut(attempt);
    case "body_too_large":
      return badOutput("it is larger than such an output may be", error);
    default:
      return unavailable(error);
  }
}
