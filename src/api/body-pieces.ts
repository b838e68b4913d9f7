import { AppError } from "../lib/errors/errors.ts";
import { DeadlineError, withDeadline } from "../lib/with-deadline.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";

const PIECE_BYTES = 256 * 1024;
/** A client that sends nothing for this long has disconnected or is hostile. */
const IDLE_MAX_MS = LIMITS.body_idle.value;

export interface BodyPieces {
  /** Returns the next bytes, undefined at the end. They are valid until the next call. */
  readonly read: () => Promise<Uint8Array | undefined>;
  /** Number of bytes of the body that have been read. */
  readonly bytesRead: () => number;
  /**
   * Releases the body, so that the rest of a refused request can be drained. A body that timed out stays locked,
   * because no more data is expected.
   */
  readonly release: () => void;
}

/**
 * A request's body in pieces, without buffering. Reading throws `invalid_request` if the client stops sending or
 * disconnects.
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

/** Reuses one buffer if the stream supports it, which saves a copy and an allocation per piece. */
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
