/** A node that ignores its signal still counts towards memory for this long after its task's end. */
const DEAF_MAX_MS = 30_000;

/** The work of one task, which may continue after its outcome: an abort ends the task but not necessarily the node. */
export class RunningWork {
  readonly #onEnd: () => void;
  #isWorking = false;
  #isLeft = false;
  #isOver = false;

  /** `onEnd` is called once, when the task has ended and no work continues. */
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

  /** The task has ended. */
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
