import { AppError } from "../lib/errors.ts";
import { DeadlineError, withDeadline } from "../lib/with-deadline.ts";
import { LIMITS } from "../lib/limits-table.ts";

const PIECE_BYTES = 256 * 1024;
/** A client that sends nothing for so long has gone, or means harm. */
const IDLE_MAX_MS = LIMITS.body_idle.value;

export interface BodyPieces {
  /** The next bytes, undefined at the end. They are valid until the next call. */
  readonly read: () => Promise<Uint8Array | undefined>;
  /** How much of the body has been read. */
  readonly bytesRead: () => number;
  /**
   * Lets go of the body, so that what a refused client still sends can be read away. A body that
   * its client left alone stays taken: nothing more is to be waited for.
   */
  readonly release: () => void;
}

/**
 * A request's body in pieces, none of it held. A read throws `invalid_request` when the client
 * stops sending, or goes away.
 */
export function bodyPieces(body: ReadableStream<Uint8Array>, idleMaxMs = IDLE_MAX_MS): BodyPieces {
  const { next, release } = reader(body);
  let hasStopped = false;
  let bytesRead = 0;
  return {
    bytesRead: () => bytesRead,
    release() {
      if (!hasStopped) {
        release();
      }
    },
    async read() {
      try {
        const piece = await withDeadline(next(), idleMaxMs);
        bytesRead += piece?.byteLength ?? 0;
        return piece;
      } catch (cause) {
        hasStopped = true;
        throw new AppError(
          "invalid_request",
          cause instanceof DeadlineError
            ? `The body stopped arriving: no bytes were received for ${idleMaxMs / 1000} s. Send the request again.`
            : "The body ended early. Send the request again.",
          { cause },
        );
      }
    },
  };
}

/** Reads into one buffer over and over where the stream can, which saves a copy and an allocation a piece. */
function reader(body: ReadableStream<Uint8Array>): {
  readonly next: () => Promise<Uint8Array | undefined>;
  readonly release: () => void;
} {
  let byob: ReadableStreamBYOBReader;
  try {
    byob = body.getReader({ mode: "byob" });
  } catch {
    const plain = body.getReader();
    return { next: async () => (await plain.read()).value, release: () => plain.releaseLock() };
  }
  let buffer = new ArrayBuffer(PIECE_BYTES);
  const next = async () => {
    const { done, value } = await byob.read(new Uint8Array(buffer));
    if (value !== undefined) {
      buffer = value.buffer as ArrayBuffer;
    }
    return done || value === undefined ? undefined : value;
  };
  return { next, release: () => byob.releaseLock() };
}
