/** Something that callers wait for, each for as long as it wants. */
export class Signal {
  readonly #waiting = new Set<() => void>();

  /** Resolves when it fires, and after `ms` in any case. */
  async within(ms: number): Promise<void> {
    let wake: (() => void) | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      await new Promise<void>((resolve) => {
        wake = resolve;
        this.#waiting.add(resolve);
        timer = setTimeout(resolve, ms);
      });
    } finally {
      clearTimeout(timer);
      if (wake !== undefined) {
        this.#waiting.delete(wake);
      }
    }
  }

  fire(): void {
    for (const wake of this.#waiting) {
      wake();
    }
    this.#waiting.clear();
  }
}
