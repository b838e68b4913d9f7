import { isolateMemory, type KeptMemory } from "../../lib/memory/memory-budget.ts";

/** A running codec: its exports and its memory. */
export interface RunningCodec<E> {
  readonly exports: E;
  readonly memory: WebAssembly.Memory;
}

/**
 * The memory of a wasm instance never shrinks, so an instance that has grown beyond this is dropped
 * after use: slightly more than a small drawing needs.
 */
export const KEEP_BYTES_MAX = 20 * 1024 * 1024;

/**
 * One codec of an isolate: started by the first call that needs it, dropped when it trapped (its
 * memory may then be in any state) or has grown large, and started again by the next call.
 */
export class WasmCodec<E> {
  readonly #start: () => Promise<RunningCodec<E>>;
  #running: Promise<RunningCodec<E>> | undefined;
  /**
   * Between two uses it is kept until its room is needed; during a use, its memory has been taken
   * by the user of the codec.
   */
  #kept: KeptMemory | undefined;

  constructor(start: () => Promise<RunningCodec<E>>) {
    this.#start = start;
  }

  /**
   * Runs `work` with the codec, synchronously, so that nothing else uses it at the same time.
   * Throws the error of `work`.
   */
  async use<T>(work: (codec: RunningCodec<E>) => T): Promise<T> {
    for (;;) {
      const started = (this.#running ??= this.#start());
      const codec = await started.catch((error: unknown) => {
        this.#giveUp(started);
        throw error;
      });
      // Another call may have dropped it during the await.
      if (this.#running !== started) {
        continue;
      }
      let isWhole = false;
      try {
        const result = work(codec);
        isWhole = codec.memory.buffer.byteLength <= KEEP_BYTES_MAX;
        return result;
      } finally {
        if (isWhole) {
          this.#keep(codec.memory.buffer.byteLength);
        } else {
          this.#giveUp(started);
        }
      }
    }
  }

  #keep(bytes: number): void {
    this.#kept ??= isolateMemory.keep(0, () => {
      this.#running = undefined;
    });
    this.#kept.resize(bytes);
  }

  #giveUp(started: Promise<RunningCodec<E>>): void {
    if (this.#running === started) {
      this.#running = undefined;
      this.#kept?.resize(0);
    }
  }
}
