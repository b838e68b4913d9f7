/** Decides when each of many starts may begin. */
export class StartTurns {
  readonly #atOnce: number;
  readonly #pause: (() => Promise<void>) | undefined;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  /** Starts that may still begin before the next pause. */
  #left: number;

  /**
   * With a pause, `atOnce` starts begin together, and the next ones when all of them have returned and the pause is over. Without one,
   * the next start begins as soon as one has returned.
   */
  constructor(atOnce: number, pause?: () => Promise<void>) {
    this.#atOnce = atOnce;
    this.#pause = pause;
    this.#left = atOnce;
  }

  /** The result of a start that never throws. */
  async take<T>(start: () => Promise<T>): Promise<T> {
    if (this.#left === 0) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    } else {
      this.#left -= 1;
    }
    this.#running += 1;
    const result = await start();
    this.#running -= 1;
    if (this.#pause === undefined) {
      this.#left += 1;
      this.#release();
    } else if (this.#running === 0) {
      this.#left = 0;
      void this.#pause().then(() => {
        this.#left = this.#atOnce;
        this.#release();
      });
    }
    return result;
  }

  #release(): void {
    for (; this.#left > 0;) {
      const next = this.#waiting.shift();
      if (next === undefined) {
        return;
      }
      this.#left -= 1;
      next();
    }
  }
}
