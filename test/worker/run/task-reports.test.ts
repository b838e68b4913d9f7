/** Charges and waits in the reports of tasks, and their effect on the run. */
import { RunStore } from "../../../durable-objects/run/state/run-store.ts";
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import type { GiveBackReason } from "../../../src/lib/task-given-back.ts";
import type { TaskOutcome, TaskReport } from "../../../src/contracts/runs/task.ts";
import { WAIT_TOKEN_MAX_CHARS } from "../../../src/contracts/runs/task.ts";
import { unwrap } from "../../../src/lib/result.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { WorkspaceFixture } from "../workspace/workspace-fixture.ts";
import { CODES, drawn, report, RunFixture } from "./run-fixture.ts";

/** One code costs 20 milli-credits. */
async function started(n = 1) {
  const run = new RunFixture();
  await run.start(CODES, { rows: Array.from({ length: n }, (_, i) => `row ${String(i)}`) });
  const { tasks } = await run.claim();
  return { run, tasks };
}

const waiting = (token: string, resume_after_ms = 300): TaskOutcome => ({
  kind: "waiting",
  token,
  resume_after_ms,
});

const claiming = (given: TaskReport, milli_credits: number, quantity?: number): TaskReport => ({
  ...given,
  charge: {
    milli_credits,
    usage: quantity === undefined ? null : { unit: "image", quantity },
  },
});

/** The balance of the workspace, and the reserved part of it. */
async function credits(run: RunFixture) {
  const { balance_milli_credits: free, reserved_milli_credits: held } = await new WorkspaceFixture(
    run.workspaceId,
  ).api.balance(null);
  return { unspent: free + held, held };
}

/** Runs the run's alarm until the waiting task is claimed again. */
async function resumed(run: RunFixture) {
  return waitUntil("the task to be ready again", async () => {
    await runDurableObjectAlarm(run.stub);
    for (let chunk = 2; chunk < 12; chunk++) {
      const claim = await run.api.claim({ v: 1, chunk, executor: "other" });
      if (claim !== null) {
        return claim.tasks[0]!;
      }
    }
    return undefined;
  });
}

describe("a report's charge", () => {
  it("[E25] is the element's charge, as trace and ledger show", async () => {
    const { run, tasks } = await started(2);
    const { unspent } = await credits(run);
    await run.api.report({
      v: 1,
      reports: [
        claiming(report(tasks[0]!, drawn("a.png")), 7, 1.5),
        claiming(report(tasks[1]!, drawn("b.png")), 0),
      ],
    });
    expect(await run.ended()).toMatchObject({ status: "completed", credits_used: 0.007 });
    const { nodes, totals } = unwrap(await run.api.readTrace(run.request));
    const usage = { unit: "image", quantity: 1.5 };
    expect(nodes.find(({ node_id }) => node_id === "code")).toMatchObject({
      credits: 0.007,
      usage,
    });
    expect(totals.credits).toBe(0.007);
    const page = { node_id: "code", page_size: 10, after: null, states: null };
    const { data } = unwrap(await run.api.readIterations({ ...run.request, ...page }));
    expect(data).toMatchObject([
      { credits: 0.007, usage },
      { credits: 0, usage: null },
    ]);
    await waitUntil("the close", async () => {
      const now = await credits(run);
      return now.held === 0 && now.unspent === unspent - 7;
    });
  });

  it("[E25] above the reservation is reduced to it", async () => {
    const { run, tasks } = await started();
    await run.api.report({ v: 1, reports: [claiming(report(tasks[0]!, drawn("a.png")), 9_999)] });
    expect(await run.ended()).toMatchObject({ status: "completed", credits_used: 0.02 });
  });

  it("[E25] below zero is refused: the element fails and is charged nothing", async () => {
    const { run, tasks } = await started();
    await run.api.report({ v: 1, reports: [claiming(report(tasks[0]!, drawn("a.png")), -5)] });
    expect(await run.ended()).toMatchObject({
      status: "failed",
      error_code: "INTERNAL_NODE_ERROR",
      credits_used: 0,
    });
  });

  it("[E25] that is refused, and a misplaced file, are not among the accepted results", async () => {
    const { run, tasks } = await started(4);
    const [good, negative, endless, misplaced] = tasks.map((task) => report(task, drawn("a.png")));
    const reports = [
      good!,
      claiming(negative!, -5),
      claiming(endless!, 5, NaN),
      {
        ...misplaced!,
        outcome: { kind: "ok", outputs: [{ port: "image", value: "no stored value" }] },
      } as const,
    ];
    const { accepted } = await run.api.report({ v: 1, reports });
    expect(accepted).toEqual([good!.task_id]);
    const { accepted: again } = await run.api.report({ v: 1, reports });
    expect(again ?? []).toEqual([]);
  });

  it("[E25] is counted once, however often it is reported", async () => {
    const { run, tasks } = await started(2);
    const [first, second] = tasks;
    const twice = claiming(report(first!, drawn("a.png")), 6);
    await run.api.report({ v: 1, reports: [twice, twice] });
    await run.api.report({ v: 1, reports: [claiming(twice, 11)] });
    await run.api.report({ v: 1, reports: [claiming(report(second!, drawn("b.png")), 1), twice] });
    expect(await run.ended()).toMatchObject({ status: "completed", credits_used: 0.007 });
  });
});

describe("a task that waits", () => {
  it("[E26] [E27] resumes with its token, key and attempt in another lease, and is charged once", async () => {
    const { run, tasks } = await started();
    const [task] = tasks;
    await run.api.report({ v: 1, reports: [claiming(report(task!, waiting("job 1")), 20)] });
    expect(await run.read()).toMatchObject({ status: "running" });
    expect((await run.read()).credits_used).toBeUndefined();
    const again = await resumed(run);
    expect(again).toMatchObject({ token: "job 1", key: task!.key, attempt: 1 });
    expect(again.fence).toBeGreaterThan(task!.fence);
    // Reports of the first executor are ignored from now on.
    await run.api.report({ v: 1, reports: [report(task!, drawn("late.png"))] });
    await run.api.report({ v: 1, reports: [claiming(report(again, drawn("a.png")), 3)] });
    expect(await run.ended()).toMatchObject({ status: "completed", credits_used: 0.003 });
    const { nodes } = unwrap(await run.api.readTrace(run.request));
    expect(nodes.find(({ node_id }) => node_id === "code")).toMatchObject({
      retry_count: 0,
      attempt_count: 1,
    });
  });

  it("[E26] keeps its token through a retry", async () => {
    const { run, tasks } = await started();
    await run.api.report({ v: 1, reports: [report(tasks[0]!, waiting("job 1"))] });
    const second = await resumed(run);
    const failed: TaskOutcome = {
      kind: "failed",
      code: "NETWORK_ERROR",
      message: "The network did not answer.",
      retryable: true,
      retry_after_ms: null,
    };
    await run.api.report({ v: 1, reports: [report(second, failed)] });
    expect(await resumed(run)).toMatchObject({ token: "job 1", attempt: 2, key: tasks[0]!.key });
  });

  it("[E26] has its files from before the wait beside those from after it", async () => {
    const { run, tasks } = await started();
    await run.api.report({ v: 1, reports: [report(tasks[0]!, waiting("job 1"))] });
    const { file_prefix: prefix } = await resumed(run);
    const place = tasks[0]!.file_prefix;
    expect(prefix.startsWith(place)).toBe(true);
    expect(prefix).not.toBe(place);
  });

  it("[E26] forever fails when its node's time limit has passed", async () => {
    const { run, tasks } = await started();
    // The time limit of a code is 30 s; this one reports 31 s of work before its wait.
    const late = { ...report(tasks[0]!, waiting("forever", 1e15)), duration_ms: 31_000 };
    await run.api.report({ v: 1, reports: [late] });
    expect(await run.ended()).toMatchObject({ status: "failed", error_code: "NODE_TIMEOUT" });
  });

  it("[E23] [E26] queued forever outlasts its node's time limit, and ends with that of its run", async () => {
    const realNow = Date.now.bind(Date);
    let aheadMs = 0;
    // Before the run's object exists, which keeps this function.
    const clock = vi.spyOn(Date, "now").mockImplementation(() => realNow() + aheadMs);
    try {
      const { run, tasks } = await started();
      const forever = { ...waiting("turn", 1e15), is_queued: true } as TaskOutcome;
      let [task] = tasks;
      // The time limit of a code is 30 s; this one reports 31 s of work before each of its waits of an hour.
      for (let hour = 1; hour <= 2; hour++) {
        await run.api.report({
          v: 1,
          reports: [{ ...report(task!, forever), duration_ms: 31_000 }],
        });
        aheadMs += 3_600_000;
        task = await resumed(run);
        expect(task).toMatchObject({ token: "turn", attempt: 1 });
      }
      await run.api.report({ v: 1, reports: [report(task!, forever)] });
      expect(await run.read()).toMatchObject({ status: "running" });
      // The run's is a day.
      aheadMs = 86_400_000;
      await runDurableObjectAlarm(run.stub);
      expect(await run.ended()).toMatchObject({
        status: "failed",
        error_code: "RUN_TIMEOUT",
        credits_used: 0,
      });
    } finally {
      clock.mockRestore();
    }
  });

  it("[E26] with a token that is too long fails", async () => {
    const { run, tasks } = await started();
    const token = "x".repeat(WAIT_TOKEN_MAX_CHARS + 1);
    await run.api.report({ v: 1, reports: [report(tasks[0]!, waiting(token))] });
    expect(await run.ended()).toMatchObject({
      status: "failed",
      error_code: "INTERNAL_NODE_ERROR",
    });
  });

  it("[E26] ends with a cancel, at once", async () => {
    const { run, tasks } = await started(2);
    const [first, second] = tasks;
    await run.api.report({ v: 1, reports: [report(first!, waiting("job", 3_600_000))] });
    unwrap(await run.api.cancel(run.request));
    await run.api.report({ v: 1, reports: [report(second!, waiting("other job", 3_600_000))] });
    expect(await run.ended()).toMatchObject({ status: "cancelled", credits_used: 0 });
  });
});

describe("a task that is given back", () => {
  const givenBack = (reason: GiveBackReason = "wrong_worker"): TaskOutcome => ({
    kind: "given_back",
    reason,
  });

  it("[E30] is offered again under its attempt's number and key, and charged by its next executor", async () => {
    const { run, tasks } = await started();
    const [task] = tasks;
    await run.api.report({ v: 1, reports: [claiming(report(task!, givenBack()), 20)] });
    expect(await run.read()).toMatchObject({ status: "running" });
    const again = await resumed(run);
    expect(again).toMatchObject({ key: task!.key, attempt: 1 });
    expect(again.fence).toBeGreaterThan(task!.fence);
    // Files of a late worker must not have the names of this one's files.
    expect(again.file_prefix).not.toBe(task!.file_prefix);
    await run.api.report({ v: 1, reports: [report(task!, drawn("late.png"))] });
    await run.api.report({ v: 1, reports: [claiming(report(again, drawn("a.png")), 3)] });
    expect(await run.ended()).toMatchObject({ status: "completed", credits_used: 0.003 });
    const { nodes } = unwrap(await run.api.readTrace(run.request));
    expect(nodes.find(({ node_id }) => node_id === "code")).toMatchObject({
      retry_count: 0,
      attempt_count: 1,
    });
  });

  it("[E30] keeps the token of its wait", async () => {
    const { run, tasks } = await started();
    await run.api.report({ v: 1, reports: [report(tasks[0]!, waiting("job 1"))] });
    const second = await resumed(run);
    await run.api.report({ v: 1, reports: [report(second, givenBack("no_memory"))] });
    expect(await resumed(run)).toMatchObject({ token: "job 1", attempt: 1, key: tasks[0]!.key });
  });

  it("[E30] of a run that is cancelled ends with it", async () => {
    const { run, tasks } = await started(2);
    await run.api.report({ v: 1, reports: [report(tasks[0]!, givenBack())] });
    unwrap(await run.api.cancel(run.request));
    await run.api.report({ v: 1, reports: [report(tasks[1]!, givenBack("shutdown"))] });
    expect(await run.ended()).toMatchObject({ status: "cancelled", credits_used: 0 });
  });
});

describe("a report's digests", () => {
  it("[E28] are stored with the element, also a failed one, and limited to the length of a digest", async () => {
    const { run, tasks } = await started(2);
    const [first, second] = tasks;
    const failed = {
      kind: "failed",
      code: "CODE_TOO_SMALL",
      message: "No.",
      retryable: false,
    } as const;
    await run.api.report({
      v: 1,
      reports: [
        { ...report(first!, drawn("a.png")), digests: { inputs: "in-1", outputs: "x".repeat(99) } },
        { ...report(second!, { ...failed, retry_after_ms: null }), digests: { inputs: "in-2" } },
      ],
    });
    await run.ended();
    const kept = await runInDurableObject(run.stub, (_object, { storage }) => {
      const store = new RunStore(storage, Date.now);
      return store.state().nodes.flatMap((_, node) => store.settledBetween(node, 0, 2));
    });
    expect(
      kept
        .filter(({ attempts }) => attempts === 1)
        .map(({ charge, digests }) => ({ charge, digests })),
    ).toEqual([
      {
        charge: { milliCredits: 20, quantity: null },
        digests: { inputs: "in-1", outputs: "x".repeat(24) },
      },
      { charge: undefined, digests: { inputs: "in-2" } },
    ]);
  });
});

describe("files of an attempt that did not end well", () => {
  it("are removed with its end, several of a first attempt among them; those of others stay", async () => {
    const { run, tasks } = await started(3);
    const [failing, told, well] = tasks;
    for (const task of tasks) {
      await env.FILES.put(`${task.file_prefix}a.bin`, "a");
      await env.FILES.put(`${task.file_prefix}b.bin`, "b");
    }
    const failure: TaskOutcome = {
      kind: "failed",
      code: "CODE_TEXT_INVALID",
      message: "The test asked for it.",
      retryable: false,
      retry_after_ms: null,
    };
    await run.api.report({
      v: 1,
      reports: [
        { ...report(failing!, failure), stores_files: true },
        // It reports that it has stored nothing, so no call is made to delete files.
        report(told!, failure),
        report(well!, drawn("a.bin")),
      ],
    });
    await run.ended();
    const { workspaceId, runId } = run;
    await waitUntil("its end to be told", async () => {
      const row = await new WorkspaceFixture(workspaceId).api.getRun(runId);
      return row?.completed_at_ms !== null;
    });
    const foldersLeft = async () => {
      const { objects } = await env.FILES.list({ prefix: `${workspaceId}/runs/${runId}/` });
      return [...new Set(objects.map(({ key }) => key.slice(0, key.lastIndexOf("/") + 1)))];
    };
    // The workspace is told while the files are being removed.
    await waitUntil("files of the first attempt to be removed", async () => {
      return !(await foldersLeft()).includes(failing!.file_prefix);
    });
    expect((await foldersLeft()).toSorted()).toEqual(
      [told!.file_prefix, well!.file_prefix].toSorted(),
    );
  });
});
