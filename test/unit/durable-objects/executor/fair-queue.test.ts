import { describe, expect, test } from "vitest";
import { ACTIVE_MS, FairQueue } from "../../../../durable-objects/executor/fair-queue.ts";

/** Work of an executor object: tasks of a duration in milliseconds, from a given time on. */
interface Work {
  readonly workspace: string;
  readonly fromMs: number;
  readonly taskMs: number;
  readonly tasks: number;
  /** Times at which the workspace's runs know of other work on the thread outside of the runner. */
  readonly company?: (nowMs: number) => boolean;
}

interface Begun {
  readonly workspace: string;
  readonly atMs: number;
  readonly waitedMs: number;
  readonly number: number;
}

/**
 * One thread with a clock of its own: executor objects that poll in turn, and tasks that hold the
 * thread while they compute.
 */
function simulate(works: readonly Work[], untilMs: number): Begun[] {
  const fairQueue = new FairQueue();
  const begun: Begun[] = [];
  let nowMs = 1_000_000;
  const startMs = nowMs;
  const heads = works.map((work) => ({ work, left: work.tasks, sinceMs: 0 }));
  const open = new Map<(typeof heads)[number], ReturnType<FairQueue["join"]>>();
  const wakeMs = new Map<(typeof heads)[number], number>();
  while (nowMs - startMs < untilMs) {
    let ended: (() => void) | undefined;
    for (const head of heads) {
      if (head.left === 0 || nowMs - startMs < head.work.fromMs) {
        continue;
      }
      let ticket = open.get(head);
      if (ticket === undefined) {
        ticket = fairQueue.join(head.work.workspace, fairQueue.takeNumber(), nowMs);
        open.set(head, ticket);
        head.sinceMs = nowMs;
      }
      if (head.work.company?.(nowMs - startMs) === true) {
        fairQueue.noteOthers(head.work.workspace, nowMs);
      }
      if ((wakeMs.get(head) ?? 0) > nowMs) {
        continue;
      }
      const waitMs = fairQueue.poll(ticket, nowMs);
      if (waitMs !== null) {
        wakeMs.set(head, nowMs + waitMs);
        continue;
      }
      const quantum = fairQueue.begin(ticket, nowMs);
      open.delete(head);
      head.left--;
      begun.push({
        workspace: head.work.workspace,
        atMs: nowMs - startMs,
        waitedMs: nowMs - head.sinceMs,
        number: ticket.number,
      });
      nowMs += head.work.taskMs;
      ended = () => {
        fairQueue.end(quantum, nowMs);
      };
    }
    // A turn of the event loop.
    nowMs += 0.25;
    ended?.();
  }
  return begun;
}

const crowd = (workspace: string, taskMs: number): Work[] =>
  Array.from({ length: 4 }, () => ({ workspace, fromMs: 0, taskMs, tasks: 10_000 }));
const busyMs = (begun: readonly Begun[], workspace: string, taskMs: number) =>
  begun.filter((task) => task.workspace === workspace).length * taskMs;

describe("turns on a shared thread", () => {
  test("a workspace alone uses all of the thread", () => {
    const begun = simulate(crowd("a", 6), 1_000);
    expect(busyMs(begun, "a", 6)).toBeGreaterThan(900);
  });

  test("a single task of another workspace waits for one task of a large fan-out, whatever its backlog", () => {
    const lone = Array.from({ length: 20 }, (_, i) => ({
      workspace: "b",
      fromMs: 200 + i * 90,
      taskMs: 2,
      tasks: 1,
    }));
    const begun = simulate([...crowd("a", 6), ...lone], 2_500);
    const waits = begun.filter(({ workspace }) => workspace === "b").map((task) => task.waitedMs);
    expect(waits).toHaveLength(20);
    expect(Math.max(...waits)).toBeLessThanOrEqual(6.5);
  });

  test("a large fan-out leaves two thirds of the thread to work outside of the runner", () => {
    const works = crowd("a", 6).map((work) => ({ ...work, company: (ms: number) => ms < 1_000 }));
    const begun = simulate(works, 2_500);
    const during = begun.filter(({ atMs }) => atMs < 1_000);
    const after = begun.filter(({ atMs }) => atMs >= 1_000 + ACTIVE_MS && atMs < 2_000 + ACTIVE_MS);
    expect(busyMs(during, "a", 6)).toBeGreaterThan(270);
    expect(busyMs(during, "a", 6)).toBeLessThanOrEqual(345);
    expect(busyMs(after, "a", 6)).toBeGreaterThan(900);
  });

  test("the thread is shared by time: fast tasks run between any two slow ones, not after all of them", () => {
    const slow = ["s1", "s2", "s3"];
    const begun = simulate([...slow.flatMap((name) => crowd(name, 20)), ...crowd("q", 2)], 6_000);
    const queue = (name: string) => begun.filter(({ workspace }) => workspace === name).length;
    const slowQuanta = slow.map(queue);
    expect(queue("q")).toBeGreaterThan(0.9 * slowQuanta.reduce((a, b) => a + b));
    expect(Math.min(...slowQuanta)).toBeGreaterThan(0.9 * Math.max(...slowQuanta));
  });

  test("an inactive workspace saves up no time", () => {
    const late = ["l1", "l2"].flatMap((name) =>
      crowd(name, 5).map((work) => ({ ...work, fromMs: 2_000 })),
    );
    const begun = simulate([...crowd("early", 5), ...late], 3_000).filter(
      ({ atMs }) => atMs >= 2_000,
    );
    expect(busyMs(begun, "early", 5)).toBeGreaterThan(250);
    expect(busyMs(begun, "l1", 5)).toBeGreaterThan(250);
  });

  test("within a workspace the task that came first begins first", () => {
    const fairQueue = new FairQueue();
    const second = fairQueue.takeNumber();
    const third = fairQueue.takeNumber();
    const late = fairQueue.join("a", third, 0);
    const early = fairQueue.join("a", second, 0);
    expect(fairQueue.poll(late, 0)).toBe(0);
    expect(fairQueue.poll(early, 0)).toBe(null);
  });

  test("alone, a task with many before it polls again after a while; the next one, and one with competition, poll at once", () => {
    const fairQueue = new FairQueue();
    const numbers = Array.from({ length: 40 }, () => fairQueue.takeNumber());
    const tickets = numbers.map((number) => fairQueue.join("a", number, 0));
    let nowMs = 0;
    // Eight turns of 2 ms, to measure the duration of one.
    for (const ticket of tickets.slice(0, 8)) {
      expect(fairQueue.poll(ticket, nowMs)).toBe(null);
      const quantum = fairQueue.begin(ticket, nowMs);
      nowMs += 2;
      fairQueue.end(quantum, nowMs);
    }
    const waits = tickets.slice(8).map((ticket) => fairQueue.poll(ticket, nowMs));
    expect(waits.slice(0, 2)).toEqual([null, 0]);
    // Half of the expected time of the tasks before it, but never so long that the thread is idle
    // because of it.
    expect(waits[6]).toBeGreaterThan(2);
    expect(waits[6]).toBeLessThanOrEqual(6);
    expect(waits.at(-1)).toBe(8);
    fairQueue.noteOthers("a", nowMs);
    expect(tickets.slice(9).map((ticket) => fairQueue.poll(ticket, nowMs + 4))).toEqual(
      tickets.slice(9).map(() => 0),
    );
  });

  test("a turn of a dead holder ends after fifty polls", () => {
    const fairQueue = new FairQueue();
    const dead = fairQueue.join("a", fairQueue.takeNumber(), 0);
    expect(fairQueue.poll(dead, 0)).toBe(null);
    fairQueue.begin(dead, 0);
    const next = fairQueue.join("b", fairQueue.takeNumber(), 0);
    const answers = Array.from({ length: 60 }, () => fairQueue.poll(next, 0));
    expect(answers.indexOf(null)).toBe(49);
  });

  test("a dead waiter does not hold up the others", () => {
    const fairQueue = new FairQueue();
    fairQueue.join("a", fairQueue.takeNumber(), 0);
    const alive = fairQueue.join("a", fairQueue.takeNumber(), 0);
    let polls = 0;
    while (fairQueue.poll(alive, 0) !== null && polls < 5_000) {
      polls++;
    }
    expect(polls).toBeLessThan(1_100);
  });

  test("a clock that stops or steps back blocks nothing", () => {
    const fairQueue = new FairQueue();
    for (const nowMs of [5_000, 5_000, 5_000, 100, 100]) {
      for (const workspace of ["a", "b"]) {
        fairQueue.noteOthers(workspace, nowMs);
        const ticket = fairQueue.join(workspace, fairQueue.takeNumber(), nowMs);
        let restedMs = 0;
        for (;;) {
          const waitMs = fairQueue.poll(ticket, nowMs + restedMs);
          if (waitMs === null) {
            break;
          }
          restedMs += Math.max(waitMs, 1);
          expect(restedMs).toBeLessThan(200);
        }
        fairQueue.end(fairQueue.begin(ticket, nowMs + restedMs), nowMs + restedMs);
      }
    }
  });
});
