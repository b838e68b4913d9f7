const WIDTH = 32;
const COUNTS = /(\d[\d,]*)\s*(?:of|\/)\s*(\d[\d,]*)/;

/** A line that is drawn over itself on a terminal, and printed now and then where there is none. */
export class ProgressBar {
  readonly #stream: NodeJS.WriteStream;
  readonly #startedAt = performance.now();
  #printed = -1;
  #counts = "";

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  /** `percent` of 100, and the run's own message, whose counts give the rate. */
  show(percent: number, message: string): void {
    const elapsedS = (performance.now() - this.#startedAt) / 1000;
    const found = COUNTS.exec(message);
    if (found !== null) {
      const done = Number((found[1] ?? "0").replaceAll(",", ""));
      const rate = Math.round(done / Math.max(elapsedS, 0.001));
      this.#counts = `${found[1]} of ${found[2]} items  ${rate.toLocaleString("en-US")} items/s`;
    }
    const filled = Math.round((percent / 100) * WIDTH);
    const bar = "█".repeat(filled) + "░".repeat(WIDTH - filled);
    const line = `  ${bar} ${String(percent).padStart(3)} %  ${this.#counts || message}  ${elapsedS.toFixed(1)} s`;
    if (this.#stream.isTTY) {
      this.#stream.write(`\r\u001b[2K${line.slice(0, (this.#stream.columns ?? 120) - 1)}`);
    } else if (percent >= this.#printed + 20 || (percent === 100 && this.#printed < 100)) {
      this.#printed = percent;
      this.#stream.write(`${line}\n`);
    }
  }

  end(): void {
    this.#stream.write("\n");
  }
}
