/**
 * The output of `npm test`: a line per project when it ends, failures, and the slowest files. The JSON report has everything else;
 * `npx vitest run <file>` prints each test.
 */
import { MinimalReporter, type TestModule, type TestSpecification } from "vitest/node";

const SLOWEST = 5;

interface Tally {
  /** Its files that have not ended. */
  left: number;
  files: number;
  tests: number;
  failed: number;
  beganMs: number | undefined;
}

export default class BriefReporter extends MinimalReporter {
  readonly #tallies = new Map<string, Tally>();

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    super.onTestRunStart(specifications);
    for (const { project } of specifications) {
      const tally = this.#tallies.get(project.name);
      if (tally === undefined) {
        const nothing = { files: 0, tests: 0, failed: 0, beganMs: undefined };
        this.#tallies.set(project.name, { left: 1, ...nothing });
      } else {
        tally.left += 1;
      }
    }
  }

  override onTestModuleQueued(module: TestModule): void {
    super.onTestModuleQueued(module);
    const tally = this.#tallies.get(module.project.name);
    if (tally !== undefined) {
      tally.beganMs ??= performance.now();
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
      tally.left -= 1;
      if (tally.left === 0) {
        this.#print(module.project.name, tally);
      }
    }
    super.onTestModuleEnd(module);
  }

  override onTestRunEnd(...args: Parameters<MinimalReporter["onTestRunEnd"]>): void {
    const slowest = args[0]
      .map((module) => ({ name: module.relativeModuleId, ms: module.diagnostic().duration }))
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, SLOWEST);
    this.log(slowest.map(({ name, ms }) => `${seconds(ms)} ${name}`).join("\n"));
    super.onTestRunEnd(...args);
  }

  #print(name: string, { files, tests, failed, beganMs }: Tally): void {
    const faults = failed === 0 ? "" : `, ${failed} of them failed`;
    const tookMs = performance.now() - (beganMs ?? performance.now());
    this.log(`${seconds(tookMs)} ${name}: ${tests} tests in ${files} files${faults}`);
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1).padStart(7)} s`;
}
