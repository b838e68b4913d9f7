/** Consecutive files in one stream, separated by their sizes. */
export class FileRun {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /**
   * The next file's bytes. Throws the error of `onEnd` if the stream ends before they have arrived.
   */
  async *take(sizeBytes: number, onEnd: () => Error): AsyncGenerator<Uint8Array> {
    for (let left = sizeBytes; left > 0;) {
      if (this.#rest.byteLength === 0) {
        const { done, value } = await this.#reader.read();
        if (done) {
          throw onEnd();
        }
        this.#rest = value;
      }
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.byteLength);
      left -= piece.byteLength;
      yield piece;
    }
  }

  /** Closes the stream; the rest is not needed. */
  async close(): Promise<void> {
    await this.#reader.cancel().catch(() => undefined);
  }
}
