/**
 * docs/contract/models.md#calls: every provider × every row of the error table, with its retries, its trace and its money;
 * and faults planted in the source, which these tests must find.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { buildEdited, type Edit } from "../../simulation/planted/build-edited.ts";
import { openMatrix } from "../../support/providers/error-matrix.ts";
import { FAKED_TIMERS, START_MS, TaskClock } from "../../support/providers/model-task.ts";
import { sizeOf } from "../../support/sizes.ts";

const clock = new TaskClock(vi);
const matrix = await openMatrix(clock);
const looked = matrix.cells.filter(
  ({ name }, at) => at % sizeOf("errorMatrixStride") === 0 || name.includes(", then "),
);

beforeEach(() => {
  vi.useFakeTimers({ toFake: [...FAKED_TIMERS], now: START_MS });
});
afterEach(async () => {
  await clock.settled();
  vi.useRealTimers();
});
afterAll(() => {
  matrix.close();
});

describe("a call of", () => {
  test.each(looked)("$name", async ({ problems }) => {
    expect(await problems()).toEqual([]);
  });
});

test("each provider has hundreds of cells or says why", () => {
  const counts = Map.groupBy(matrix.cells, ({ name }) => name.split(",")[0]);
  expect(counts.size).toBe(6);
  for (const [kind, cells] of counts) {
    // The embedded provider never fails.
    expect([kind, cells.length > (kind === "sample" ? 0 : 50)]).toEqual([kind, true]);
  }
});

type Built = typeof import("../../support/providers/error-matrix.ts");

/** The first cell of those with this name that finds the fault, and how. */
async function finding(edit: Edit, cells: RegExp): Promise<readonly string[]> {
  const built = await buildEdited<Built>("test/support/providers/error-matrix.ts", edit);
  const edited = await built.openMatrix(clock);
  try {
    for (const { name, problems } of edited.cells) {
      // oxlint-disable-next-line no-await-in-loop -- until one finds it
      const found = cells.test(name) ? await problems() : [];
      if (found.length > 0) {
        return found;
      }
    }
    return [];
  } finally {
    edited.close();
  }
}

const TOOLS = "src/workers/runner/model-tools.ts";
const JOBS = "src/workers/runner/model-jobs.ts";

const FAULTS: readonly (readonly [name: string, edit: Edit, cells: RegExp, how: RegExp])[] = [
  [
    "a charge before the success",
    {
      file: "src/nodes/ai/text-generation.ts",
      from: "const turns: RepairTurn[] = [];",
      to: "ctx.task.charge({ milliCredits: 7, quantity: 1 });\n      const turns: RepairTurn[] = [];",
    },
    /^openai_compatible, text: 4/,
    /^milliCredits is 7 and must be 0/,
  ],
  [
    "a second submission after a lost record that is not counted",
    {
      file: "src/workers/runner/kept-calls.ts",
      from: "this.#isWorkerLost = task.lease > (known?.lease ?? 0) + 1;",
      to: "this.#isWorkerLost = false;",
    },
    /^fal, picture: two workers lost/,
    /^calls is 1 and must be 2/,
  ],
  [
    "a job that is submitted again although it was recorded",
    {
      file: JOBS,
      from: "    this.#calls.set(name, { job: submitted });\n",
      to: "",
    },
    /^replicate, picture: workers lost after/,
    /^it does not end: /,
  ],
  [
    "a key that is sent to another origin",
    {
      file: "src/providers/provider-io.ts",
      from: '{ redirects: "follow", maxBytes, ...limits }',
      to: '{ redirects: "follow", maxBytes, headers: { ...credential }, ...limits }',
    },
    /its file at another origin/,
    /^another origin received /,
  ],
  [
    "a pause that nobody takes",
    {
      file: TOOLS,
      from: "      pauseAfter(error, gate);\n      throw error;",
      to: "      throw error;",
    },
    /^elevenlabs, speech: 429 for 2 s/,
    /^pauses is /,
  ],
  [
    "a timeout that is repeated twice",
    {
      file: TOOLS,
      from: "const attempt = jobs.timeoutsOf(name) + 1;",
      to: "const attempt = Math.max(1, jobs.timeoutsOf(name));",
    },
    /^openai_compatible, picture: no answer in time/,
    /^attempts is 3 and must be 2/,
  ],
  [
    "a lost answer without a key that is asked for again and again",
    {
      file: TOOLS,
      from: "asked === undefined ? error : jobs.lost({ name, isIdempotent }, error)",
      to: "error",
    },
    /^workers_ai, picture: an answer that breaks off/,
    /^requests is 4 and must be 2/,
  ],
  [
    "a lost speech without a key that is asked for again and again",
    {
      file: JOBS,
      from: "throw hasSent ? this.lost({ name, isIdempotent }, error) : error;",
      to: "throw error;",
    },
    /^elevenlabs, speech: (?:a reset before the answer|a sound that is cut off)/,
    /^requests is 4 and must be 2/,
  ],
  [
    "a job that goes on after its call has failed for good",
    { file: JOBS, from: "      await this.#endJob(name, error);\n", to: "" },
    /^fal, cutout: polls with 503/,
    /^held is 1 and must be 0/,
  ],
  [
    "an address in the message of a failure",
    {
      file: "src/providers/call-failure.ts",
      from: '"The provider rejected the request, so it would reject it again."',
      to: "`The provider rejected the request: ${JSON.stringify(body)}`",
    },
    /^replicate, picture: 422/,
    /^it says .*MARKER/,
  ],
];

describe("a fault planted in the source is found", () => {
  const planted = FAULTS.filter((_, at) => at % sizeOf("errorMatrixFaultStride") === 0);
  test.each(planted)("%s", async (_name, edit, cells, how) => {
    const found = await finding(edit, cells);
    expect(
      found.some((problem) => how.test(problem)),
      found.join("\n"),
    ).toBe(true);
  });

  // All of them, also where a few are planted.
  test("replaces a text that occurs once, and is looked for in cells that exist", async () => {
    for (const [name, { file, from }, cells] of FAULTS) {
      // oxlint-disable-next-line no-await-in-loop -- eight small files
      const source = await readFile(join(import.meta.dirname, "../../..", file), "utf8");
      const isThere = matrix.cells.some((cell) => cells.test(cell.name));
      expect([name, source.split(from).length - 1, isThere]).toEqual([name, 1, true]);
    }
  });
});
