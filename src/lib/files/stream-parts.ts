/** Reads a stream of several files, one after the other without separators, whose lengths are known. */
export class StreamParts {
  readonly #pieces: AsyncIterator<Uint8Array> | undefined;
  #rest: Uint8Array = new Uint8Array();

  /** Null has no bytes. */
  constructor(stream: ReadableStream<Uint8Array> | null) {
    this.#pieces = stream === null ? undefined : stream[Symbol.asyncIterator]();
  }

  /** Yields the next bytes, so many. Throws if the stream ends before. */
  async *take(length: number): AsyncGenerator<Uint8Array, undefined> {
    for (let left = length; left > 0;) {
      if (this.#rest.byteLength === 0) {
        const next = await this.#pieces?.next();
        if (next === undefined || next.done === true) {
          throw new Error("The stream ended early.");
        }
        this.#rest = next.value;
      }
      const taken = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(taken.byteLength);
      left -= taken.byteLength;
      yield taken;
    }
  }

  /** Ends the stream; what was not read is lost. */
  async cancel(): Promise<void> {
    await this.#pieces?.return?.();
  }
}
