import { SourceUnavailableError } from "../../lib/files/byte-source.ts";

/**
 * Storage returns pieces as small as 4 KB, and each piece costs the readers a call, so pieces are
 * joined.
 */
const PIECE_BYTES = 256 * 1024;

const LF = 10;

/**
 * The stream's bytes in pieces of about 256 KiB, each valid until the next. With `endsAtLine`, a
 * piece ends with a line break if it has one: text that begins with a line need not be joined to
 * the text before it, and joined text is slow to read.
 */
export async function* coalesceChunks(
  stream: ReadableStream<Uint8Array>,
  endsAtLine = false,
): AsyncGenerator<Uint8Array> {
  const fill = fillerOf(stream);
  let bytes = new Uint8Array(PIECE_BYTES);
  let filled = 0;
  try {
    for (;;) {
      const read = await fill.next(bytes, filled).catch((cause: unknown) => {
        throw new SourceUnavailableError(cause);
      });
      bytes = read.bytes;
      filled = read.filled;
      if (read.isDone) {
        break;
      }
      const line = endsAtLine ? bytes.lastIndexOf(LF) + 1 : 0;
      const end = line === 0 ? PIECE_BYTES : line;
      yield bytes.subarray(0, end);
      bytes.copyWithin(0, end);
      filled = PIECE_BYTES - end;
    }
    if (filled > 0) {
      yield bytes.subarray(0, filled);
    }
  } finally {
    // A reader that stops early must not leave the store sending.
    await fill.cancel();
  }
}

interface Filler {
  /** Fills `bytes` from `filled` to its end, unless the stream ends first. */
  next(
    bytes: Uint8Array<ArrayBuffer>,
    filled: number,
  ): Promise<{ bytes: Uint8Array<ArrayBuffer>; filled: number; isDone: boolean }>;
  cancel(): Promise<void>;
}

/** Storage's own streams fill a buffer in one call; other streams are copied piece by piece. */
function fillerOf(stream: ReadableStream<Uint8Array>): Filler {
  let direct: ReadableStreamBYOBReader | undefined;
  try {
    direct = stream.getReader({ mode: "byob" });
  } catch {
    // Not a byte stream, so it returns chunks of its own.
  }
  return direct === undefined || !("readAtLeast" in direct)
    ? copyingFiller(direct, stream)
    : directFiller(direct);
}

function directFiller(reader: ReadableStreamBYOBReader): Filler {
  return {
    async next(given, from) {
      let bytes = given;
      let filled = from;
      while (filled < PIECE_BYTES) {
        // The buffer is transferred to the stream and returned with the result.
        const view = new Uint8Array(bytes.buffer, filled, PIECE_BYTES - filled);
        const { done, value } = await reader.readAtLeast(view.length, view);
        if (value !== undefined) {
          bytes = new Uint8Array(value.buffer as ArrayBuffer, 0, PIECE_BYTES);
          filled += value.length;
        }
        if (done) {
          return { bytes, filled, isDone: true };
        }
      }
      return { bytes, filled, isDone: false };
    },
    cancel: () => reader.cancel().catch(() => undefined),
  };
}

function copyingFiller(
  unused: ReadableStreamBYOBReader | undefined,
  stream: ReadableStream<Uint8Array>,
): Filler {
  unused?.releaseLock();
  const reader = stream.getReader();
  let rest: Uint8Array = new Uint8Array();
  return {
    async next(bytes, from) {
      let filled = from;
      for (;;) {
        const fits = rest.subarray(0, PIECE_BYTES - filled);
        bytes.set(fits, filled);
        filled += fits.length;
        rest = rest.subarray(fits.length);
        if (filled === PIECE_BYTES) {
          return { bytes, filled, isDone: false };
        }
        const { done, value } = await reader.read();
        if (done) {
          return { bytes, filled, isDone: true };
        }
        rest = value;
      }
    },
    cancel: () => reader.cancel().catch(() => undefined),
  };
}
