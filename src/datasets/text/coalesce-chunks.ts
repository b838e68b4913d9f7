/** Storage gives pieces as small as 4 KB; each piece costs the readers a call, so they get fewer. */
const PIECE_BYTES = 256 * 1024;

/** The stream's bytes in pieces of about 256 KiB. Each piece is the caller's only until the next. */
export async function* coalesceChunks(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(PIECE_BYTES);
  let filled = 0;
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        break;
      }
      let chunk = value;
      while (filled + chunk.length >= PIECE_BYTES) {
        const fits = chunk.subarray(0, PIECE_BYTES - filled);
        buffer.set(fits, filled);
        yield buffer;
        filled = 0;
        chunk = chunk.subarray(fits.length);
      }
      buffer.set(chunk, filled);
      filled += chunk.length;
    }
    if (filled > 0) {
      yield buffer.subarray(0, filled);
    }
  } finally {
    // Whoever stops early must not leave the store sending.
    await reader.cancel().catch(() => undefined);
  }
}
