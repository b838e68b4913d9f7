import type { Logger } from "../../src/platform/logger.ts";

type Line = Record<string, unknown>;

/**
 * The lines of log that say how a run moves. A run that ends within its start leaves them out: its
 * last line says it all, and small runs are the many.
 */
export class ChangeLines {
  readonly #log: Logger;
  #held: Line[] | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  add(line: Line): void {
    if (this.#held === undefined) {
      this.#log.info("run.changed", line);
    } else {
      this.#held.push(line);
    }
  }

  hold(): void {
    this.#held ??= [];
  }

  release(isEnded: boolean): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    if (!isEnded) {
      for (const line of held) {
        this.add(line);
      }
    }
  }
}
