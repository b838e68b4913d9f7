/** docs/contract/models.md#jobs: how a cancel reaches the provider of a job. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import { unavailable } from "../../../../src/providers/call-failure.ts";
import { encodeCalls, type SubmittedJob } from "../../../../src/providers/job-token.ts";
import type { JobProvider, ProviderIo } from "../../../../src/providers/provider.ts";
import { cancelJob, cancelJobsOf, type Reach } from "../../../../src/workers/runner/cancel-jobs.ts";
import type { TaskGate } from "../../../../src/workers/runner/model-gate.ts";

const JOB: SubmittedJob = {
  job: { id: "j1", status: "/jobs/j1", result: "/jobs/j1", cancel: "/jobs/j1/cancel" },
  provider: "mine",
  remoteModel: "vendor/model",
  submittedAtMs: 1_700_000_000_000,
  polledAtMs: 1_700_000_000_000,
  polls: 0,
  failedPolls: 0,
  isDone: false,
};

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A provider whose cancels end like this, one after the other, and then succeed. */
function providerOf(failures: readonly Error[]) {
  const startedMs = Date.now();
  const cancelled: (readonly [ms: number, place: string])[] = [];
  const left: string[] = [];
  const reach: Reach = () =>
    Promise.resolve({
      jobs: {
        cancel: ({ cancel }) => {
          const failure = failures[cancelled.length];
          cancelled.push([Date.now() - startedMs, cancel]);
          return failure === undefined ? Promise.resolve() : Promise.reject(failure);
        },
      } as Pick<JobProvider, "cancel"> as JobProvider,
      io: {} as ProviderIo,
      gate: { leave: (holder: string) => void left.push(holder) } as Pick<
        TaskGate,
        "leave"
      > as TaskGate,
    });
  return { cancelled, left, reach };
}

const timesOf = (cancelled: readonly (readonly [ms: number, place: string])[]) =>
  cancelled.map(([ms]) => ms);

describe("the cancel of a job", () => {
  test("that fails twice succeeds at its second repeat, and is not repeated again", async () => {
    const { cancelled, left, reach } = providerOf([unavailable(), unavailable()]);
    let isOver = false;
    const cancelling = cancelJob(JOB, reach).then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(799);
    expect([timesOf(cancelled), isOver]).toEqual([[0, 200], false]);
    await vi.advanceTimersByTimeAsync(1);
    await cancelling;
    await vi.runAllTimersAsync();
    expect(cancelled).toEqual([0, 200, 800].map((ms) => [ms, "/jobs/j1/cancel"]));
    // Its place is given back once, whatever becomes of the cancel.
    expect(left).toEqual(["job/j1"]);
  });

  test("that never succeeds is repeated three times within 2.6 s, and throws nothing", async () => {
    const { cancelled, left, reach } = providerOf(Array.from({ length: 9 }, () => unavailable()));
    const cancelling = cancelJob(JOB, reach);
    await vi.runAllTimersAsync();
    await expect(cancelling).resolves.toBeUndefined();
    expect(timesOf(cancelled)).toEqual([0, 200, 800, 2_600]);
    expect(left).toEqual(["job/j1"]);
  });

  test.each([
    ["a failure that would occur again", new NodeError("PROVIDER_AUTH_FAILED", "…")],
    ["an error that is none of the provider's", new TypeError("…")],
  ])("is not repeated after %s", async (_what, error) => {
    const { cancelled, reach } = providerOf([error]);
    const cancelling = cancelJob(JOB, reach);
    await vi.runAllTimersAsync();
    await expect(cancelling).resolves.toBeUndefined();
    expect(timesOf(cancelled)).toEqual([0]);
  });

  test("reaches every job of a token that still works, and no other", async () => {
    const { cancelled, reach } = providerOf([]);
    const call = { failure: null, unconfirmed: 0, timeouts: 0 };
    const jobOf = (id: string, isDone: boolean) => ({
      ...JOB,
      job: { id, status: `/${id}`, result: `/${id}`, cancel: `/${id}/cancel` },
      isDone,
    });
    const token = encodeCalls(
      {
        lease: 2,
        calls: new Map([
          ["a", { ...call, job: jobOf("a", false) }],
          ["b", { ...call, job: jobOf("b", true) }],
          ["c", { ...call, job: null }],
          ["d", { ...call, job: jobOf("d", false) }],
        ]),
      },
      2_048,
    );
    await cancelJobsOf(token, reach);
    expect(cancelled.map(([, place]) => place)).toEqual(["/a/cancel", "/d/cancel"]);
    await cancelJobsOf("no token of jobs", reach);
    expect(cancelled).toHaveLength(2);
  });
});
