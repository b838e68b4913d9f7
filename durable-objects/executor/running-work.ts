/** A node that does not heed its signal has its memory counted for so long after its task's end, and no longer. */
const DEAF_MAX_MS = 30_000;

/** What one task does, which may go on when its outcome is told: an abort ends the task and not the node. */
export class RunningWork {
  readonly #onEnd: () => void;
  #isWorking = false;
  #isLeft = false;
  #isOver = false;

  /** `onEnd` is called once, when the task was left and nothing is at work any more. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  track<T>(working: Promise<T>): Promise<T> {
    this.#isWorking = true;
    const settle = () => {
      this.#isWorking = false;
      this.#endIfLeft();
    };
    working.then(settle, settle);
    return working;
  }

  /** The task is over. */
  leave(): void {
    this.#isLeft = true;
    this.#endIfLeft();
    if (!this.#isOver) {
      setTimeout(() => {
        this.#isWorking = false;
        this.#endIfLeft();
      }, DEAF_MAX_MS);
    }
  }

  #endIfLeft(): void {
    if (this.#isLeft && !this.#isWorking && !this.#isOver) {
      this.#isOver = true;
      this.#onEnd();
    }
  }
}
