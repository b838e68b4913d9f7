/** Who may call a provider (docs/contract/models.md#concurrency): caps, turns, pauses, and places that nobody renews. */
import { describe, expect, it } from "vitest";
import type { GateLimits } from "../../../../src/contracts/models/provider-gate.ts";
import {
  JOB_LEASE_MS,
  ProviderGate,
  REQUEST_LEASE_MS,
  type Wake,
} from "../../../../src/domain/models/provider-gate.ts";
import { LIMITS } from "../../../../src/lib/limits/limits-table.ts";

const T0 = 1_700_000_000_000;

function visitOf(workspace: string, run: string, task: number) {
  return { workspace, run, task, holder: `${workspace}/${run}/${task}` };
}

/** A gate with a clock; every woken task claims its place at once, unless it is in `deaf`. */
class Played {
  nowMs = T0;
  gate: ProviderGate;
  readonly inside = new Set<string>();
  readonly order: string[] = [];
  readonly limits: GateLimits;

  constructor(limits: GateLimits, gate = new ProviderGate([], T0)) {
    this.limits = limits;
    this.gate = gate;
  }

  come(workspace: string, run: string, task: number): boolean {
    const wakes: Wake[] = [];
    const answer = this.gate.enter(visitOf(workspace, run, task), this.limits, this.nowMs, wakes);
    if (answer.admitted) {
      this.#admit(`${workspace}/${run}/${task}`);
    }
    this.claim(wakes);
    return answer.admitted;
  }

  go(holder: string): void {
    const [workspace = "", run = ""] = holder.split("/");
    this.inside.delete(holder);
    this.gate.leave({ workspace, run, holder });
    this.claim(this.gate.grant(this.nowMs));
  }

  claim(wakes: readonly Wake[]): void {
    for (const { workspace, run, task } of wakes) {
      expect(this.come(workspace, run, task)).toBe(true);
    }
  }

  #admit(holder: string): void {
    this.inside.add(holder);
    this.order.push(holder);
  }

  countOf(workspace: string): number {
    return [...this.inside].filter((holder) => holder.startsWith(`${workspace}/`)).length;
  }
}

/** Comes and goes in a fixed disorder; returns the most that were inside at once. */
function shake(limits: GateLimits, gate?: ProviderGate) {
  const played = new Played(limits, gate);
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * below);
  };
  const most = { all: 0, each: 0 };
  let task = 0;
  for (let step = 0; step < 1_000; step++) {
    const isComing = random(2) === 0 && task < 400;
    if (isComing) {
      played.come(`w${random(4)}`, `r${random(3)}`, task++);
    } else if (played.inside.size > 0) {
      played.go([...played.inside][random(played.inside.size)]!);
    }
    most.all = Math.max(most.all, played.inside.size);
    for (const workspace of ["w0", "w1", "w2", "w3"]) {
      most.each = Math.max(most.each, played.countOf(workspace));
    }
  }
  while (played.inside.size > 0) {
    played.go([...played.inside][0]!);
  }
  return { most, admitted: played.order.length, came: task, left: played.gate.waiting };
}

describe("a gate", () => {
  it("admits as many as it has places, over all workspaces and of each, and everybody in the end", () => {
    const { most, admitted, came, left } = shake({ all: 6, each: 3 });
    expect(most).toEqual({ all: 6, each: 3 });
    expect(came).toBeGreaterThan(390);
    expect([admitted, left]).toEqual([came, 0]);
  });

  it.each([
    ["one place more than there are", { all: 7, each: 3 }],
    ["no limit of a workspace", { all: 6, each: 6 }],
  ])("whose caps are wrong is caught: %s", (_name, planted) => {
    class Faulty extends ProviderGate {
      override enter(...[visit, , nowMs, wakes]: Parameters<ProviderGate["enter"]>) {
        return super.enter(visit, planted, nowMs, wakes);
      }
    }
    expect(shake({ all: 6, each: 3 }, new Faulty([], T0)).most).not.toEqual({ all: 6, each: 3 });
  });

  it("that does not give places back is caught", () => {
    class Faulty extends ProviderGate {
      override leave(): void {}
    }
    const { admitted, came } = shake({ all: 6, each: 3 }, new Faulty([], T0));
    expect(admitted).toBeLessThan(came);
  });

  it("lets workspaces take turns, and the runs of a workspace", () => {
    const played = new Played({ all: 1, each: 1 });
    played.come("a", "r1", 0);
    for (const [workspace, run, task] of [
      ["a", "r1", 1],
      ["a", "r1", 2],
      ["a", "r2", 3],
      ["b", "r3", 4],
      ["b", "r3", 5],
    ] as const) {
      expect(played.come(workspace, run, task)).toBe(false);
    }
    while (played.inside.size > 0) {
      played.go([...played.inside][0]!);
    }
    expect(played.order).toEqual(["a/r1/0", "a/r1/1", "b/r3/4", "a/r2/3", "b/r3/5", "a/r1/2"]);
  });

  it("keeps the position of a task that asks again, and overtakes nobody for a newcomer", () => {
    const played = new Played({ all: 1, each: 1 });
    played.come("a", "r1", 0);
    played.come("a", "r1", 1);
    played.come("a", "r1", 2);
    played.come("a", "r1", 1);
    played.go("a/r1/0");
    expect(played.order).toEqual(["a/r1/0", "a/r1/1"]);
  });

  it("frees the place of a request that nobody renews, and of a job later", () => {
    const played = new Played({ all: 1, each: 1 });
    played.come("a", "r1", 0);
    played.come("a", "r1", 1);
    expect(played.gate.nextMs()).toBe(T0 + REQUEST_LEASE_MS);
    expect(played.gate.grant(T0 + REQUEST_LEASE_MS - 1)).toEqual([]);
    expect(played.gate.grant(T0 + REQUEST_LEASE_MS)).toMatchObject([{ run: "r1", task: 1 }]);

    const jobs = new Played({ all: 1, each: 1 });
    jobs.come("a", "r1", 0);
    const as = { workspace: "a", holder: "job/1" };
    jobs.gate.renew(as, { isJob: true, was: "a/r1/0" }, T0);
    jobs.come("a", "r1", 1);
    expect(jobs.gate.grant(T0 + REQUEST_LEASE_MS)).toEqual([]);
    expect(jobs.gate.grant(T0 + JOB_LEASE_MS)).toHaveLength(1);
  });

  it("keeps jobs that it is told of after it lost its memory, and requests that are renewed", () => {
    const first = new Played({ all: 2, each: 2 });
    first.come("a", "r1", 0);
    first.gate.renew({ workspace: "a", holder: "job/1" }, { isJob: true, was: "a/r1/0" }, T0);
    const again = new Played({ all: 2, each: 2 }, new ProviderGate(first.gate.jobs, T0));
    again.gate.renew({ workspace: "a", holder: "a/r1/5" }, { isJob: false }, T0);
    expect(again.come("a", "r1", 7)).toBe(false);
    expect(again.gate.placesHeld).toBe(2);
  });

  it("gives a reserved place to the next one if it is not claimed in time", () => {
    const played = new Played({ all: 1, each: 1 });
    played.come("a", "r1", 0);
    played.come("a", "r1", 1);
    played.come("b", "r2", 2);
    played.gate.leave({ workspace: "a", run: "r1", holder: "a/r1/0" });
    expect(played.gate.grant(T0)).toMatchObject([{ task: 1 }]);
    expect(played.gate.grant(T0 + 14_999)).toEqual([]);
    expect(played.gate.grant(T0 + 15_000)).toMatchObject([{ task: 2 }]);
  });

  it("forgets the tasks of a run that has ended", () => {
    const played = new Played({ all: 1, each: 1 });
    played.come("a", "r1", 0);
    for (let task = 1; task < 100; task++) {
      played.come("a", "r1", task);
    }
    played.come("a", "r2", 100);
    played.gate.forgetRun("a", "r1");
    expect(played.gate.waiting).toBe(1);
    played.go("a/r1/0");
    expect(played.order).toEqual(["a/r1/0", "a/r2/100"]);
  });

  it("takes new limits with the next visitor", () => {
    const gate = new ProviderGate([], T0);
    const wakes: Wake[] = [];
    gate.enter(visitOf("a", "r", 1), { all: 1, each: 1 }, T0, wakes);
    expect(gate.enter(visitOf("a", "r", 2), { all: 1, each: 1 }, T0, wakes).admitted).toBe(false);
    // The first in the queue gets the new place before the visitor that brought the limits.
    expect(gate.enter(visitOf("a", "r", 3), { all: 2, each: 2 }, T0, wakes).admitted).toBe(false);
    expect(wakes).toMatchObject([{ task: 2 }]);
  });
});

describe("a pause", () => {
  function pausedGate(gate = new ProviderGate([], T0)) {
    const played = new Played({ all: 4, each: 4 }, gate);
    gate.pause("a", 2_000, T0);
    return played;
  }

  it("holds back every call of the workspace until its end, and nobody else's", () => {
    const played = pausedGate();
    expect([played.come("a", "r1", 1), played.come("b", "r2", 2)]).toEqual([false, true]);
    expect(played.gate.nextMs()).toBe(T0 + 2_000);
    expect(played.gate.grant(T0 + 1_999)).toEqual([]);
    expect(played.gate.grant(T0 + 2_000)).toMatchObject([{ workspace: "a", task: 1 }]);
  });

  it("of one workspace that holds back another is caught", () => {
    class Faulty extends ProviderGate {
      override pause(workspace: string, forMs: number, nowMs: number): void {
        for (const each of [workspace, "b"]) {
          super.pause(each, forMs, nowMs);
        }
      }
    }
    const played = pausedGate(new Faulty([], T0));
    expect([played.come("a", "r1", 1), played.come("b", "r2", 2)]).not.toEqual([false, true]);
  });

  it("reaches those who are inside with their next call, and is not cut short by a shorter one", () => {
    const played = new Played({ all: 4, each: 4 });
    played.come("a", "r1", 1);
    played.gate.pause("a", 2_000, T0);
    played.gate.pause("a", 500, T0);
    const as = { workspace: "a", holder: "a/r1/1" };
    expect(played.gate.renew(as, { isJob: false }, T0 + 100)).toBe(1_900);
    expect(played.gate.renew(as, { isJob: false }, T0 + 2_000)).toBe(0);
  });

  it("takes a reserved place back, and tells when to ask again", () => {
    const played = new Played({ all: 1, each: 1 });
    played.come("a", "r1", 0);
    played.come("a", "r1", 1);
    played.gate.leave({ workspace: "a", run: "r1", holder: "a/r1/0" });
    played.gate.grant(T0);
    played.gate.pause("a", 60_000, T0);
    const answer = played.gate.enter(visitOf("a", "r1", 1), { all: 1, each: 1 }, T0, []);
    expect(answer).toEqual({ admitted: false, wait_ms: 60_000 });
    expect(played.come("b", "r2", 2)).toBe(true);
  });

  it("lasts a minute at most, also after the clock has stepped back", () => {
    const played = pausedGate();
    const dayBefore = T0 - 86_400_000;
    expect(played.gate.renew({ workspace: "a", holder: "x" }, { isJob: false }, dayBefore)).toBe(
      60_000,
    );
  });
});

/** `count` tasks of one run come to a gate with eight places; returns when those who wait ask again. */
function crowd(gate: ProviderGate, count: number): number[] {
  const waits: number[] = [];
  for (let task = 0; task < count; task++) {
    const answer = gate.enter(visitOf("a", "r1", task), { all: 8, each: 8 }, T0, []);
    if (!answer.admitted) {
      waits.push(answer.wait_ms);
    }
  }
  return waits;
}

/** The most that ask again in one second. */
function busiestOf(waits: readonly number[]): number {
  const seconds = Map.groupBy(waits, (ms) => Math.floor(ms / 1_000));
  return Math.max(...[...seconds.values()].map(({ length }) => length));
}

describe("the queue", () => {
  it("has room for 10,000 tasks, which ask again four times in a second at most", () => {
    const gate = new ProviderGate([], T0);
    const waits = crowd(gate, 10_008);
    expect(gate.waiting).toBe(10_000);
    expect(Math.min(...waits)).toBeGreaterThan(10_000);
    expect(busiestOf(waits)).toBeLessThanOrEqual(4);
  });

  it("does not grow beyond that: the others ask again one after the other, within an hour", () => {
    const gate = new ProviderGate([], T0);
    const beyond = crowd(gate, 30_008).slice(10_000);
    expect(gate.waiting).toBe(LIMITS.provider_queue.value);
    expect(beyond).toHaveLength(20_000);
    expect(busiestOf(beyond.filter((ms) => ms < 3_600_000))).toBe(4);
    expect([Math.min(...beyond), Math.max(...beyond)]).toEqual([30_000, 3_600_000]);
  });

  it("that grows without an end is caught", () => {
    const gate = new ProviderGate([], T0, Infinity);
    crowd(gate, 10_009);
    expect(gate.waiting).not.toBe(LIMITS.provider_queue.value);
  });

  it("admits everybody in the end, also those who found it full", () => {
    const played = new Played({ all: 1, each: 1 }, new ProviderGate([], T0, 3));
    const tasks = Array.from({ length: 10 }, (_, task) => task);
    for (let round = 0; round < 10 && played.order.length < tasks.length; round++) {
      for (const task of tasks.filter((each) => !played.order.includes(`a/r1/${each}`))) {
        played.come("a", "r1", task);
        expect(played.gate.waiting).toBeLessThanOrEqual(3);
      }
      for (let left = 0; left < 4 && played.inside.size > 0; left++) {
        played.go([...played.inside][0]!);
      }
    }
    expect(played.order.toSorted()).toEqual(tasks.map((task) => `a/r1/${task}`));
  });

  it("that is full has room for a workspace and a run that have less in it", () => {
    const played = new Played({ all: 1, each: 1 }, new ProviderGate([], T0, 4));
    for (const [workspace, run, task] of [
      ["a", "r1", 0],
      ["a", "r1", 1],
      ["a", "r1", 2],
      ["a", "r1", 3],
      ["a", "r1", 4],
      // It is full now.
      ["a", "r1", 5],
      ["b", "r2", 6],
      ["a", "r3", 7],
      // It has as many as the workspace "a".
      ["b", "r2", 8],
      ["b", "r2", 9],
    ] as const) {
      played.come(workspace, run, task);
      expect(played.gate.waiting).toBeLessThanOrEqual(4);
    }
    while (played.inside.size > 0) {
      played.go([...played.inside][0]!);
    }
    expect(played.order).toEqual(["a/r1/0", "a/r1/1", "b/r2/6", "a/r3/7", "b/r2/8"]);
  });

  it("keeps the position of a task that asks again while it is full", () => {
    const played = new Played({ all: 1, each: 1 }, new ProviderGate([], T0, 2));
    for (const task of [0, 1, 2, 3, 1]) {
      played.come("a", "r1", task);
    }
    expect(played.gate.waiting).toBe(2);
    played.go("a/r1/0");
    expect(played.order).toEqual(["a/r1/0", "a/r1/1"]);
  });
});
