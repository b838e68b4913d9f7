const MB = 1024 * 1024;
/** Of all pictures that are read ahead of the one that is first in order. */
export const AHEAD_BYTES_MAX = 4 * MB;

/**
 * Lets several pictures of a render be read at the same time within little memory: the first in order may hold any
 * number of bytes, those behind it share a few and wait for more until they are first.
 */
export class ReadAhead {
  readonly #held = new Map<number, number>();
  readonly #waiting: (() => void)[] = [];
  #first = 0;

  /** Resolves when the picture at this place in the order may hold so many bytes more. */
  async take(place: number, bytes: number): Promise<void> {
    while (place > this.#first && this.#aheadBytes() + bytes > AHEAD_BYTES_MAX) {
      await new Promise<void>((wake) => {
        this.#waiting.push(wake);
      });
    }
    this.#held.set(place, (this.#held.get(place) ?? 0) + bytes);
  }

  /** The first picture has been used; the next one is first. */
  next(): void {
    this.#held.delete(this.#first);
    this.#first++;
    for (const wake of this.#waiting.splice(0)) {
      wake();
    }
  }

  #aheadBytes(): number {
    let bytes = 0;
    for (const [place, held] of this.#held) {
      bytes += place > this.#first ? held : 0;
    }
    return bytes;
  }
}
