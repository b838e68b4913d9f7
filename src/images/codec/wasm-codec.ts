import { isolateMemory, type KeptMemory } from "../../lib/memory-budget.ts";

/** A running codec: what it exports, and its memory. */
export interface RunningCodec<E> {
  readonly exports: E;
  readonly memory: WebAssembly.Memory;
}

/**
 * Memory of a wasm never shrinks, so an instance that has grown beyond this is given up after use: a
 * little more than a small drawing takes.
 */
export const KEEP_BYTES_MAX = 20 * 1024 * 1024;

/**
 * One codec of an isolate: started by the first call that needs it, given up when it trapped (its
 * memory may be in any state then) or has grown large, and started anew by the next call.
 */
export class WasmCodec<E> {
  readonly #start: () => Promise<RunningCodec<E>>;
  #running: Promise<RunningCodec<E>> | undefined;
  /** Between two uses it is kept as long as nobody needs its room; in use whoever uses it has taken that. */
  #kept: KeptMemory | undefined;

  constructor(start: () => Promise<RunningCodec<E>>) {
    this.#start = start;
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
