/**
 * The runner by itself: the real consumer, executor objects, queue and R2 in workerd, with test nodes
 * and a scripted run object.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TaskReport } from "../../src/contracts/runs/task.ts";
import { LIMITS } from "../../src/lib/limits/limits-table.ts";
import type { RunLog, ScriptedTask } from "../support/executor/script.ts";
import {
  type ScriptedRun,
  scriptedTask as task,
  ScriptedRunner,
  storedOutputs,
} from "../support/node/scripted-runner.ts";

let runner: ScriptedRunner;

beforeAll(async () => {
  runner = await ScriptedRunner.start("test/support/executor/test-runner.ts");
});

afterAll(() => runner.stop());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const held = (ms: number) => ({ ms });

/** Longer than a test waits: such a task ends because its run is cancelled. */
const HELD_MS = 120_000;

/** How many tasks of its group ran when a `test/hold` began. */
function atOnce({ outcome }: TaskReport): number {
  const value = outcome.kind === "ok" ? outcome.outputs[0]!.value : "";
  return (JSON.parse(value) as [string, number])[1];
}

async function readText(key: string): Promise<string> {
  return new TextDecoder().decode(await runner.readFile(key));
}

async function outcomeOf(scripted: ScriptedTask): Promise<TaskReport["outcome"]> {
  const run = runner.newRun();
  await run.script([scripted]);
  await run.send(scripted.chunk);
  const [report] = await run.reports(1);
  return report!.outcome;
}

describe("a hint", () => {
  test("is claimed, run and reported with every digit of its values", async () => {
    const outcome = await outcomeOf(
      task(
        1,
        "test/echo",
        {},
        { inputs: [{ port: "value", value: '["j",{"a":1.50,"b":[1e5]}]' }] },
      ),
    );
    expect(outcome).toEqual({
      kind: "ok",
      outputs: [{ port: "value", value: '["j",{"a":1.50,"b":[1e5]}]' }],
    });
  });

  test("gives a list port its values in order, an array among them", async () => {
    const outcome = await outcomeOf(
      task(
        1,
        "test/echo",
        {},
        { inputs: [{ port: "items", value: ['["j",[1,2]]', '["j","b"]'] }] },
      ),
    );
    expect(outcome).toMatchObject({ outputs: [{ value: '["j",[[1,2],"b"]]' }] });
  });

  test("applies the defaults of a node's parameters", async () => {
    const inputs = [{ port: "value", value: '["j","a"]' }];
    expect(await outcomeOf(task(1, "test/echo", { suffix: "!" }, { inputs }))).toMatchObject({
      outputs: [{ value: '["j","a!"]' }],
    });
    expect(await outcomeOf(task(1, "test/echo", {}, { inputs }))).toMatchObject({
      outputs: [{ value: '["j","a"]' }],
    });
  });

  test("sent five times runs nothing twice", async () => {
    const run = runner.newRun();
    await run.script([task(1, "test/hold", held(100)), task(2, "test/hold", held(100))]);
    await run.send(0, 0, 0, 0, 0);
    await run.reports(2);
    await run.send(0);
    const log = await run.until(({ claims }) => claims.length >= 2 && claims.at(-1)!.leased === 0);
    await pause(200);
    expect(log.claims.reduce((sum, claim) => sum + claim.leased, 0)).toBe(2);
    expect((await run.log()).reports).toHaveLength(2);
  });

  test("of a version or form that this runner does not know is kept for one that does, and holds up nothing", async () => {
    const run = runner.newRun();
    await run.script([task(1, "test/echo", {}, { inputs: [{ port: "value", value: '["j",1]' }] })]);
    await runner.tell({
      do: "send",
      messages: [{ ...run.hint(0), v: 2 }, { kind: "of tomorrow" }, run.hint(0)],
    });
    await run.reports(1);
    expect((await run.log()).claims).toHaveLength(1);
  });

  test("[E30] for a node type that this runner does not know is given back, and another gets it at once", async () => {
    const run = runner.newRun();
    await run.script([task(1, "test/of-tomorrow"), task(2, "test/hold", held(400))], {
      heartbeat_ms: 50,
    });
    await run.send(0);
    const { reports } = await run.until((log) => log.reports.length === 2);
    expect(reports.map(({ report }) => [report.task_id, report.outcome.kind])).toEqual([
      [1, "given_back"],
      [2, "ok"],
    ]);
    expect(reports[0]!.report.outcome).toMatchObject({ reason: "wrong_worker" });
    expect(reports[0]!.report.charge).toBeUndefined();
    await run.send(0);
    await run.until(({ claims }) => claims.length === 2 && claims[1]!.leased === 1);
  });
});

describe("reports", () => {
  test("of quick tasks travel in one call", async () => {
    const run = runner.newRun();
    const inputs = [{ port: "value", value: '["j",1]' }];
    await run.script(
      Array.from({ length: 64 }, (_, index) => task(index, "test/echo", {}, { inputs })),
    );
    await run.send(0);
    await run.reports(64);
    const { reports } = await run.log();
    expect(Math.max(...reports.map(({ call }) => call))).toBeLessThanOrEqual(4);
  });

  test("of a quick task do not wait for a slow one of its chunk", async () => {
    const run = runner.newRun();
    await run.script([task(1, "test/hold", held(HELD_MS)), task(2, "test/hold", held(1))], {
      heartbeat_ms: 50,
    });
    await run.send(0);
    const { reports } = await run.until((log) => log.reports.length > 0);
    expect(reports.map(({ report }) => report.task_id)).toEqual([2]);
    await runner.tell({ do: "cancel", run: run.id });
    await run.reports(2);
  });

  test("are sent again until the run object can be reached, and count once", async () => {
    const run = runner.newRun();
    await run.script([task(1, "test/hold", held(1)), task(2, "test/hold", held(1))]);
    await runner.tell({ do: "failReports", run: run.id, count: 3 });
    await run.send(0);
    await run.reports(2);
    await pause(100);
    const { reports, claims } = await run.log();
    expect(reports.map(({ isStale }) => isStale)).toEqual([false, false]);
    expect(claims).toHaveLength(1);
  });
});

describe("failures", () => {
  test("of a node's own keep code, message and retryability, never the cause", async () => {
    expect(await outcomeOf(task(1, "test/fail", { fault: "own" }))).toEqual({
      kind: "failed",
      code: "TEST_FAULT",
      message: "The test asked for it.",
      retryable: false,
      retry_after_ms: null,
    });
    expect(await outcomeOf(task(1, "test/fail", { fault: "retryable" }))).toMatchObject({
      code: "TEST_BUSY",
      retryable: true,
      retry_after_ms: 1_500,
    });
  });

  test("that no code expects are internal, permanent and do not reveal the cause", async () => {
    const outcome = await outcomeOf(task(1, "test/fail", { fault: "bug" }));
    expect(outcome).toMatchObject({
      kind: "failed",
      code: "INTERNAL_NODE_ERROR",
      retryable: false,
    });
    expect(JSON.stringify(outcome)).not.toContain("secret");
  });

  test("of the network can be retried", async () => {
    expect(await outcomeOf(task(1, "test/fail", { fault: "network" }))).toMatchObject({
      code: "NETWORK_ERROR",
      retryable: true,
    });
  });

  test.each([
    ["deployed", "shutdown"],
    ["unconfigured", "environment"],
  ])("[E30] of the Worker itself (%s) give the task back", async (fault, reason) => {
    expect(await outcomeOf(task(1, "test/fail", { fault }))).toEqual({
      kind: "given_back",
      reason,
    });
  });

  test("of parameters and of stored values that the service cannot have made are internal", async () => {
    expect(await outcomeOf(task(1, "test/hold", { ms: "no" }))).toMatchObject({
      code: "INTERNAL_NODE_ERROR",
    });
    const inputs = [{ port: "value", value: '["q",1]' }];
    expect(await outcomeOf(task(1, "test/echo", {}, { inputs }))).toMatchObject({
      code: "INTERNAL_NODE_ERROR",
    });
  });

  test.each([false, true])(
    "by the time limit occur on time (a node that ignores its signal: %s)",
    async (isDeaf) => {
      const run = runner.newRun();
      const ms = HELD_MS;
      await run.script([task(1, "test/hold", { ms, isDeaf }, { time_limit_ms: 150 })]);
      const sentMs = await run.send(0);
      const log = await run.until(({ reports }) => reports.length > 0);
      expect(log.reports[0]!.report.outcome).toMatchObject({
        kind: "failed",
        code: "NODE_TIMEOUT",
        retryable: false,
      });
      const tookMs = log.reports[0]!.atMs - sentMs;
      expect(tookMs).toBeGreaterThanOrEqual(140);
      expect(tookMs).toBeLessThan(HELD_MS);
    },
  );
});

describe("values and files", () => {
  test("over 64 KiB are stored in R2 under the attempt's own prefix and read back", async () => {
    const run = runner.newRun();
    await run.script([
      task(1, "test/big", { characters: 32_767 }),
      task(2, "test/big", { characters: 32_768 }),
    ]);
    await run.send(0);
    const [small, large] = await run.reports(2);
    // 32,767 two-byte characters and the quotes are 64 KiB exactly.
    expect(small!.outcome).toMatchObject({ outputs: [{ value: `["j","${"é".repeat(32_767)}"]` }] });
    const [tag, file] = storedOutputs(large!)[0]!;
    expect(tag).toBe("s");
    expect(file.key.startsWith(`${run.workspace}/2.1/`)).toBe(true);
    expect(await readText(file.key)).toBe(JSON.stringify("é".repeat(32_768)));

    const reader = runner.newRun(run.workspace);
    const inputs = [{ port: "items", value: ['["j",1]', JSON.stringify([tag, file])] }];
    await reader.script([task(1, "test/echo", {}, { inputs })]);
    await reader.send(0);
    const [read] = await reader.reports(1);
    const [, list] = storedOutputs(read!)[0]!;
    expect(await readText(list.key)).toBe(JSON.stringify([1, "é".repeat(32_768)]));
  });

  test("over 16 MiB are rejected with the output's name", async () => {
    expect(await outcomeOf(task(1, "test/big", { characters: 8_388_608 }))).toMatchObject({
      kind: "failed",
      code: "VALUE_TOO_LARGE",
      retryable: false,
    });
  });

  test("written under one name stay two files, below the prefix for any name", async () => {
    const run = runner.newRun();
    await runner.writeFile(`${run.workspace}/given`, "given, ");
    const value = JSON.stringify([
      "f",
      { key: `${run.workspace}/given`, name: "g.txt", contentType: "text/plain", sizeBytes: 7 },
    ]);
    await run.script([
      task(
        1,
        "test/file",
        { name: "../../x/é.txt", text: "made" },
        { inputs: [{ port: "file", value }] },
      ),
    ]);
    await run.send(0);
    const [report] = await run.reports(1);
    const outputs = storedOutputs(report!);
    expect(outputs.map(([tag, { key, name, sizeBytes }]) => [tag, key, name, sizeBytes])).toEqual([
      ["f", `${run.workspace}/1.1/é.txt`, "é.txt", 11],
      ["f", `${run.workspace}/1.1/é-2.txt`, "é-2.txt", 11],
    ]);
    expect(await readText(outputs[1]![1].key)).toBe("given, made");
  });

  test("several at once, on a list and on several ports, all lie below the prefix, small ones in the report", async () => {
    const run = runner.newRun();
    await runner.writeFile(`${run.workspace}/given`, "given");
    const given = JSON.stringify([
      "f",
      { key: `${run.workspace}/given`, name: "g", contentType: "a/b", sizeBytes: 5 },
    ]);
    const inputs = [{ port: "given", value: [given, given] }];
    const sizes = [10, 2_000_000, 9_000, 3_000_000];
    await run.script([task(1, "test/files", { sizes }, { inputs })]);
    await run.send(0);
    const [report] = await run.reports(1);
    expect(report!.outcome).toMatchObject({ kind: "ok" });
    expect(report!.stores_files).toBeUndefined();
    const outputs = report!.outcome.kind === "ok" ? report!.outcome.outputs : [];
    expect(outputs[0]).toEqual({ port: "count", value: '["j",6]' });
    const names = ["a.bin", "a-2.bin", "a-3.bin", "a-4.bin"];
    expect(
      storedOutputs(report!)
        .slice(1)
        .map(([, { key, sizeBytes }]) => [key, sizeBytes]),
    ).toEqual(sizes.map((size, at) => [`${run.workspace}/1.1/${names[at]!}`, size]));
    expect(await runner.fileKeys(`${run.workspace}/1.1/`)).toEqual(
      expect.arrayContaining(["a-2.bin", "a-4.bin"].map((name) => `${run.workspace}/1.1/${name}`)),
    );
  });

  test("of an attempt that fails or is cancelled between two are told to the run, which removes them", async () => {
    const run = runner.newRun();
    const sizes = [2_000_000, 2_000_000];
    await run.script(
      [
        task(1, "test/files", { sizes, failAt: 1 }),
        task(2, "test/files", { sizes, failAt: 0 }),
        task(3, "test/files", { sizes, holdAt: 1 }),
      ],
      { heartbeat_ms: 50 },
    );
    await run.send(0);
    await run.reports(2);
    await runner.tell({ do: "cancel", run: run.id });
    const reports = await run.reports(3);
    const told = reports.map(({ task_id, outcome, stores_files: has }) => [
      task_id,
      outcome.kind === "failed" ? outcome.code : outcome.kind,
      has,
    ]);
    expect(told).toEqual([
      [1, "TEST_FAULT", true],
      [2, "TEST_FAULT", undefined],
      [3, "CANCELLED", true],
    ]);
    expect(await runner.fileKeys(`${run.workspace}/`)).toHaveLength(2);
  });

  const given = (key: string) =>
    JSON.stringify(["f", { key, name: "g.txt", contentType: "a/b", sizeBytes: 7 }]);
  const readGiven = (value: string) =>
    task(1, "test/file", { name: "x", text: "" }, { inputs: [{ port: "file", value }] });

  test("that are no longer stored fail the node with their name", async () => {
    const run = runner.newRun();
    await run.script([readGiven(given(`${run.workspace}/gone`))]);
    await run.send(0);
    const [report] = await run.reports(1);
    expect(report!.outcome).toMatchObject({ code: "FILE_MISSING", retryable: false });
  });

  test("of another workspace cannot be read, including spilled values", async () => {
    const owner = runner.newRun();
    const key = `${owner.workspace}/secret`;
    await runner.writeFile(key, '"secret"');
    expect(await outcomeOf(readGiven(given(key)))).toMatchObject({ code: "INTERNAL_NODE_ERROR" });
    const spilled = given(key).replace('"f"', '"s"');
    const inputs = [{ port: "value", value: spilled }];
    expect(await outcomeOf(task(1, "test/echo", {}, { inputs }))).toMatchObject({
      code: "INTERNAL_NODE_ERROR",
    });
    const own = runner.newRun(owner.workspace);
    await own.script([task(1, "test/echo", {}, { inputs })]);
    await own.send(0);
    expect((await own.reports(1))[0]!.outcome).toMatchObject({
      outputs: [{ value: '["j","secret"]' }],
    });
  });
});

describe("leases", () => {
  test("are extended while tasks run, and no longer", async () => {
    const run = runner.newRun();
    await run.script([task(1, "test/hold", held(2_500)), task(2, "test/hold", held(1))], {
      heartbeat_ms: 100,
      lease_ms: 2_000,
    });
    await run.send(0);
    await run.reports(2);
    const { heartbeats, reports } = await run.log();
    expect(heartbeats.length).toBeGreaterThan(0);
    expect(heartbeats.at(-1)!.tasks).toEqual([1]);
    expect(reports.every(({ isStale }) => !isStale)).toBe(true);
    await pause(300);
    expect((await run.log()).heartbeats).toHaveLength(heartbeats.length);
  });

  test("that another executor has taken over end the work without a report", async () => {
    const run = runner.newRun();
    const tasks = [1, 2].map((id) => task(id, "test/hold", held(HELD_MS)));
    await run.script(tasks, { heartbeat_ms: 100 });
    await run.send(0);
    await run.until(({ heartbeats }) => heartbeats.length > 0);
    await runner.tell({ do: "steal", run: run.id, tasks: [1] });
    await run.until(({ heartbeats }) => heartbeats.at(-1)!.tasks.length === 1);
    await runner.tell({ do: "cancel", run: run.id });
    const [only] = await run.reports(1);
    expect(only!.task_id).toBe(2);
    await pause(300);
    const { reports, heartbeats } = await run.log();
    expect(reports).toHaveLength(1);
    expect(heartbeats.at(-1)!.tasks).toEqual([2]);
  });

  test("of a cancelled run end at the next heartbeat, with a report for each task, started or not", async () => {
    const run = runner.newRun();
    const tasks = Array.from({ length: 20 }, (_, index) => task(index, "test/hold", held(HELD_MS)));
    await run.script(tasks, { heartbeat_ms: 100 });
    await run.send(0);
    await run.until(({ heartbeats }) => heartbeats.length > 0);
    await runner.tell({ do: "cancel", run: run.id });
    const reports = await run.reports(20);
    expect(reports.map(({ outcome }) => outcome.kind === "failed" && outcome.code)).toEqual(
      Array.from({ length: 20 }, () => "CANCELLED"),
    );
  });

  test("of a crashed executor leave nothing partly reported, and the tasks run again after the leases end", async () => {
    const run = runner.newRun();
    await run.script([task(1, "test/hold", held(2_000)), task(2, "test/hold", held(1))], {
      heartbeat_ms: 100,
      lease_ms: 400,
    });
    await run.send(0);
    await run.until(({ reports, heartbeats }) => reports.length === 1 && heartbeats.length > 0);
    await runner.get(`/?crash=${run.workspace}:0`);
    await pause(800);
    expect((await run.log()).reports).toHaveLength(1);
    await run.send(0);
    const reports = await run.reports(2);
    expect(reports.map(({ task_id, fence }) => [task_id, fence])).toEqual([
      [1, 2],
      [2, 1],
    ]);
  });
});

describe("a task that hangs", () => {
  const quick = () => task(1, "test/hold", held(1));

  /** Resolves when a task of another run was reported. */
  async function passes(run: ScriptedRun): Promise<void> {
    await run.script([quick()]);
    await run.send(0);
    await run.reports(1);
  }

  test("holds up neither another tenant nor other tasks of its own workspace", async () => {
    const slow = runner.newRun();
    const tasks = Array.from({ length: 20 }, (_, index) => task(index, "test/hold", held(HELD_MS)));
    await slow.script(tasks, { heartbeat_ms: 200 });
    await slow.send(0);
    await slow.until(({ heartbeats }) => heartbeats.length > 0);
    await passes(runner.newRun());
    await passes(runner.newRun(slow.workspace));
    expect((await slow.log()).reports).toEqual([]);
    await runner.tell({ do: "cancel", run: slow.id });
    await slow.reports(20);
  });

  test("and fills the memory delays only tasks that do not fit beside it", async () => {
    const run = runner.newRun();
    const half = { ...held(200), memoryBytes: 40 * 1024 * 1024, group: run.id };
    await run.script([
      ...[1, 2, 3].map((id) => task(id, "test/hold", half)),
      task(4, "test/hold", held(1)),
    ]);
    await run.send(0);
    await run.reports(4);
    const { reports } = await run.log();
    expect(reports[0]!.report.task_id).toBe(4);
    expect(reports.slice(1).map(({ report }) => atOnce(report))).toEqual([1, 1, 1]);
  });

  test("in an executor that does not respond delays no other tenant", async () => {
    const stuck = runner.newRun();
    await stuck.script([quick()]);
    await runner.tell({ do: "send", messages: [stuck.hint(0, 99)] });
    await passes(runner.newRun());
    expect((await stuck.log()).claims).toEqual([]);
  });
});

describe("[E31] the text of a task", () => {
  const words = Array.from({ length: 60 }, (_, word) => `${word} é𝄞 `);
  const whole = words.join("");
  const said = (emitted: RunLog["emitted"]) => emitted.flatMap(({ texts }) => texts);

  test("reaches the run while it grows, joined, complete before the report, and is not part of it", async () => {
    const run = runner.newRun();
    await run.script([task(1, "test/say", { words, everyMs: 10 })]);
    const sentMs = await run.send(0);
    const { emitted, reports } = await run.until((log) => log.reports.length === 1);
    expect(reports[0]!.report.outcome).toMatchObject({
      kind: "ok",
      outputs: [{ port: "value", value: JSON.stringify(["j", whole]) }],
    });
    const pieces = said(emitted);
    expect(pieces.map(({ text }) => text).join("")).toBe(whole);
    expect(emitted.length).toBeGreaterThan(1);
    // 600 ms or more of 60 words, at most one call in 100 ms, and one at the end. From the hint on, since calls may
    // arrive late and then follow each other sooner than they were made.
    const tookMs = reports[0]!.atMs - sentMs;
    expect(emitted.length).toBeLessThanOrEqual(tookMs / 100 + 2);
  });

  test("is sent again from its start to a run object that has lost it", async () => {
    const run = runner.newRun();
    await run.script([task(1, "test/say", { words, everyMs: 50 })]);
    await run.send(0);
    await run.until((log) => log.emitted.length >= 2);
    await runner.tell({ do: "forgetTexts", run: run.id });
    const { emitted } = await run.until((log) => log.reports.length === 1);
    const again = said(emitted).findLastIndex(({ at }) => at === 0);
    expect(again).toBeGreaterThan(0);
    const since = said(emitted).slice(again);
    expect(since.map(({ text }) => text).join("")).toBe(whole);
  });

  test("over its limit is cut there, and the value is complete", async () => {
    const run = runner.newRun();
    const long = ["x".repeat(200_000), "y".repeat(100_000), "z"];
    await run.script([task(1, "test/say", { words: long, everyMs: 1 })]);
    await run.send(0);
    const { emitted, reports } = await run.until((log) => log.reports.length === 1);
    const text = said(emitted)
      .map((piece) => piece.text)
      .join("");
    expect(text.length).toBe(LIMITS.growing_text.value);
    expect(text.endsWith("y")).toBe(true);
    const [, file] = storedOutputs(reports[0]!.report)[0]!;
    expect((await readText(file.key)).length).toBe(300_003);
  });
});

test("64 chunks of 16 quick tasks pass once each, in one claim and few reports a chunk", async () => {
  const run = runner.newRun();
  const inputs = [{ port: "value", value: '["j",1]' }];
  const chunks = Array.from({ length: 64 }, (_, chunk) => chunk);
  await run.script(
    chunks.flatMap((chunk) =>
      Array.from({ length: 16 }, (_, index) =>
        task(chunk * 16 + index, "test/echo", {}, { chunk, inputs }),
      ),
    ),
  );
  await run.send(...chunks);
  const { claims, reports } = await run.until((log) => log.reports.length === 1_024);
  expect(new Set(reports.map(({ report }) => report.task_id)).size).toBe(1_024);
  expect(claims.filter(({ leased }) => leased > 0)).toHaveLength(64);
  expect(new Set(reports.map(({ call }) => call)).size).toBeLessThanOrEqual(2 * 64);
});

describe("a workspace's quota of an executor", () => {
  const SHARE = 32;

  /** Runs of one workspace, each with so many chunks of 16 held tasks; hints of the first run first. */
  async function crowd(chunksOf: readonly number[], holdMs: number) {
    const workspace = runner.newRun().workspace;
    const runs = chunksOf.map(() => runner.newRun(workspace));
    const messages: object[] = [];
    for (const [index, run] of runs.entries()) {
      const chunks = Array.from({ length: chunksOf[index]! }, (_, chunk) => chunk);
      await run.script(
        chunks.flatMap((chunk) =>
          Array.from({ length: 16 }, (__, at) =>
            task(chunk * 16 + at, "test/hold", { ms: holdMs, group: workspace }, { chunk }),
          ),
        ),
      );
      messages.push(...chunks.map((chunk) => ({ ...run.hint(chunk), slot_tasks: SHARE })));
    }
    await runner.tell({ do: "send", messages });
    return runs;
  }

  test("is filled, and never exceeded, by the tasks of all its runs together", async () => {
    const runs = await crowd([6, 2, 2], 250);
    const ran: number[] = [];
    for (const [index, run] of runs.entries()) {
      ran.push(...(await run.reports([96, 32, 32][index]!)).map(atOnce));
    }
    // Each task counted those that ran in the executor's isolate, reported or not, when it began.
    expect(Math.max(...ran)).toBe(SHARE);
  });

  test("is used by its runs in turns, so that a small one does not wait for the end of a large one", async () => {
    const [large, small] = await crowd([20, 1], 30);
    const { claims } = await small!.until(({ reports }) => reports.length === 16);
    const before = (await large!.log()).claims.filter(({ atMs }) => atMs < claims[0]!.atMs);
    // Two chunks of the large run fill the quota; the small run is next.
    expect(before.length).toBeLessThanOrEqual(4);
    await large!.reports(320);
  });
});

describe("a task that waits", () => {
  test("[E26] [E27] ends its lease with a token, and resumes with token, key and attempt in another lease", async () => {
    const run = runner.newRun();
    await run.script([task(1, "test/job", { ms: 5_000 })]);
    await run.send(0);
    const [first] = await run.reports(1);
    expect(first).toMatchObject({
      outcome: { kind: "waiting", token: "job of call_1", resume_after_ms: 5_000 },
    });
    expect(first!.charge).toBeUndefined();
    await pause(300);
    // Nothing is held meanwhile: there is no lease to extend.
    const { heartbeats } = await run.log();
    expect(heartbeats.filter(({ tasks }) => tasks.includes(1))).toEqual([]);
    await run.send(0);
    const [, second] = await run.reports(2);
    expect(second!.fence).toBeGreaterThan(first!.fence);
    expect(second).toMatchObject({
      outcome: {
        kind: "ok",
        outputs: [{ port: "value", value: '["j","job of call_1, attempt 1"]' }],
      },
      charge: { milli_credits: 7, usage: { unit: "second", quantity: 1.5 } },
    });
  });
});

describe("a report's digests", () => {
  test("[E28] are the same for the same content in another spelling", async () => {
    const run = runner.newRun();
    const given = ['["j",{"a":1,"b":2}]', '["j",{"b":2.0,"a":1e0}]', '["j",{"a":1,"b":3}]'];
    await run.script(
      given.map((value, at) =>
        task(at + 1, "test/echo", {}, { inputs: [{ port: "value", value }] }),
      ),
    );
    await run.send(0);
    const [one, same, other] = (await run.reports(3)).map(({ digests }) => digests);
    expect(one!.inputs).toMatch(/^[\w-]{24}$/);
    expect(same).toEqual(one);
    expect(other!.inputs).not.toBe(one!.inputs);
    expect(other!.outputs).not.toBe(one!.outputs);
  });
});

describe("an aggregator's task", () => {
  const text = (value: string) => [{ port: "text", value: `["j",${JSON.stringify(value)}]` }];
  const once = { inputs: [{ port: "title", value: '["j","all"]' }] };

  test("[E33] reads its elements page by page, also those in R2, and leaves out what does not fit", async () => {
    const run = runner.newRun();
    const long = "long ".repeat(30_000);
    await runner.writeFile(`${run.workspace}/long.json`, JSON.stringify(long));
    await runner.writeFile(`${run.workspace}/list.json`, "[1]");
    const stored = (name: string, sizeBytes: number) => [
      {
        port: "text",
        value: JSON.stringify([
          "s",
          {
            key: `${run.workspace}/${name}.json`,
            name: "v",
            contentType: "application/json",
            sizeBytes,
          },
        ]),
      },
    ];
    const elements = [
      text("one"),
      stored("long", long.length + 2),
      text("two"),
      stored("list", 3),
      [],
    ];
    const other = [text("one"), text("another")];
    await run.script([
      task(1, "test/gather", {}, { ...once, elements }),
      task(2, "test/gather", {}, { ...once, elements }),
      task(3, "test/gather", {}, { ...once, elements: other }),
      task(4, "test/gather", {}, { ...once, elements: [] }),
    ]);
    await run.send(0);
    const reports = (await run.reports(4)).toSorted((a, b) => a.task_id - b.task_id);
    expect(reports.map(({ outcome }) => outcome)).toMatchObject(
      [
        "all: one long long  two none",
        "all: one long long  two none",
        "all: one another",
        "all: ",
      ].map((value) => ({ kind: "ok", outputs: [{ value: JSON.stringify(["j", value]) }] })),
    );
    const [first, same, third] = reports.map(({ digests }) => digests);
    expect(same).toEqual(first);
    expect(third!.inputs).not.toBe(first!.inputs);
    const { pages } = await run.log();
    const asked = pages.filter(({ task_id }) => task_id === 1).map(({ from }) => from);
    // Each was refused once and requested again.
    expect(asked).toEqual([0, 0, 2, 2, 4, 4]);
  });

  test("[E33] ends when its run is cancelled, and says nothing once its lease is another's", async () => {
    const run = runner.newRun();
    const elements = [text("one"), text("two"), text("three")];
    await run.script(
      [1, 2].map((id) => task(id, "test/gather", { holdAfter: 2 }, { ...once, elements })),
      { heartbeat_ms: 50 },
    );
    await run.send(0);
    await run.until(({ pages }) => pages.length === 4);
    await runner.tell({ do: "steal", run: run.id, tasks: [2] });
    await runner.tell({ do: "cancel", run: run.id });
    const [report] = await run.reports(1);
    expect(report).toMatchObject({ task_id: 1, outcome: { code: "CANCELLED" } });
    await pause(150);
    expect((await run.log()).reports).toHaveLength(1);
  });
});
