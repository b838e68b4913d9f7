import { describe, expect, test } from "vitest";
import { LeasedTasks } from "../../../../durable-objects/executor/leased-tasks.ts";

describe("leases of an executor object", () => {
  test("never hold more tasks than its quota, and let the next chunk in as tasks end", () => {
    const leased = new LeasedTasks();
    leased.setQuota(40);
    const first = leased.reserve(16);
    const second = leased.reserve(16);
    expect([leased.held, leased.reserve(16)]).toEqual([32, undefined]);
    // The claim returned fewer tasks than a chunk may have.
    second?.keep(5);
    expect(leased.held).toBe(21);
    expect(leased.reserve(16)).toBeDefined();
    expect(leased.held).toBe(37);
    first?.keep(15);
    expect([leased.held, leased.reserve(16)]).toEqual([36, undefined]);
    first?.keep(0);
    first?.keep(0);
    expect(leased.held).toBe(21);
  });

  test("always let one chunk in, with any quota", () => {
    const leased = new LeasedTasks();
    leased.setQuota(1);
    const only = leased.reserve(16);
    expect([only === undefined, leased.reserve(16)]).toEqual([false, undefined]);
    only?.keep(1);
    expect(leased.reserve(16)).toBeUndefined();
    only?.keep(0);
    expect(leased.reserve(16)).toBeDefined();
  });
});
