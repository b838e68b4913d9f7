const WIDTH = 28;
const COUNTS = /^(.*): (\d+) of (\d+)/;

/** A line that is redrawn in place on a terminal, and printed from time to time otherwise. */
export class ProgressBar {
  readonly #stream: NodeJS.WriteStream;
  readonly #startedAt = performance.now();
  /** Settled items of each node seen so far, by its label. */
  readonly #settled = new Map<string, number>();
  #last: { label: string; total: number } | undefined;
  #printed = 0;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  /** `percent` of 100, and the run's message, whose counts determine the rate. */
  show(percent: number, message: string): void {
    const elapsedS = (performance.now() - this.#startedAt) / 1000;
    this.#count(message);
    const items = [...this.#settled.values()].reduce((sum, value) => sum + value, 0);
    const rate = Math.round(items / Math.max(elapsedS, 0.001));
    const filled = Math.round((percent / 100) * WIDTH);
    const bar = "█".repeat(filled) + "░".repeat(WIDTH - filled);
    // Uploads and archives have a percentage and no items.
    const counts =
      this.#settled.size === 0 ? "" : `${group(items)} items, ${group(rate)} a second  `;
    const line = `  ${bar} ${String(percent).padStart(3)} %  ${counts}${elapsedS.toFixed(1)} s  ${message}`;
    if (this.#stream.isTTY) {
      this.#stream.write(`\r\u001b[2K${line.slice(0, (this.#stream.columns ?? 120) - 1)}`);
    } else if (percent >= this.#printed + 20 || (percent === 100 && this.#printed < 100)) {
      this.#printed = percent;
      this.#stream.write(`${line}\n`);
    }
  }

  end(): void {
    if (this.#stream.isTTY) {
      this.#stream.write("\n");
    }
  }

  /** When the run has moved on from a node, all its items are settled, even if the last poll showed fewer. */
  #count(message: string): void {
    const [, label, done, total] = COUNTS.exec(message) ?? [];
    if (this.#last !== undefined && label !== this.#last.label) {
      this.#settled.set(this.#last.label, this.#last.total);
    }
    if (label !== undefined) {
      this.#settled.set(label, Number(done));
      this.#last = { label, total: Number(total) };
    }
  }
}

function group(value: number): string {
  return value.toLocaleString("en-US");
}
