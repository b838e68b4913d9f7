/** A bit for each run of a chunk. Pure. */
import { CHUNK_RUNS, type SeqRange } from "./run-columns.ts";

const WORD_BITS = 32;

export class RunMask {
  /** Number of the chunk. */
  readonly n: number;
  readonly #words: Uint32Array;

  /** Empty, or from `stored`. */
  constructor(n: number, stored?: ArrayBuffer) {
    this.n = n;
    this.#words =
      stored === undefined ? new Uint32Array(CHUNK_RUNS / WORD_BITS) : new Uint32Array(stored);
  }

  static of(n: number, seqs: readonly number[]): RunMask {
    const mask = new RunMask(n);
    for (const seq of seqs) {
      mask.add(seq);
    }
    return mask;
  }

  get size(): number {
    let size = 0;
    this.eachDown({ low: 1, high: Infinity }, () => {
      size++;
    });
    return size;
  }

  /** The run must be in the chunk. */
  add(seq: number): void {
    const at = seq - 1 - this.n * CHUNK_RUNS;
    const word = Math.floor(at / WORD_BITS);
    this.#words[word] = (this.#words[word] ?? 0) | (1 << (at % WORD_BITS));
  }

  /** Keeps only runs that the other mask of the same chunk has too. */
  intersect(other: RunMask): void {
    for (let at = 0; at < this.#words.length; at++) {
      this.#words[at] = (this.#words[at] ?? 0) & (other.#words[at] ?? 0);
    }
  }

  /** Calls `take` for each run of the range, newest first. */
  eachDown({ low, high }: SeqRange, take: (seq: number) => void): void {
    const first = this.n * CHUNK_RUNS + 1;
    for (let at = this.#words.length - 1; at >= 0; at--) {
      let word = this.#words[at] ?? 0;
      while (word !== 0) {
        const bit = WORD_BITS - 1 - Math.clz32(word);
        word ^= 1 << bit;
        const seq = first + at * WORD_BITS + bit;
        if (seq >= low && seq <= high) {
          take(seq);
        }
      }
    }
  }

  stored(): ArrayBuffer {
    return this.#words.slice().buffer;
  }
}
