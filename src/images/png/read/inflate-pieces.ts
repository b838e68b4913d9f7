/** Deflate expands at most a thousandfold, so this bounds what one step can bring. */
const FED_BYTES = 4 * 1024;

/**
 * Inflates a zlib stream as it is read. Its own checksum, at its end, is left to who reads on to
 * there. Throws what the inflater throws on damaged data.
 */
export async function* inflatePieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new DecompressionStream("deflate");
  const writer = writable.getWriter();
  const feed = async () => {
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; at += FED_BYTES) {
        await writer.ready;
        await writer.write(piece.subarray(at, at + FED_BYTES) as Uint8Array<ArrayBuffer>);
      }
    }
    await writer.close();
  };
  // What goes wrong is told by the reading side.
  feed().catch(() => undefined);
  const reader = (readable as ReadableStream<Uint8Array>).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
