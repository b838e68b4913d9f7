import { AppError } from "../lib/errors.ts";
import { DeadlineError, withDeadline } from "../lib/with-deadline.ts";

const PIECE_BYTES = 256 * 1024;
/** A client that sends nothing for so long has gone, or means harm. */
const IDLE_MAX_MS = 30_000;

export interface BodyPieces {
  /** The next bytes, undefined at the end. They are valid until the next call. */
  readonly read: () => Promise<Uint8Array | undefined>;
}

/**
 * A request's body in pieces, none of it held. A read throws `invalid_request` when the client
 * stops sending, or goes away.
 */
export function bodyPieces(body: ReadableStream<Uint8Array>, idleMaxMs = IDLE_MAX_MS): BodyPieces {
  const next = reader(body);
  return {
    async read() {
      try {
        return await withDeadline(next(), idleMaxMs);
      } catch (cause) {
        throw new AppError(
          "invalid_request",
          cause instanceof DeadlineError
            ? `The body stopped arriving: nothing came for ${idleMaxMs / 1000} s. Send it again.`
            : "The body broke off before its end. Send it again.",
          { cause },
        );
      }
    },
  };
}

/** Reads into one buffer over and over where the stream can, which saves a copy and an allocation a piece. */
function reader(body: ReadableStream<Uint8Array>): () => Promise<Uint8Array | undefined> {
  let byob: ReadableStreamBYOBReader;
  try {
    byob = body.getReader({ mode: "byob" });
  } catch {
    const plain = body.getReader();
    return async () => (await plain.read()).value;
  }
  let buffer = new ArrayBuffer(PIECE_BYTES);
  return async () => {
    const { done, value } = await byob.read(new Uint8Array(buffer));
    if (value !== undefined) {
      buffer = value.buffer as ArrayBuffer;
    }
    return done || value === undefined ? undefined : value;
  };
}
