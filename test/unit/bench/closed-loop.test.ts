import { describe, expect, it } from "vitest";
import { closedLoop } from "../../../bench/closed-loop.ts";

describe("a closed loop", () => {
  it("starts no more calls than allowed, with no more clients at a time, and ends all of them", async () => {
    let [started, running, most] = [0, 0, 0];
    const once = async () => {
      started += 1;
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running -= 1;
    };
    const { done } = await closedLoop(once, { clients: 3, starts: 10, forMs: 60_000 });
    expect({ started, running, most, done }).toEqual({
      started: 10,
      running: 0,
      most: 3,
      done: 10,
    });
  });

  it("starts nothing after its time has ended", async () => {
    const once = () => new Promise((resolve) => setTimeout(resolve, 20));
    const { done, elapsedMs } = await closedLoop(once, { clients: 2, starts: Infinity, forMs: 1 });
    expect(done).toBe(2);
    expect(elapsedMs).toBeGreaterThan(15);
  });

  it("throws the error of any of its clients", async () => {
    const once = () => Promise.reject(new Error("wrong output"));
    await expect(closedLoop(once, { clients: 2, starts: 4, forMs: 1000 })).rejects.toThrow("wrong");
  });
});
