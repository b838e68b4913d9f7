/** The behavior of a run's object while one of its calls has no response. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { RunObject } from "../../../durable-objects/run/run-object.ts";
import { newId } from "../../../src/platform/ids.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { CODES } from "./run-fixture.ts";

const START = {
  v: 1,
  run_id: newId("run", Date.now()),
  workspace_id: newId("workspace", Date.now()),
  organization_id: newId("organization", Date.now()),
  correlation_id: "test",
  workflow_id: newId("workflow", Date.now()),
  workflow_name: "Test",
  workflow_version: 1,
  interface_id: null,
  definition_json: CODES,
  inputs: [{ node_id: "rows", value_json: '["a","b"]' }],
  parameter_overrides: [],
  output_node_ids: null,
  admission_limits: {},
  prepaid: [],
  time_limit_ms: 86_400_000,
  created_at_ms: Date.now(),
  reserved_milli_credits: 0,
  is_held: false,
} as const;

/** Bindings with a workspace that accepts every call, except for the given ones. */
function bindings(workspace: object, queue: object = { sendBatch: () => Promise.resolve() }) {
  const api = {
    acknowledge: () => Promise.resolve(),
    settle: () => Promise.resolve(),
    ...workspace,
  };
  return {
    ...env,
    WORKSPACE: { idFromName: (name: string) => name, get: () => api },
    NODE_TASKS: queue,
  } as unknown as typeof env;
}

/** Runs the test in an object of its own, whose real instance is never called. */
async function inObject(work: (state: DurableObjectState) => Promise<void>): Promise<void> {
  const stub = env.RUN.get(env.RUN.newUniqueId());
  await runInDurableObject(stub, async (_object, state) => {
    await work(state);
    await state.storage.deleteAll();
    await state.storage.deleteAlarm();
  });
}

it("a run has its alarm before a repeated start reports to the workspace", () =>
  inObject(async (state) => {
    const lost = new RunObject(state, bindings({ acknowledge: () => Promise.reject(new Error()) }));
    await lost.start({ ...START, is_held: true });
    // The object is gone before its alarm is written.
    await state.storage.deleteAlarm();
    const alarms: (number | null)[] = [];
    const acknowledge = vi.fn(async () => {
      alarms.push(await state.storage.getAlarm());
    });
    const woken = new RunObject(state, bindings({ acknowledge }));
    await woken.start({ ...START, is_held: true });
    await waitUntil("the workspace to hear of it", () => Promise.resolve(alarms.length > 0));
    expect(alarms[0]).toBeGreaterThan(0);
  }));

it("an alarm does not fire again and again while an advance waits for a call", () =>
  inObject(async (state) => {
    const never = () => new Promise<void>(() => {});
    const run = new RunObject(state, bindings({}, { sendBatch: never, send: never }));
    await run.start(START);
    // Its hint is never sent: the chunk is overdue, and the turn that would send it again waits.
    const now = Date.now();
    const clock = vi.spyOn(Date, "now").mockImplementation(() => now + 30_000);
    try {
      await run.alarm();
      expect(await state.storage.getAlarm()).toBeGreaterThanOrEqual(now + 30_500);
    } finally {
      clock.mockRestore();
    }
  }));
