/**
 * Counts the rows and operations of runs over their whole life, statement by statement, in a service with counters in
 * its bundles. Rows and operations only, never times.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { publish } from "../../scripts/provision.ts";
import { readResult, submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import { type BenchWorkflow, chain, codeChecks, codes, vectorCodes } from "../bench-workflows.ts";
import type { CountingService } from "../counting-service.ts";
import type { Counts } from "./operations.ts";
import type { RowCount } from "./row-counts.ts";

const DAY_MS = 86_400_000;
/** Longer than the plan's retention (60 days), the daily pass and the life of idempotency keys. */
const EXPIRY_MS = 63 * DAY_MS;
const BURST_RUNS = 50;
const QUIET_RUNS = 8;
const QUIET_EVERY_MS = 6_000;
const TASKS = 1_000;

/** What to count: runs of ten steps; fan-outs reported by 16, alone, and with small files; fan-outs that store files in R2. */
export type CountedLives = "steps" | "by 16" | "alone" | "small files" | "files";
const ALL: readonly CountedLives[] = ["steps", "by 16", "alone", "small files", "files"];

/** `print` receives the rows of each statement, line by line. */
export async function countRows(
  service: CountingService,
  lives: readonly CountedLives[] = ALL,
  print?: (line: string) => void,
): Promise<RowCount[]> {
  const count = new RowCounter(service, print);
  if (lives.includes("steps")) {
    await count.steps();
  }
  if (lives.includes("by 16")) {
    await count.fanOut("a task of a fan-out, reported by 16", codeChecks(TASKS), 16);
  }
  if (lives.includes("alone")) {
    await count.fanOut("a task of a fan-out, reported alone", codeChecks(TASKS), 1);
  }
  if (lives.includes("small files")) {
    await count.fanOut("a task that makes a file of 0.2 KiB", codes(TASKS), 0);
  }
  if (lives.includes("files")) {
    await count.fanOut("a task that makes a file of 20 KiB", vectorCodes(TASKS), 0);
  }
  return count.rows;
}

class RowCounter {
  readonly rows: RowCount[] = [];
  readonly #service: CountingService;
  readonly #print: ((line: string) => void) | undefined;

  constructor(service: CountingService, print: ((line: string) => void) | undefined) {
    this.#service = service;
    this.#print = print;
  }

  async steps(): Promise<void> {
    const id = await this.#published(chain(10));
    const keyed = await this.#counting(async () => {
      const runs: string[] = [];
      for (let run = 0; run < BURST_RUNS; run++) {
        runs.push(await submitRun(this.#service.client, { workflow: id }, randomUUID()));
      }
      return runs;
    });
    this.#note("ten steps with a key, in a burst", keyed.counted, BURST_RUNS);
    const read = await this.#counting(() => this.#readAll(keyed.value));
    this.#note("its result, read once", read.counted, BURST_RUNS);
    const bare = await this.#counting(async () => {
      for (let run = 0; run < BURST_RUNS; run++) {
        await submitRun(this.#service.client, { workflow: id });
      }
    });
    this.#note("ten steps without a key, in a burst", bare.counted, BURST_RUNS);
    const quiet = await this.#counting(async () => {
      for (let run = 0; run < QUIET_RUNS; run++) {
        await submitRun(this.#service.client, { workflow: id }, randomUUID());
        await new Promise((resolve) => setTimeout(resolve, QUIET_EVERY_MS));
      }
    });
    this.#note("ten steps with a key, one each 6 s", quiet.counted, QUIET_RUNS);
    const expired = await this.#counting(() => this.#expire());
    // The first run of the workspace, which is not counted otherwise, expires with them.
    this.#note("the expiry of one of these", expired.counted, 1 + 2 * BURST_RUNS + QUIET_RUNS);
  }

  async fanOut(name: string, workflow: BenchWorkflow, by: number): Promise<void> {
    const id = await this.#published(workflow);
    await this.#service.reportBy(by);
    const run = await this.#counting(async () => [
      await submitRun(this.#service.client, { workflow: id }),
    ]);
    await this.#service.reportBy(0);
    this.#note(name, run.counted, TASKS);
    const read = await this.#counting(() => this.#readAll(run.value));
    this.#note(`${name}: its element of the result, read once`, read.counted, TASKS);
    const expired = await this.#counting(() => this.#expire());
    // The first run of the workflow expires with it.
    this.#note(`${name}: its expiry`, expired.counted, 2 * TASKS);
  }

  /** Run once before, to exclude the extra cost of a workspace's first run. */
  async #published(workflow: BenchWorkflow): Promise<string> {
    const id = await publish(this.#service.client, workflow);
    await waitForRun(
      this.#service.client,
      await submitRun(this.#service.client, { workflow: id }),
      {
        timeoutMs: 120_000,
      },
    );
    return id;
  }

  async #readAll(runs: readonly string[]): Promise<void> {
    for (const run of runs) {
      assert.equal((await readResult(this.#service.client, run)).status, "completed", run);
    }
  }

  /**
   * Moves the clock forward until the retention of every run has ended, and wakes the workspace until it has deleted
   * them.
   */
  async #expire(): Promise<void> {
    await this.#service.forward(EXPIRY_MS);
    for (let before = -1; ;) {
      await this.#service.command("edgeloom", "/__expire");
      const counted = await this.#service.counts();
      const expired = counted.reduce(
        (sum, { objects }) => sum + (objects["RunObject"]?.requests["expireOutputs"] ?? 0),
        0,
      );
      if (expired === before) {
        return;
      }
      before = expired;
    }
  }

  async #counting<T>(work: () => Promise<T>) {
    await this.#service.settled();
    await this.#service.reset();
    const value = await work();
    await this.#service.settled();
    return { value, counted: await this.#service.counts() };
  }

  #note(name: string, counted: readonly Counts[], of: number): void {
    const objects = counted.flatMap((counts) => Object.entries(counts.objects));
    const written = (names: (name: string) => boolean) =>
      objects
        .filter(([object]) => names(object))
        .reduce((sum, [, { rowsWritten, alarmsSet }]) => sum + rowsWritten + alarmsSet, 0);
    const sum = (count: (counts: Counts) => number) =>
      counted.reduce((total, counts) => total + count(counts), 0);
    const figures = {
      "rows written": written(() => true),
      "of these the run object's": written((object) => object === "RunObject"),
      "the workspace object's": written((object) => object === "WorkspaceObject"),
      "rows read": objects.reduce((total, [, { rowsRead }]) => total + rowsRead, 0),
      "D1 rows written": sum(({ d1 }) => d1.rowsWritten),
      "queue messages": sum(({ queueMessages }) => queueMessages.reduce((a, b) => a + b, 0)),
      "R2 puts": sum(({ r2 }) => r2["put"] ?? 0),
      "R2 lists": sum(({ r2 }) => r2["list"] ?? 0),
      "R2 gets": sum(({ r2 }) => (r2["get"] ?? 0) + (r2["head"] ?? 0)),
    };
    this.rows.push({
      name,
      figures: Object.fromEntries(
        Object.entries(figures).map(([figure, count]) => [figure, Number((count / of).toFixed(2))]),
      ),
    });
    if (this.#print !== undefined) {
      this.#printStatements(name, objects, of);
    }
  }

  #printStatements(
    name: string,
    objects: readonly (readonly [string, Counts["objects"][string]])[],
    of: number,
  ): void {
    this.#print?.(`\n## ${name}`);
    for (const [object, { statements: each, alarmsSet }] of objects) {
      this.#print?.(`${object}: alarms ${(alarmsSet / of).toFixed(2)}`);
      const sorted = Object.entries(each).toSorted(([, a], [, b]) => b.written - a.written);
      for (const [statement, { runs, read, written }] of sorted.slice(0, 14)) {
        const figures = [runs, read, written].map((count) => (count / of).toFixed(2).padStart(7));
        this.#print?.(`${figures.join(" ")}  ${statement.slice(0, 90)}`);
      }
    }
  }
}
