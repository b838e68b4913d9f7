/** What will happen in a world, by its time. */
export interface Happening {
  readonly atMs: number;
  readonly act: () => void;
}

export class HappeningQueue {
  readonly #all: Happening[] = [];

  push(happening: Happening): void {
    this.#all.push(happening);
  }

  /** The next; stays in the queue. */
  get first(): Happening | undefined {
    return this.#all[this.#firstAt];
  }

  /** Removes the next and returns it. */
  take(): Happening | undefined {
    const at = this.#firstAt;
    const first = this.#all[at];
    const last = this.#all.pop();
    if (last !== undefined && last !== first) {
      this.#all[at] = last;
    }
    return first;
  }

  get #firstAt(): number {
    let at = 0;
    for (let index = 1; index < this.#all.length; index++) {
      at = this.#all[index]!.atMs < this.#all[at]!.atMs ? index : at;
    }
    return at;
  }
}
