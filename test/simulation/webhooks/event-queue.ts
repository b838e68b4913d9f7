/** What will happen in a world of webhooks: by time, and in the order in which it was added. */
export interface WorldEvent {
  readonly atMs: number;
  readonly order: number;
  /** For a person who prints a world. */
  readonly what: string;
  readonly act: () => void;
}

export class EventQueue {
  readonly #all: WorldEvent[] = [];
  #order = 0;

  push(atMs: number, what: string, act: () => void): void {
    this.#all.push({ atMs, order: this.#order++, what, act });
  }

  /** Removes the next and returns it. */
  take(): WorldEvent | undefined {
    let next = 0;
    for (let i = 1; i < this.#all.length; i++) {
      const [a, b] = [this.#all[i]!, this.#all[next]!];
      if (a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)) {
        next = i;
      }
    }
    return this.#all.splice(next, 1)[0];
  }
}
