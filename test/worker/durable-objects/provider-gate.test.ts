/** What the gate of a provider stores, over restarts and releases (docs/decisions/provider-gate.md). */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { ProviderGateObject } from "../../../durable-objects/provider-gate/provider-gate-object.ts";
import type { RunnerEnv } from "../../../src/platform/env.ts";

/** Bindings that the check of the runner's environment requires, besides those of the API Worker. */
const BINDINGS = {
  ...env,
  RENDERER_EXECUTOR: {},
  MEDIA_EXECUTOR: {},
  SOUND_DECODER: {},
  EXECUTOR: {},
  WEBHOOK_SENDER: {},
  ZIP_BUILDER: {},
  ORGANIZATION_MOVE: {},
  BATCH: {},
  BATCH_EXPORT: {},
  PROVIDER_GATE: {},
  CACHE: {},
} as unknown as RunnerEnv;

/** Runs `test` over the storage of an object of its own. */
async function inStorage(test: (state: DurableObjectState) => Promise<void>): Promise<void> {
  const stub = env.RATE_LIMITER.get(env.RATE_LIMITER.newUniqueId());
  await runInDurableObject(stub, (_object, state) => test(state));
  await evictDurableObject(stub);
}

const WHO = { workspace_id: "a", run_id: "r1" } as const;
const AS = { v: 1, ...WHO } as const;

function leaving(...holders: readonly string[]) {
  return { v: 1, left: holders.map((holder) => ({ ...WHO, holder })) } as const;
}

/** A visitor that nobody is to wake, at a gate with one place. */
function entering(holder: string) {
  return { ...AS, holder, left: [], task_id: null, limits: { all: 1, each: 1 } } as const;
}

async function isAdmitted(gate: ProviderGateObject, holder: string): Promise<boolean> {
  const { admitted } = await gate.enter(entering(holder));
  await gate.leave(leaving(holder));
  return admitted;
}

it("a job that is stored in format 1 keeps its place over a restart, until it ends", () =>
  inStorage(async (state) => {
    const first = new ProviderGateObject(state, BINDINGS);
    await first.renew({ ...AS, holder: "job/1", is_job: true });
    expect(state.storage.kv.get("jobs")).toEqual([1, ["job/1", "a"]]);
    expect(await isAdmitted(new ProviderGateObject(state, BINDINGS), "x")).toBe(false);
    const third = new ProviderGateObject(state, BINDINGS);
    await third.leave(leaving("job/1"));
    expect(state.storage.kv.get("jobs")).toEqual([1]);
    expect(await isAdmitted(new ProviderGateObject(state, BINDINGS), "x")).toBe(true);
  }));

it("a row of format 1 as the first release has written it is read", () =>
  inStorage(async (state) => {
    state.storage.kv.put("jobs", [1, ["job/1", "a"], ["job/2", "b"]]);
    expect(await isAdmitted(new ProviderGateObject(state, BINDINGS), "x")).toBe(false);
  }));

it("a row of a later format is never overwritten, and its jobs hold places from their next poll on", () =>
  inStorage(async (state) => {
    const later = [2, { holder: "job/1", workspace: "a" }];
    state.storage.kv.put("jobs", later);
    for (let restart = 0; restart < 2; restart++) {
      const gate = new ProviderGateObject(state, BINDINGS);
      expect(await isAdmitted(gate, "x")).toBe(true);
      await gate.renew({ ...AS, holder: "job/1", is_job: true });
      expect(await isAdmitted(gate, "x")).toBe(false);
      await gate.leave(leaving("job/1"));
      expect(await isAdmitted(gate, "x")).toBe(true);
      expect(state.storage.kv.get("jobs")).toEqual(later);
    }
  }));

it("those who have left make room for the visitor who tells of them", () =>
  inStorage(async (state) => {
    const gate = new ProviderGateObject(state, BINDINGS);
    expect(await gate.enter(entering("x"))).toEqual({ admitted: true });
    expect(await gate.enter(entering("y"))).toMatchObject({ admitted: false });
    const left = [{ ...WHO, holder: "x" }];
    expect(await gate.enter({ ...entering("y"), left })).toEqual({ admitted: true });
  }));
