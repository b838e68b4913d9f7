import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { UndeliveredStarts } from "../../../../durable-objects/workspace/undelivered-starts.ts";
import { WorkspaceEffects } from "../../../../durable-objects/workspace/workspace-effects.ts";
import type { Env } from "../../../../src/platform/env.ts";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Effects for a list of promoted runs; those in `dead` cannot be notified. */
function effectsOver(count: number, dead: (seq: number) => boolean) {
  let promoted = Array.from({ length: count }, (_, at) => ({
    seq: at + 1,
    run_id: `run_${String(at + 1)}`,
  }));
  const calls = new Map<string, number>();
  const starts = {
    kept: () => undefined,
    promoted: (limit: number, after: number) =>
      promoted.filter(({ seq }) => seq > after).slice(0, limit),
    promotionDelivered: (runId: string) => {
      promoted = promoted.filter(({ run_id: id }) => id !== runId);
    },
  };
  const env = {
    RUN: {
      idFromName: (name: string) => name,
      get: (runId: string) => ({
        promote: () => {
          calls.set(runId, (calls.get(runId) ?? 0) + 1);
          return dead(Number(runId.slice("run_".length)))
            ? Promise.reject(new Error("broken"))
            : Promise.resolve();
        },
      }),
    },
  };
  const effects = new WorkspaceEffects(
    env as unknown as Env,
    starts as unknown as UndeliveredStarts,
  );
  return { effects, calls, left: () => promoted.map(({ seq }) => seq) };
}

it("notifies the runs after any number of unreachable runs, each once in a pass", async () => {
  const { effects, calls, left } = effectsOver(65, (seq) => seq <= 45);
  expect(await effects.deliverPromotions()).toBe(false);
  expect(left()).toEqual(Array.from({ length: 45 }, (_, at) => at + 1));
  expect(new Set(calls.values())).toEqual(new Set([1]));
  expect(await effects.deliverPromotions()).toBe(false);
  expect(calls.get("run_1")).toBe(2);
});

it("continues in the next pass when a pass has reached its limit", async () => {
  const { effects, left } = effectsOver(450, (seq) => seq <= 425);
  expect(await effects.deliverPromotions()).toBe(false);
  expect(left()).toContain(450);
  await effects.deliverPromotions();
  expect(left().at(-1)).toBe(425);
});

it("reports when all runs have been notified", async () => {
  const { effects, left } = effectsOver(41, () => false);
  expect(await effects.deliverPromotions()).toBe(true);
  expect(left()).toEqual([]);
});
