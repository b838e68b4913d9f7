import { AppError } from "../lib/errors/errors.ts";
import { isJsonTextDeeperThan } from "../lib/json/json-text-depth.ts";
import { jsonMemory } from "../lib/json/json-memory.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";
import type { RequestMemory } from "../platform/request-memory.ts";

/** Deeper than any definition or manifest, and far below the depth at which recursive code overflows the stack. */
const JSON_DEPTH_MAX = LIMITS.json_depth.value;

/** Bodies up to this size, which most are, are read without asking for memory. */
const SMALL_BYTES = 64 * 1024;
/** Memory for the bytes and for the text, which has at most two bytes per character. */
const READ_COPIES = 3;

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset="?utf-8"?\s*)?;?\s*$/i;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** Returns the response to a request by the bytes of its body; undefined if they have to be read as JSON. */
export type AnswerBytes = (bytes: Uint8Array) => Promise<Response | undefined>;

/**
 * Returns the text of a JSON body of at most `maxBytes`, checked before it reaches a parser: type, size, encoding,
 * depth. A large body waits for memory; `memory` keeps it for the text and its value. Undefined if the request has no
 * body; a response if `answer` has one to a large body. Throws `unsupported_media_type`, `payload_too_large`,
 * `invalid_request`, `service_unavailable`.
 */
export async function readJsonText(
  request: Request,
  maxBytes: number,
  memory: RequestMemory,
  answer?: AnswerBytes,
): Promise<string | Response | undefined> {
  if (request.body === null || request.headers.get("content-length") === "0") {
    return undefined;
  }
  requireJsonType(request);
  const declared = Number(request.headers.get("content-length") ?? maxBytes);
  const isLarge = declared > SMALL_BYTES;
  const reading =
    isLarge && declared <= maxBytes ? await memory.take(declared * READ_COPIES) : null;
  const bytes = await readCapped(request, maxBytes);
  if (bytes.byteLength === 0) {
    return undefined;
  }
  const answered = bytes.byteLength > SMALL_BYTES ? await answer?.(bytes) : undefined;
  if (answered !== undefined) {
    return answered;
  }
  const text = decode(bytes);
  if (bytes.byteLength > SMALL_BYTES) {
    // Never waits for more memory while holding some: two requests that wait for each other would both be refused.
    reading?.release();
    await memory.take(textMemory(text));
  } else {
    reading?.release();
  }
  if (isJsonTextDeeperThan(text, JSON_DEPTH_MAX)) {
    throw new AppError(
      "invalid_request",
      `The body nests deeper than ${JSON_DEPTH_MAX} levels. Flatten it, or pass the deep part as a JSON-encoded string.`,
    );
  }
  return text;
}

/** Bytes that a JSON text and its parsed value need. */
export function textMemory(text: string): number {
  return 2 * text.length + jsonMemory(text);
}

/** Throws `unsupported_media_type` unless the request says that its body is JSON. */
export function requireJsonType(request: Request): void {
  const type = request.headers.get("content-type");
  if (type === null || !JSON_TYPE.test(type)) {
    throw new AppError(
      "unsupported_media_type",
      `This route accepts JSON in UTF-8, and the request has Content-Type: ${type === null ? "(none)" : type.slice(0, 100)}. Send Content-Type: application/json.`,
    );
  }
}

/**
 * Returns the body's bytes, at most `maxBytes`; throws `payload_too_large`. A declared length is used only to reject a
 * body that is too large.
 */
export async function readCapped(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (request.body === null) {
    return new Uint8Array();
  }
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) {
    throw tooLarge(maxBytes);
  }
  if (request.headers.has("content-length")) {
    return new Uint8Array(await request.arrayBuffer());
  }
  const chunks: Uint8Array[] = [];
  let total = 0;
  // Uses a reader because `for await` would cancel the stream; the rest is drained before the response.
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      break;
    }
    total += value.byteLength;
    if (total > maxBytes) {
      reader.releaseLock();
      throw tooLarge(maxBytes);
    }
    chunks.push(value);
  }
  const whole = new Uint8Array(total);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new AppError(
      "invalid_request",
      "The body is not valid UTF-8. JSON travels in UTF-8 (RFC 8259 §8.1).",
    );
  }
}

function tooLarge(maxBytes: number): AppError {
  return new AppError(
    "payload_too_large",
    `The body is larger than ${maxBytes} bytes. Send large data as an uploaded asset and send its asset_path.`,
  );
}
