import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ReportBatch } from "../../../../durable-objects/executor/report-batch.ts";
import type { TaskReport } from "../../../../src/contracts/runs/task.ts";

const report = (task_id: number, value = '["j",1]'): TaskReport => ({
  task_id,
  fence: 1,
  duration_ms: 1,
  outcome: { kind: "ok", outputs: [{ port: "value", value }] },
});

/** A batch whose calls are served by `answer`, with their results. */
function observed(response: (ids: number[]) => Promise<{ cancel: boolean }>) {
  const seen = {
    calls: [] as number[][],
    reported: [] as number[],
    dropped: [] as number[],
    cancels: 0,
  };
  const batch = new ReportBatch({
    send: (reports) => {
      const ids = reports.map(({ task_id }) => task_id);
      seen.calls.push(ids);
      return response(ids);
    },
    onReported: ({ task_id }) => seen.reported.push(task_id),
    onDropped: ({ task_id }) => seen.dropped.push(task_id),
    onCancel: () => seen.cancels++,
    onUnreachable: () => undefined,
  });
  return { batch, seen };
}

const taken = () => Promise.resolve({ cancel: false });

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("a batch of reports", () => {
  test("collects the tasks that end within a tenth of a second in one call", async () => {
    const { batch, seen } = observed(taken);
    batch.add(report(1));
    await vi.advanceTimersByTimeAsync(80);
    batch.add(report(2));
    expect(seen.calls).toEqual([]);
    await vi.advanceTimersByTimeAsync(50);
    batch.add(report(3));
    await vi.advanceTimersByTimeAsync(250);
    expect(seen.calls).toEqual([[1, 2], [3]]);
    expect(seen.reported).toEqual([1, 2, 3]);
  });

  test("waits for a second without a file where files are to be stored together", async () => {
    const { batch, seen } = observed(taken);
    batch.add({ ...report(1), duration_ms: 300 }, true);
    await vi.advanceTimersByTimeAsync(900);
    batch.add({ ...report(2), duration_ms: 4_000 }, true);
    await vi.advanceTimersByTimeAsync(900);
    expect(seen.calls).toEqual([]);
    await vi.advanceTimersByTimeAsync(110);
    expect(seen.calls).toEqual([[1, 2]]);
  });

  test("waits for files for five seconds at most, and not with one whose task was slow", async () => {
    const { batch, seen } = observed(taken);
    for (const id of [1, 2, 3, 4, 5, 6]) {
      batch.add(report(id), true);
      await vi.advanceTimersByTimeAsync(900);
    }
    expect(seen.calls).toEqual([[1, 2, 3, 4, 5, 6]]);
    batch.add(report(7), true);
    batch.add({ ...report(8), duration_ms: 6_000 }, true);
    batch.add(report(9), true);
    await vi.advanceTimersByTimeAsync(10);
    expect(seen.calls.slice(1)).toEqual([[7, 8, 9]]);
  });

  test("gathers what comes while a call is under way like what comes before", async () => {
    const { batch, seen } = observed(async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { cancel: false };
    });
    batch.add({ ...report(1), duration_ms: 6_000 }, true);
    await vi.advanceTimersByTimeAsync(10);
    batch.add(report(2), true);
    await vi.advanceTimersByTimeAsync(600);
    batch.add(report(3), true);
    expect(seen.calls).toEqual([[1]]);
    await vi.advanceTimersByTimeAsync(1_010);
    expect(seen.calls).toEqual([[1], [2, 3]]);
  });

  test("does not delay slow tasks, and sends the waiting ones with them", async () => {
    const { batch, seen } = observed(taken);
    batch.add(report(1));
    batch.add({ ...report(2), duration_ms: 5_000 });
    batch.add({ ...report(3), duration_ms: 5_000 });
    await vi.advanceTimersByTimeAsync(10);
    expect(seen.calls).toEqual([[1, 2, 3]]);
  });

  test("is sent at once when drained", async () => {
    const { batch, seen } = observed(taken);
    batch.add(report(1));
    await batch.drain();
    expect(seen.calls).toEqual([[1]]);
  });

  test("makes one call at a time, the next with everything that arrived during it", async () => {
    const { batch, seen } = observed(async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { cancel: false };
    });
    batch.add(report(1));
    await vi.advanceTimersByTimeAsync(101);
    batch.add(report(2));
    batch.add(report(3));
    await vi.advanceTimersByTimeAsync(50);
    expect(seen.calls).toEqual([[1]]);
    await vi.advanceTimersByTimeAsync(500);
    expect(seen.calls).toEqual([[1], [2, 3]]);
  });

  test("is split before it is too large for a call", async () => {
    const { batch, seen } = observed(taken);
    const large = "x".repeat(3 * 1024 * 1024);
    for (const id of [1, 2, 3, 4, 5]) {
      batch.add(report(id, large));
    }
    await batch.drain();
    expect(seen.calls).toEqual([[1, 2], [3, 4], [5]]);
  });

  test("drops a report that is never accepted, and delivers the others", async () => {
    const { batch, seen } = observed((ids) =>
      ids.includes(2) ? Promise.reject(new Error("refused")) : taken(),
    );
    for (const id of [1, 2, 3]) {
      batch.add(report(id));
    }
    await vi.advanceTimersByTimeAsync(60_000);
    expect(seen.dropped).toEqual([2]);
    expect(seen.reported).toEqual([1, 3]);
  });

  test("passes a cancellation on", async () => {
    const { batch, seen } = observed(() => Promise.resolve({ cancel: true }));
    batch.add(report(1));
    await batch.drain();
    expect(seen.cancels).toBe(1);
  });

  test("sends nothing more for a lost task, and nothing after it was closed", async () => {
    const { batch, seen } = observed(taken);
    batch.add(report(1));
    batch.add(report(2));
    batch.forget(1);
    await vi.advanceTimersByTimeAsync(210);
    batch.add(report(3));
    batch.giveUp();
    batch.add(report(4));
    await vi.advanceTimersByTimeAsync(10);
    await batch.drain();
    expect(seen.calls).toEqual([[2]]);
  });

  test("retries while calls fail", async () => {
    let isFirst = true;
    const { batch, seen } = observed(() => {
      const never = isFirst;
      isFirst = false;
      return never ? new Promise(() => undefined) : taken();
    });
    batch.add(report(1));
    await vi.advanceTimersByTimeAsync(15_000);
    expect(seen.calls).toEqual([[1], [1]]);
    expect(seen.reported).toEqual([1]);
  });
});
