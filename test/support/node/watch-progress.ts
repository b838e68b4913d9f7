/** Finds a run of tests that makes no progress: beyond each test's own time limit, nothing else would end it. */

/** How long no test has ended, and what was running. */
export interface Stall {
  readonly seconds: number;
  /** Names of the test files that have begun and not ended, each with its test that has begun and not ended. */
  readonly running: readonly string[];
}

/** Follows the files and tests of one run. Times are in milliseconds of any one clock. */
export class ProgressWatch {
  readonly #limitMs: number;
  readonly #running = new Map<string, string | undefined>();
  #lastMs: number;

  /** @param limitMs longer than any test takes */
  constructor(limitMs: number, nowMs: number) {
    this.#limitMs = limitMs;
    this.#lastMs = nowMs;
  }

  fileBegins(file: string, nowMs: number): void {
    this.#running.set(file, undefined);
    this.#lastMs = nowMs;
  }

  testBegins(file: string, test: string, nowMs: number): void {
    this.#running.set(file, test);
    this.#lastMs = nowMs;
  }

  testEnds(file: string, nowMs: number): void {
    this.#running.set(file, undefined);
    this.#lastMs = nowMs;
  }

  fileEnds(file: string, nowMs: number): void {
    this.#running.delete(file);
    this.#lastMs = nowMs;
  }

  /** Returns what is running if nothing has begun or ended for longer than the limit; otherwise undefined. */
  stall(nowMs: number): Stall | undefined {
    const silentMs = nowMs - this.#lastMs;
    if (silentMs <= this.#limitMs) {
      return undefined;
    }
    const running = [...this.#running].map(([file, test]) =>
      test === undefined ? `${file} (between tests)` : `${file}: ${test}`,
    );
    return { seconds: Math.round(silentMs / 1000), running };
  }
}
