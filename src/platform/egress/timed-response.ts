import { EgressError } from "./egress-error.ts";
import { PieceReader } from "./piece-reader.ts";

/** The limits of a request. */
export interface ResponseLimits {
  /** From the call until the headers of the response have arrived. */
  readonly responseTimeoutMs: number;
  /** From the call until the last byte of the body has been read. */
  readonly totalTimeoutMs: number;
  /** Bytes of the response's body after decompression; the stream fails beyond them. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

export interface TimedResponse {
  readonly response: Response;
  /** Read the body to its end or `cancel` it: the time limit runs until then. Reading fails with EgressError. */
  readonly body: ReadableStream<Uint8Array>;
}

/**
 * Sends a request under time limits and applies limits of bytes and time to the response's body. `ask` must observe the
 * signal that it receives. Throws EgressError, and the abort reason of the caller.
 */
export async function respondWithin(
  limits: ResponseLimits,
  ask: (signal: AbortSignal) => Promise<Response>,
): Promise<TimedResponse> {
  const abort = new AbortController();
  const responseTimer = timer(abort, limits.responseTimeoutMs, "No response");
  const totalTimer = timer(abort, limits.totalTimeoutMs, "The response did not end");
  const stop = () => {
    clearTimeout(responseTimer);
    clearTimeout(totalTimer);
    limits.signal?.removeEventListener("abort", onCallerAbort);
  };
  const onCallerAbort = () => {
    abort.abort(limits.signal?.reason);
  };
  limits.signal?.addEventListener("abort", onCallerAbort);
  try {
    limits.signal?.throwIfAborted();
    const response = await ask(abort.signal);
    clearTimeout(responseTimer);
    return { response, body: capped(response.body, limits.maxBytes, abort.signal, stop) };
  } catch (error) {
    stop();
    throw asEgressError(error, abort.signal);
  }
}

/** A fetch that observes its signal late must not hold up the caller. */
export function untilAborted(sent: Promise<Response>, signal: AbortSignal): Promise<Response> {
  return new Promise<Response>((resolve, reject) => {
    const onAbort = () => {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is an EgressError or the caller's
      reject(signal.reason);
      // A late response is cancelled, so that its connection closes.
      sent.then(
        (late) => late.body?.cancel(),
        () => undefined,
      );
    };
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener("abort", onAbort, { once: true });
    sent.then(resolve, reject).finally(() => {
      signal.removeEventListener("abort", onAbort);
    });
  });
}

/** What is left of a body that its reader has left is read for so long, so that its connection can be used again. */
const REST_MAX_MS = 100;
const REST_BYTES_MAX = 64 * 1024;

/** Reads a short rest of a body; cancels any other. Never throws. */
async function finish(reader: PieceReader): Promise<void> {
  const cancel = () => reader.cancel().catch(() => undefined);
  const timer = setTimeout(() => void cancel(), REST_MAX_MS);
  try {
    for (let bytes = 0; bytes <= REST_BYTES_MAX;) {
      // oxlint-disable-next-line no-await-in-loop -- the pieces arrive one after another
      const piece = await reader.read();
      if (piece === undefined) {
        return;
      }
      bytes += piece.length;
    }
    await cancel();
  } catch {
    // The body broke off, and its connection with it.
  } finally {
    clearTimeout(timer);
  }
}

/** The body with its limits: the stream fails after `maxBytes` or when the time is up. */
function capped(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  signal: AbortSignal,
  stop: () => void,
): ReadableStream<Uint8Array> {
  const reader = body === null ? undefined : new PieceReader(body);
  let bytes = 0;
  let failStream = (_reason: unknown) => {};
  let failRead = (_reason: unknown) => {};
  const onAbort = () => {
    end();
    failStream(signal.reason);
    failRead(signal.reason);
    void cancelReader();
  };
  const end = () => {
    stop();
    signal.removeEventListener("abort", onAbort);
  };
  const cancelReader = () => reader?.cancel().catch(() => undefined);
  signal.addEventListener("abort", onAbort, { once: true });
  /** The next piece. An abort ends a read that waits at once, also where the runtime would let it wait. */
  const read = (from: PieceReader, isBorrowed: boolean) =>
    new Promise<Uint8Array | undefined>((resolve, reject) => {
      failRead = reject;
      from.read(isBorrowed).then(resolve, reject);
    });
  /** The next piece; undefined at the end. */
  const take = async (isBorrowed: boolean): Promise<Uint8Array | undefined> => {
    try {
      signal.throwIfAborted();
      const piece = reader && (await read(reader, isBorrowed));
      signal.throwIfAborted();
      if (piece === undefined) {
        end();
        return undefined;
      }
      bytes += piece.byteLength;
      if (bytes > maxBytes) {
        throw new EgressError("body_too_large", `The response has more than ${maxBytes} bytes.`);
      }
      return piece;
    } catch (error) {
      end();
      void cancelReader();
      throw asEgressError(error, signal, "The response ended early.");
    }
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        failStream = (reason) => {
          controller.error(reason);
        };
      },
      async pull(controller) {
        try {
          const piece = await take(false);
          if (piece === undefined) {
            controller.close();
          } else {
            controller.enqueue(piece);
          }
        } catch (error) {
          if (!signal.aborted) {
            controller.error(error);
          }
        }
      },
      async cancel() {
        end();
        await cancelReader();
      },
    },
    { highWaterMark: 0 },
  );
  // `for await` takes the pieces without the queue of the stream, which costs as much again as reading them.
  async function* pieces(isBorrowed: boolean): AsyncGenerator<Uint8Array> {
    let isStopped = false;
    try {
      for (
        let piece = await take(isBorrowed);
        piece !== undefined;
        piece = await take(isBorrowed)
      ) {
        isStopped = true;
        yield piece;
        isStopped = false;
      }
    } finally {
      // A body that failed has been cancelled.
      if (isStopped) {
        end();
        // Nobody waits for the rest.
        void (reader && finish(reader));
      }
    }
  }
  Object.defineProperty(stream, Symbol.asyncIterator, { value: () => pieces(false) });
  lenders.set(stream, () => pieces(true));
  return stream;
}

/** Bodies whose pieces can be had without a copy of each. */
const lenders = new WeakMap<ReadableStream<Uint8Array>, () => AsyncGenerator<Uint8Array>>();

/**
 * The pieces of a body, each valid until the next one is requested: for readers that use a piece at once. They are read as
 * with `for await`, with less work for each. Ending early ends the body.
 */
export function borrowedPieces(body: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  return lenders.get(body)?.() ?? body;
}

function timer(abort: AbortController, ms: number, what: string): ReturnType<typeof setTimeout> {
  return setTimeout(() => {
    abort.abort(new EgressError("timeout", `${what} within ${ms} ms.`));
  }, ms);
}

function asEgressError(
  error: unknown,
  signal: AbortSignal,
  message = "The host does not resolve, refused the connection, cut it, or does not speak HTTP.",
): unknown {
  if (error instanceof EgressError) {
    return error;
  }
  if (signal.aborted) {
    return signal.reason;
  }
  return new EgressError("connection_failed", message, error);
}
