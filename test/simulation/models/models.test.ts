/**
 * Whole runs whose tasks ask models of providers that lose answers, answer late and answer twice
 * (docs/contract/models.md#calls, #jobs, #concurrency): each run ends, is charged once for what it has, asks for each call
 * twice at most, and only after a lost answer or worker; its trace counts that, and its jobs and places end with it.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { sizeOf } from "../../support/sizes.ts";
import { type BuiltSimulation, buildMutated } from "../mutated-simulation.ts";
import type { Mutation } from "../mutations.ts";

const SEEDS = sizeOf("modelRuns");
/** Of each fault, from its first seed on; the seeds, and so the one that finds it, are the same on every machine. */
const FAULT_SEEDS = 100;

/** What must have happened in some of the worlds; the rest is rarer. */
const HAPPENS = ["refused", "lost answer", "lost worker", "lost visit", "failed poll"];

describe("runs whose providers lie", () => {
  let built: BuiltSimulation;
  beforeAll(async () => {
    built = await buildMutated(undefined);
  });

  test(`${SEEDS} end, with each call paid for once`, async () => {
    const seen = new Set<string>();
    let [calls, doubles, charged] = [0, 0, 0];
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one world after the other
      const verdict = await built.simulateModelsSeed(seed);
      expect({ seed, problem: verdict.problem }).toEqual({ seed, problem: undefined });
      [verdict.status, ...verdict.seen].forEach((what) => seen.add(what));
      calls += verdict.calls;
      doubles += verdict.doubles;
      charged += verdict.charged > 0 ? 1 : 0;
    }
    // Quiet worlds would prove little.
    expect([...HAPPENS, "completed", "cancelled"].filter((what) => !seen.has(what))).toEqual([]);
    expect(calls).toBeGreaterThan(SEEDS * 2);
    expect(Math.min(doubles, charged)).toBeGreaterThan(SEEDS / 4);
  }, 300_000);

  test("are the same for the same seed", async () => {
    for (const seed of [1, 3]) {
      // oxlint-disable-next-line no-await-in-loop -- one world after the other
      const once = await built.simulateModelsSeed(seed);
      // oxlint-disable-next-line no-await-in-loop -- one world after the other
      expect(await built.simulateModelsSeed(seed)).toEqual(once);
    }
  }, 300_000);
});

const JOBS = "src/workers/runner/model-jobs.ts";
const KEPT = "src/workers/runner/kept-calls.ts";
const FAULTS: readonly (Mutation & { readonly how: RegExp })[] = [
  {
    name: "a lost worker is forgotten while its call waits for a turn",
    file: KEPT,
    from: "const lease = this.#task.lease - (this.#isWorkerLost ? 1 : 0);",
    to: "const lease = this.#task.lease;",
    firstSeed: 85,
    how: /was carried out 3 times|were carried out twice/,
  },
  {
    name: "a job is forgotten when its gate is not reached",
    file: "src/workers/runner/model-gate.ts",
    from: "return await gate.renew({ ...as(holder), ...renewal }).catch(() => 0);",
    to: "return await reached(gate.renew({ ...as(holder), ...renewal }));",
    firstSeed: 70,
    how: /was carried out \d times|were carried out twice/,
  },
  {
    name: "a task that is given back cancels its jobs",
    file: "src/nodes/define-models.ts",
    from: "if (!isOffered && !(error instanceof TaskGivenBack)) {",
    to: "if (!isOffered) {",
    firstSeed: 200,
    how: /a job was cancelled, and its run went on/,
  },
  {
    name: "an element is charged twice",
    file: "durable-objects/executor/current-call.ts",
    from: "milli_credits: milliCredits,",
    to: "milli_credits: 2 * milliCredits,",
    how: /and is charged/,
  },
  {
    name: "the trace counts no repeats",
    file: "durable-objects/run/tasks/model-calls.ts",
    from: "unconfirmed_repeats: before.unconfirmed_repeats + one.unconfirmed_repeats,",
    to: "unconfirmed_repeats: before.unconfirmed_repeats,",
    how: /were carried out twice/,
  },
  {
    name: "a job that is done keeps its place",
    file: JOBS,
    from: "        gate?.leave(holderOf(known));\n        this.#calls.set(name, {",
    to: "        this.#calls.set(name, {",
    how: /places at the gate are held/,
  },
  {
    name: "a task that has ended stays in the queue of a gate",
    file: "src/workers/runner/model-gate.ts",
    from: "  gate.leave(hasJobs ? submissionHolder(taskKey) : taskKey);",
    to: "  void [gate, taskKey, hasJobs];",
    how: /places at the gate are held/,
  },
  {
    name: "a cancelled run leaves its jobs at work",
    file: "durable-objects/run/given-up.ts",
    from: "    this.note(calls, nowMs);",
    to: "    this.note(calls.slice(0, 0), nowMs);",
    firstSeed: 145,
    how: /jobs still work/,
  },
  {
    name: "the last failed attempt of a run that stops leaves its jobs at work",
    file: "durable-objects/run/tasks/task-reports.ts",
    from: "        if (isStopping(run)) {\n          // With",
    to: "        if (isStopping(run) && task === undefined) {\n          // With",
    firstSeed: 195,
    how: /jobs still work/,
  },
  {
    name: "a submission is repeated again and again",
    file: KEPT,
    from: "return this.of(name).unconfirmed > 1;",
    to: "return this.of(name).unconfirmed > 99;",
    how: /was carried out \d times/,
  },
];

describe("a fault planted in the calls of models is found", () => {
  test.each(FAULTS.filter((_, at) => at % sizeOf("modelFaultStride") === 0))(
    "$name",
    async ({ how, firstSeed = 1, ...mutation }) => {
      const mutant = await buildMutated(mutation);
      for (let seed = firstSeed; seed < firstSeed + FAULT_SEEDS; seed += 1) {
        // oxlint-disable-next-line no-await-in-loop -- until one finds it
        const { problem } = await mutant.simulateModelsSeed(seed);
        if (problem !== undefined && how.test(problem)) {
          return;
        }
      }
      throw new Error("No seed finds the fault.");
    },
    300_000,
  );
});
