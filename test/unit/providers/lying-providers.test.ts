/**
 * docs/contract/models.md#calls and #jobs against providers that lie: whatever they answer, each call is carried out twice
 * at most, and only after a lost answer; the task ends, its jobs are cancelled, and its places are free.
 */
import { describe, expect, test } from "vitest";
import { buildEdited, type Edit } from "../../simulation/planted/build-edited.ts";
import { simulateLies } from "../../support/providers/lying-providers.ts";
import { sizeOf } from "../../support/sizes.ts";

const SEEDS = sizeOf("lyingSeeds");

test(`${SEEDS.toLocaleString("en")} tasks end, with each call carried out once or after a lost answer twice`, async () => {
  const seen = new Map<string, number>();
  for (let seed = 1; seed <= SEEDS; seed++) {
    // oxlint-disable-next-line no-await-in-loop -- one seed after the other
    const verdict = await simulateLies(seed);
    expect([seed, verdict.problems]).toEqual([seed, []]);
    verdict.seen.forEach((what) => seen.set(what, (seen.get(what) ?? 0) + 1));
  }
  // Every lie was told.
  for (const what of [
    "made",
    "refused",
    "lost answer",
    "broken answer",
    "lost worker",
    "failed poll",
    "endless job",
    "unknown state",
    "an end taken back",
    "another job's output",
    "the id of another job",
    "no id",
  ]) {
    expect([what, (seen.get(what) ?? 0) > SEEDS / 200]).toEqual([what, true]);
  }
}, 300_000);

const JOBS = "src/workers/runner/model-jobs.ts";
const CALLS = "src/workers/runner/kept-calls.ts";
const FAULTS: readonly (readonly [name: string, edit: Edit, how: RegExp])[] = [
  [
    "a submission that is repeated again and again",
    {
      file: CALLS,
      from: "return this.of(name).unconfirmed > 1;",
      to: "return this.of(name).unconfirmed > 99;",
    },
    /was carried out \d+ times$/,
  ],
  [
    "a lost worker that nobody notices",
    {
      file: CALLS,
      from: "this.#isWorkerLost = task.lease > (known?.lease ?? 0) + 1;",
      to: "this.#isWorkerLost = false;",
    },
    /was carried out \d+ times$/,
  ],
  [
    "a call that is submitted in the lease that records the doubt about another",
    {
      file: JOBS,
      from: "        this.#suspendSubmission(RECORD_MS);",
      to: "        this.#calls.suspend(RECORD_MS);",
    },
    /was carried out \d+ times$/,
  ],
  [
    "a job that is not kept",
    { file: JOBS, from: "    this.#calls.set(name, { job: submitted });\n", to: "" },
    /although every answer arrived|has not ended/,
  ],
  [
    "a job that has no time limit",
    { file: JOBS, from: "> model.timeout_ms", to: "> Infinity" },
    /has not ended/,
  ],
  [
    "jobs that work on after the failure of another",
    {
      file: "src/nodes/define-models.ts",
      from: "        await models.giveUp();\n",
      to: "",
    },
    /still work|places at the gate/,
  ],
  [
    "a place that a failed submission keeps",
    {
      file: JOBS,
      from: "      gate?.leave(place);\n      pauseAfter(error, gate);",
      to: "      pauseAfter(error, gate);",
    },
    /places at the gate/,
  ],
];

describe("a planted fault is found", () => {
  test.each(FAULTS)(
    "%s",
    async (_name, edit, how) => {
      const built = await buildEdited<{ simulateLies: typeof simulateLies }>(
        "test/support/providers/lying-providers.ts",
        edit,
      );
      for (let seed = 1; seed <= 2_000; seed++) {
        // oxlint-disable-next-line no-await-in-loop -- until one finds it
        const { problems } = await built.simulateLies(seed);
        if (problems.some((problem) => how.test(problem))) {
          return;
        }
      }
      throw new Error("No seed finds the fault.");
    },
    300_000,
  );
});
