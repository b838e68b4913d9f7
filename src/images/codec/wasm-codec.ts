import type { KeptInstance } from "./kept-instance.ts";

/** A running codec: what it exports, its memory, and what it printed of the file at hand. */
export interface RunningCodec<E> {
  readonly exports: E;
  readonly memory: WebAssembly.Memory;
  readonly printed: string[];
}

/**
 * Memory of a wasm never shrinks, so an instance that has grown beyond this is given up after use: a
 * little more than the 16 MiB that most codecs begin with. It holds the pixels that it gave last, too.
 */
const KEEP_BYTES_MAX = 20 * 1024 * 1024;

/**
 * One codec of an isolate: started by the first call that needs it, given up when it trapped (its
 * memory may be in any state then) or has grown large, and started anew by the next call.
 */
export class WasmCodec<E> {
  readonly #start: () => Promise<RunningCodec<E>>;
  readonly #isReused: boolean;
  readonly #kept: KeptInstance | undefined;
  readonly #letGo = (): void => {
    this.#running = undefined;
  };
  #running: Promise<RunningCodec<E>> | undefined;

  /**
   * `isReused` false: an instance sees one file only, for codecs with known faults of memory. Codecs
   * with the same `kept` keep one instance together.
   */
  constructor(start: () => Promise<RunningCodec<E>>, isReused = true, kept?: KeptInstance) {
    this.#start = start;
    this.#isReused = isReused;
    this.#kept = kept;
  }

  /** Works with the codec, at one go: nothing else uses it meanwhile. What `work` throws, it throws. */
  async use<T>(work: (codec: RunningCodec<E>) => T): Promise<T> {
    for (;;) {
      const started = (this.#running ??= this.#start());
      const codec = await started.catch((error: unknown) => {
        this.#giveUp(started);
        throw error;
      });
      // Another call may have given it up while this one waited for it.
      if (this.#running !== started) {
        continue;
      }
      codec.printed.length = 0;
      let isWhole = false;
      try {
        const result = work(codec);
        isWhole = this.#isReused && codec.memory.buffer.byteLength <= KEEP_BYTES_MAX;
        return result;
      } finally {
        if (isWhole) {
          this.#kept?.keep(this.#letGo);
        } else {
          this.#giveUp(started);
        }
      }
    }
  }

  #giveUp(started: Promise<RunningCodec<E>>): void {
    if (this.#running === started) {
      this.#running = undefined;
    }
  }
}
