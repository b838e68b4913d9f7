/** Frames after which other work of the thread has its turn: at most a tenth of a second of the slowest node. */
const FRAMES_OF_TURN = 48_000;

/**
 * Gives the thread back again and again while sound is computed. Between two ranges of a file can lie minutes of sound, in
 * which neither a cancel nor a heartbeat of any task would arrive.
 */
export class WorkTurns {
  readonly #signal: AbortSignal;
  readonly #giveTurn: () => Promise<void>;
  #frames = 0;

  constructor(signal: AbortSignal, giveTurn = () => scheduler.wait(0)) {
    this.#signal = signal;
    this.#giveTurn = giveTurn;
  }

  /** Counts frames that were computed. Rejects with the reason once the task is aborted. */
  async add(frames: number): Promise<void> {
    this.#frames += frames;
    if (this.#frames >= FRAMES_OF_TURN) {
      this.#frames = 0;
      await this.#giveTurn();
    }
    this.#signal.throwIfAborted();
  }
}
