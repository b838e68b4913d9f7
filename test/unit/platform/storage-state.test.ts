/** What the local service knows of its disk, shared between requests as answers and never as promises. */
import { describe, expect, test } from "vitest";
import { isDiskFull } from "../../../src/platform/storage-state.ts";

/** A reserve whose checks end when the test says so. */
function slowReserve() {
  const checks: ((status: number) => void)[] = [];
  const fetch = () =>
    new Promise<Response>((resolve) => {
      checks.push((status) => resolve(new Response(null, { status })));
    });
  return { env: { RESERVE: { fetch } as unknown as Fetcher }, checks };
}

describe("whether the disk is full", () => {
  test("no request waits for the check of another one: the first two check for themselves", async () => {
    const { env, checks } = slowReserve();
    const first = isDiskFull(env, 1_000);
    const second = isDiskFull(env, 1_000);
    expect(checks).toHaveLength(2);
    checks[1]?.(404);
    // The first check never ends, as if its client had left.
    expect(await second).toBe(true);
    void first;
  });

  test("requests use the last answer for 50 ms, and while one of them checks again", async () => {
    const { env, checks } = slowReserve();
    const first = isDiskFull(env, 1_000);
    checks[0]?.(200);
    expect(await first).toBe(false);
    expect(await isDiskFull(env, 1_050)).toBe(false);
    expect(checks).toHaveLength(1);
    const again = isDiskFull(env, 1_051);
    expect(await isDiskFull(env, 1_060)).toBe(false);
    expect(checks).toHaveLength(2);
    checks[1]?.(404);
    expect(await again).toBe(true);
    expect(await isDiskFull(env, 1_061)).toBe(true);
  });

  test("a check that was lost with its request stops no one: after a second the next request checks", async () => {
    const { env, checks } = slowReserve();
    const first = isDiskFull(env, 1_000);
    checks[0]?.(200);
    await first;
    void isDiskFull(env, 1_100);
    const next = isDiskFull(env, 2_101);
    checks[2]?.(404);
    expect(await next).toBe(true);
  });
});
