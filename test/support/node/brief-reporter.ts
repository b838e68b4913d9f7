/**
 * The output of `npm test`: a line per project when it ends, failures, and the slowest files. The JSON report has everything else;
 * `npx vitest run <file>` prints each test.
 *
 * A run in which nothing ends any more (docs/decisions/workerd-in-tests.md) is ended with exit code 124, as `timeout` does,
 * and what was running stands in `dist/test-results/stalled.txt`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import {
  MinimalReporter,
  type TestCase,
  type TestModule,
  type TestSpecification,
} from "vitest/node";
import { IS_PROOF } from "../sizes.ts";
import { ProgressWatch } from "./watch-progress.ts";

const SLOWEST = 5;

/** Longer than any test takes: the slowest of `npm test` takes 40 s, of the proof 300 s. */
const STALL_MS = (IS_PROOF ? 15 : 3) * 60_000;
const STALLED = 124;

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
  readonly #progress = new ProgressWatch(STALL_MS, performance.now());
  #watch: NodeJS.Timeout | undefined;

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    super.onTestRunStart(specifications);
    this.#watch = setInterval(() => {
      this.#endIfStalled();
    }, 5000);
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
    this.#progress.fileBegins(module.relativeModuleId, performance.now());
    const tally = this.#tallies.get(module.project.name);
    if (tally !== undefined) {
      tally.beganMs ??= performance.now();
    }
  }

  override onTestCaseReady(test: TestCase): void {
    super.onTestCaseReady(test);
    this.#progress.testBegins(test.module.relativeModuleId, test.fullName, performance.now());
  }

  override onTestCaseResult(test: TestCase): void {
    super.onTestCaseResult(test);
    this.#progress.testEnds(test.module.relativeModuleId, performance.now());
  }

  override onTestModuleEnd(module: TestModule): void {
    this.#progress.fileEnds(module.relativeModuleId, performance.now());
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
    clearInterval(this.#watch);
    const slowest = args[0]
      .map((module) => ({ name: module.relativeModuleId, ms: module.diagnostic().duration }))
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, SLOWEST);
    this.log(slowest.map(({ name, ms }) => `${seconds(ms)} ${name}`).join("\n"));
    super.onTestRunEnd(...args);
  }

  #endIfStalled(): void {
    const stall = this.#progress.stall(performance.now());
    if (stall === undefined) {
      return;
    }
    const waiting = [...this.#tallies].filter(([, { left }]) => left > 0).map(([name]) => name);
    const text = [
      `no test has begun or ended for ${stall.seconds} s; projects that have not ended: ${waiting.join(", ")}; running:`,
      ...stall.running,
    ].join("\n  ");
    this.log(text);
    mkdirSync("dist/test-results", { recursive: true });
    writeFileSync("dist/test-results/stalled.txt", `${text}\n`);
    process.exit(STALLED);
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
