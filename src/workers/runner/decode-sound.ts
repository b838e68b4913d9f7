import {
  type DecodeSoundRequest,
  SOUND_COUNT,
  SOUND_HEADERS,
} from "../../contracts/media/decoded-sound.ts";
import type { DecodedSound } from "../../contracts/models/model-calls.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import type { FileRef } from "../../lib/files/file-ref.ts";
import type { TaskEnv } from "../../platform/env.ts";

/**
 * The samples of a stored sound, decoded by the media Worker as they are read. Throws NodeError `AUDIO_UNREADABLE` for what it
 * cannot decode, and `PROVIDER_UNAVAILABLE`, to be repeated, if it does not answer, has no memory or breaks off; the samples throw
 * that, too. An abort of the signal ends the decoding at once.
 */
export async function decodeSound(
  env: Pick<TaskEnv, "SOUND_DECODER">,
  workspaceId: string,
  file: FileRef,
  signal: AbortSignal,
): Promise<DecodedSound> {
  const request = {
    v: 1,
    workspace_id: workspaceId,
    file: wordsOf(file),
    reads_count: true,
  } as const;
  const response = await ask(env, request, signal);
  if (response.status === 422) {
    throw unreadable(await response.text());
  }
  const { status, headers, body } = response;
  if (status !== 200 || body === null) {
    await body?.cancel();
    throw unavailable(`status ${status}`);
  }
  const numberOf = (name: keyof typeof SOUND_HEADERS) => Number(headers.get(SOUND_HEADERS[name]));
  const samples = new Samples(body, signal);
  return {
    sampleRate: numberOf("sampleRate"),
    channels: numberOf("channels"),
    frames: headers.has(SOUND_HEADERS.frames) ? numberOf("frames") : await samples.readCount(),
    samples,
  };
}

async function ask(
  env: Pick<TaskEnv, "SOUND_DECODER">,
  request: DecodeSoundRequest,
  signal: AbortSignal,
): Promise<Response> {
  if (env.SOUND_DECODER === undefined) {
    throw new TypeError("The runner has the binding SOUND_DECODER.");
  }
  signal.throwIfAborted();
  const asked = env.SOUND_DECODER.decode(request).catch((cause: unknown) => {
    throw unavailable(cause);
  });
  const aborted = Promise.withResolvers<never>();
  const abort = () => {
    aborted.reject(signal.reason);
    // An answer that comes later holds memory until it is canceled.
    asked.then(({ body }) => body?.cancel()).catch(ignore);
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([asked, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** A body of samples. Not a generator: one that has not begun would not pass its `return()` on to the body. */
class Samples implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #signal: AbortSignal;
  /** What was read behind the count. */
  #rest: Uint8Array | undefined;

  constructor(body: ReadableStream<Uint8Array>, signal: AbortSignal) {
    this.#reader = body.getReader();
    this.#signal = signal;
    signal.addEventListener("abort", this.#abort, { once: true });
    if (signal.aborted) {
      this.#abort();
    }
  }

  readonly #abort = (): void => {
    this.#reader.cancel(this.#signal.reason).catch(ignore);
  };

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const rest = this.#rest;
    if (rest !== undefined) {
      this.#rest = undefined;
      return { done: false, value: rest };
    }
    let read: ReadableStreamReadResult<Uint8Array>;
    try {
      read = await this.#reader.read();
    } catch (error) {
      this.#forget();
      this.#signal.throwIfAborted();
      throw unavailable(error);
    }
    if (this.#signal.aborted || read.done) {
      this.#forget();
      // The reading of a canceled body ends, too.
      this.#signal.throwIfAborted();
      return { done: true, value: undefined };
    }
    return { done: false, value: read.value };
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#rest = undefined;
    this.#forget();
    // A body that is not read any more has no failure to tell of.
    await this.#reader.cancel().catch(ignore);
    return { done: true, value: undefined };
  }

  /** The number of frames at the beginning of a body (`SOUND_COUNT`). Throws as `decodeSound` does. */
  async readCount(): Promise<number> {
    const state = await this.#byte(SOUND_COUNT.counting);
    if (state === SOUND_COUNT.refused) {
      throw unreadable(await this.#text());
    }
    const bytes = new Uint8Array(Float64Array.BYTES_PER_ELEMENT);
    for (let at = 0; at < bytes.length; at++) {
      // oxlint-disable-next-line no-await-in-loop -- byte after byte
      bytes[at] = await this.#byte();
    }
    const frames = new DataView(bytes.buffer).getFloat64(0, true);
    if (state !== SOUND_COUNT.counted || !Number.isSafeInteger(frames)) {
      await this.return();
      throw unavailable("the number of frames is not readable");
    }
    return frames;
  }

  /** The next byte, behind those that have the value `skipped`. */
  async #byte(skipped?: number): Promise<number> {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- piece after piece
      const { done, value } = await this.next();
      if (done === true) {
        throw unavailable("the sound ended while its frames were counted");
      }
      const at = value.findIndex((each) => each !== skipped);
      const byte = value[at];
      if (byte !== undefined) {
        this.#rest = at + 1 < value.length ? value.subarray(at + 1) : undefined;
        return byte;
      }
    }
  }

  async #text(): Promise<string> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this) {
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString();
  }

  #forget(): void {
    this.#signal.removeEventListener("abort", this.#abort);
  }
}

function ignore(): void {}

function unreadable(why: string): NodeError {
  return new NodeError("AUDIO_UNREADABLE", `The sound cannot be decoded. ${why}`);
}

function unavailable(cause: unknown): NodeError {
  return new NodeError(
    "PROVIDER_UNAVAILABLE",
    "The sound could not be decoded for the model at present.",
    { retryable: true, cause },
  );
}

function wordsOf(file: FileRef): DecodeSoundRequest["file"] {
  return {
    key: file.key,
    name: file.name,
    content_type: file.contentType,
    size_bytes: file.sizeBytes,
    etag: file.etag ?? null,
    pack: file.pack ?? null,
    content: file.content?.base64 ?? null,
  };
}
