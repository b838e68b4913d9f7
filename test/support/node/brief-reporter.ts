/**
 * The output of `npm test`: a line per project, failures, and the slowest files. The JSON report has everything else;
 * `npx vitest run <file>` prints each test.
 */
import { MinimalReporter, type TestModule } from "vitest/node";

const SLOWEST = 5;

interface Tally {
  files: number;
  tests: number;
  failed: number;
  readonly beganMs: number;
}

export default class BriefReporter extends MinimalReporter {
  readonly #tallies = new Map<string, Tally>();
  #current: string | undefined;

  override onTestModuleQueued(module: TestModule): void {
    super.onTestModuleQueued(module);
    const { name } = module.project;
    if (!this.#tallies.has(name)) {
      this.#printCurrent();
      this.#tallies.set(name, { files: 0, tests: 0, failed: 0, beganMs: performance.now() });
      this.#current = name;
    }
  }

  override onTestModuleEnd(module: TestModule): void {
    const tally = this.#tallies.get(module.project.name);
    if (tally !== undefined) {
      tally.files += 1;
      for (const test of module.children.allTests()) {
        tally.tests += 1;
        tally.failed += test.result().state === "failed" ? 1 : 0;
      }
    }
    super.onTestModuleEnd(module);
  }

  override onTestRunEnd(...args: Parameters<MinimalReporter["onTestRunEnd"]>): void {
    this.#printCurrent();
    const slowest = args[0]
      .map((module) => ({ name: module.relativeModuleId, ms: module.diagnostic().duration }))
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, SLOWEST);
    this.log(slowest.map(({ name, ms }) => `${seconds(ms)} ${name}`).join("\n"));
    super.onTestRunEnd(...args);
  }

  /** Projects run one after another: when the next begins, the one before is over. */
  #printCurrent(): void {
    const tally = this.#current === undefined ? undefined : this.#tallies.get(this.#current);
    if (tally !== undefined) {
      const failed = tally.failed === 0 ? "" : `, ${tally.failed} of them failed`;
      this.log(
        `${seconds(performance.now() - tally.beganMs)} ${this.#current}: ${tally.tests} tests in ${tally.files} files${failed}`,
      );
    }
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1).padStart(7)} s`;
}
