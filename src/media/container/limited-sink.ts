import type { NodeError } from "../../lib/errors/node-error.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { MediaSink } from "./media-sink.ts";

/** Largest file that a node writes. */
export const OUTPUT_BYTES_MAX = LIMITS.media_output.value;

/** A sink that accepts at most 2 GiB. `append` throws NodeError `FILE_TOO_LARGE` beyond that. */
export class LimitedSink implements MediaSink {
  readonly #sink: MediaSink;
  readonly #refuse: () => NodeError;

  /** `refuse` makes the error: the fix depends on the file. */
  constructor(sink: MediaSink, refuse: () => NodeError) {
    this.#sink = sink;
    this.#refuse = refuse;
  }

  get sizeBytes(): number {
    return this.#sink.sizeBytes;
  }

  async append(bytes: Uint8Array): Promise<void> {
    if (this.#sink.sizeBytes + bytes.byteLength > OUTPUT_BYTES_MAX) {
      throw this.#refuse();
    }
    await this.#sink.append(bytes);
  }

  patch(position: number, bytes: Uint8Array): void {
    this.#sink.patch(position, bytes);
  }
}
