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

  /** The next piece, which belongs to the caller; undefined at the end of the body. */
  async read(): Promise<Uint8Array | undefined> {
    if (this.#filling === undefined) {
      return (await this.#plain?.read())?.value;
    }
    const buffer = this.#buffer.length === 0 ? new Uint8Array(this.#size) : this.#buffer;
    const { value, done } = await this.#filling.read(buffer);
    if (done || value === undefined) {
      return undefined;
    }
    if (value.length === this.#size) {
      this.#size = Math.min(BUFFER_MAX, this.#size * 4);
      this.#buffer = new Uint8Array(0);
      return value;
    }
    // A copy, so that a short piece holds no more memory than its bytes; the buffer is read into again.
    this.#buffer = new Uint8Array(value.buffer, 0, this.#size);
    return value.slice();
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
