/** The runtime hands on this many bytes at a time to readers that bring no buffer. */
const BUFFER_FIRST = 4 * 1024;
const BUFFER_MAX = 64 * 1024;

/**
 * Reads a body in pieces as large as what has arrived: a long one in few pieces, each of which costs several turns of the event
 * loop, and one that trickles at once. Its buffer has 4 KiB, and up to 64 KiB once pieces fill it.
 */
export class PieceReader {
  readonly #filling: ReadableStreamBYOBReader | undefined;
  readonly #plain: ReadableStreamDefaultReader<Uint8Array> | undefined;
  /** What the next piece is read into. */
  #buffer = new Uint8Array(0);
  #size = BUFFER_FIRST;

  constructor(body: ReadableStream<Uint8Array>) {
    this.#filling = fillingReader(body);
    this.#plain = this.#filling === undefined ? body.getReader() : undefined;
  }

  /**
   * The next piece; undefined at the end of the body. It belongs to the caller, or with `isBorrowed` is valid until the next
   * read, which saves a buffer or a copy for each piece.
   */
  async read(isBorrowed = false): Promise<Uint8Array | undefined> {
    if (this.#filling === undefined) {
      return (await this.#plain?.read())?.value;
    }
    const buffer = this.#buffer.length === 0 ? new Uint8Array(this.#size) : this.#buffer;
    const { value, done } = await this.#filling.read(buffer);
    if (done || value === undefined) {
      return undefined;
    }
    const isFull = value.length === this.#size;
    if (isFull) {
      this.#size = Math.min(BUFFER_MAX, this.#size * 4);
    }
    // The buffer is read into again, unless it is the caller's or has become too small.
    const isKept = value.buffer.byteLength === this.#size && (isBorrowed || !isFull);
    this.#buffer = isKept ? new Uint8Array(value.buffer) : new Uint8Array(0);
    // A copy holds no more memory than the bytes of a short piece.
    return isBorrowed || isFull ? value : value.slice();
  }

  async cancel(): Promise<void> {
    await (this.#filling ?? this.#plain)?.cancel();
  }
}

/** Undefined for a stream that takes no buffer of its reader, as those of tests. */
function fillingReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return body.getReader({ mode: "byob" });
  } catch (error) {
    if (error instanceof TypeError) {
      return undefined;
    }
    throw error;
  }
}
