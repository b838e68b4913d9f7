import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { AdmitRequest, CloseRequest } from "../../../src/contracts/workspaces/admission.ts";
import { restoreStart, shortenStart } from "../../../src/domain/executions/submit/long-start.ts";
import { unwrap } from "../../../src/lib/result.ts";
import { newId } from "../../../src/platform/ids.ts";
import { runObject } from "../../../src/storage/objects/run-object.ts";
import { webhookEndpointObject } from "../../../src/storage/objects/webhook-endpoint-object.ts";
import { workspaceObject } from "../../../src/storage/objects/workspace-object.ts";
import { activeEndpoint } from "../../support/active-endpoint.ts";
import { newCaller } from "../../support/api-caller.ts";
import { ECHO_DEFINITION, publishedWorkflow } from "../../support/published-workflow.ts";
import { waitUntil } from "../../support/wait-until.ts";

/** Admits runs as the API Worker does; the test decides whether they are started. */
async function tenant() {
  const caller = await newCaller();
  const workflowId = await publishedWorkflow(caller);
  const api = () => workspaceObject({ env }, caller.workspaceId);
  const admit = async (words: string, more: Partial<AdmitRequest> = {}) => {
    const start = {
      v: 1,
      run_id: newId("run", Date.now()),
      workspace_id: caller.workspaceId,
      organization_id: caller.organizationId,
      correlation_id: "test",
      workflow_id: workflowId,
      workflow_name: "",
      workflow_version: 1,
      interface_id: null,
      inputs: [{ node_id: "in", value_json: JSON.stringify(words) }],
      parameter_overrides: [],
      output_node_ids: null,
      admission_limits: {},
      prepaid: [],
      time_limit_ms: 86_400_000,
      created_at_ms: 0,
    } as const;
    const outcome = unwrap(
      await api().admit({
        v: 1,
        is_pinned: false,
        exact_liability_milli_credits: 0,
        max_concurrent_executions: 256,
        monthly_milli_credits: 0,
        idempotency: null,
        ...more,
        start: await shortenStart(env.FILES, start),
      }),
    );
    if (outcome.kind !== "admitted") {
      throw new Error(outcome.kind);
    }
    return { ...start, ...outcome.start };
  };
  const ended = (runId: string) =>
    waitUntil(`the end of ${runId}`, async () => {
      const row = await api().getRun(runId);
      return row?.completed_at_ms !== null && row !== null && row;
    });
  const said = async (runId: string) => {
    const { execution } = unwrap(
      await runObject({ env }, runId).read({
        v: 1,
        workspace_id: caller.workspaceId,
        base_url: "",
        if_none_match: null,
        wait_ms: 0,
      }),
    );
    return execution?.outputs.map((output) => output.value);
  };
  return { caller, api, admit, ended, said };
}

describe("a run whose start was lost", () => {
  it("is started by the workspace's alarm", async () => {
    const { admit, ended, said } = await tenant();
    const { run_id } = await admit("hello");
    expect(await ended(run_id)).toMatchObject({ status: "completed", progress: 100 });
    expect(await said(run_id)).toEqual(["hello"]);
  });

  it("is started after a crash between its admission and its start", async () => {
    const { admit, ended, said } = await tenant();
    const { run_id } = await admit("after the crash");
    await abortAllDurableObjects();
    expect(await ended(run_id)).toMatchObject({ status: "completed" });
    expect(await said(run_id)).toEqual(["after the crash"]);
  });

  it("is started with every byte of a body of several megabytes", async () => {
    const { admit, ended, caller } = await tenant();
    // Two UTF-16 units per character, so that pieces would be cut inside a character.
    const words = `a${"😀é".repeat(450_000)}`;
    const { run_id } = await admit(words);
    await abortAllDurableObjects();
    expect(await ended(run_id)).toMatchObject({ status: "completed" });
    const document = unwrap(
      await runObject({ env }, run_id).result({
        v: 1,
        workspace_id: caller.workspaceId,
        base_url: "http://svc.test",
        if_none_match: null,
      }),
    );
    const result = JSON.parse(await new Response(document.body).text());
    const { url } = result.result.by_key.said;
    const object = await env.FILES.get(
      decodeURIComponent(new URL(url).pathname).slice("/files/".length),
    );
    expect((await object?.text()) === words).toBe(true);
  });

  it("keeps its long values in the store until the run has them, and no longer", async () => {
    const { admit, ended, caller } = await tenant();
    const { run_id } = await admit("é".repeat(40_000));
    const kept = async () => {
      const { objects } = await env.FILES.list({ prefix: `${caller.workspaceId}/runs/${run_id}/` });
      return objects.filter(({ key }) => key.endsWith("/start.json"));
    };
    expect(await kept()).toHaveLength(1);
    const row = await runInDurableObject(
      env.WORKSPACE.get(env.WORKSPACE.idFromName(caller.workspaceId)),
      (_, { storage }) =>
        storage.sql.exec<{ start: string }>("SELECT start FROM runs WHERE run_id = ?", run_id).one()
          .start,
    );
    expect(row.length).toBeLessThan(2_000);
    expect((await restoreStart(env.FILES, JSON.parse(row))).inputs).toEqual([
      { node_id: "in", value_json: JSON.stringify("é".repeat(40_000)) },
    ]);
    expect(await ended(run_id)).toMatchObject({ status: "completed" });
    await waitUntil("the values to go", async () => (await kept()).length === 0);
  });

  it("is started while other submits keep arriving", async () => {
    const { admit, api } = await tenant();
    const { run_id } = await admit("patience");
    const others: string[] = [];
    // The start is repeated after two seconds, or later on a busy machine.
    const untilMs = Date.now() + 20_000;
    const isOpen = async () => (await api().getRun(run_id))?.completed_at_ms === null;
    while (Date.now() < untilMs && (await isOpen())) {
      others.push((await admit("another", { max_concurrent_executions: 1 })).run_id);
    }
    const row = await api().getRun(run_id);
    // None of the others is left to slow down the tests that follow.
    await Promise.all(
      others.toReversed().map((other) =>
        api().close({
          v: 1,
          run_id: other,
          status: "cancelled",
          progress: 100,
          settled_milli_credits: 0,
          error_code: null,
          error_message: null,
          started_at_ms: null,
          completed_at_ms: Date.now(),
        }),
      ),
    );
    expect(row?.status).toBe("completed");
  });

  it("is not started twice: a late start changes nothing", async () => {
    const { admit, ended, said } = await tenant();
    const start = await admit("once");
    await ended(start.run_id);
    const late = { ...start, definition_json: JSON.stringify(ECHO_DEFINITION) };
    expect(unwrap(await runObject({ env }, start.run_id).start(late)).status).toBe("completed");
    expect(await said(start.run_id)).toEqual(["once"]);
  });
});

/** The end of a run as reported by an object that never set an alarm, because the run ended within its start. */
function unguardedEnd(runId: string): CloseRequest {
  return {
    v: 1,
    run_id: runId,
    status: "completed",
    progress: 100,
    settled_milli_credits: 0,
    error_code: null,
    error_message: null,
    started_at_ms: Date.now(),
    completed_at_ms: Date.now(),
    is_unguarded: true,
  };
}

/** Blocks an object until it is evicted: calls to it neither succeed nor fail. */
async function hold(stub: DurableObjectStub): Promise<void> {
  let isHeld = false;
  const held = runInDurableObject(stub, async (_, state) => {
    await state.blockConcurrencyWhile(() => {
      isHeld = true;
      return new Promise(() => undefined);
    });
  });
  held.catch(() => undefined);
  await waitUntil("the object to be held", () => Promise.resolve(isHeld));
}

describe("a run that ended within its start, without an alarm of its own", () => {
  it("is woken by its repeated start until it reports that all receivers have its event", async () => {
    const { admit, api, said } = await tenant();
    const listener = {
      v: 1,
      endpoint_id: newId("webhookEndpoint", Date.now()),
      workflow_ids: null,
      base_url: "http://svc.test",
    } as const;
    await api().putWebhookEndpoint({ ...listener, seq: 1, is_listening: true });
    const { run_id } = await admit("not told yet");
    expect((await api().close(unguardedEnd(run_id))).webhook_endpoints).toHaveLength(1);
    await api().putWebhookEndpoint({ ...listener, seq: 2, is_listening: false });
    await abortAllDurableObjects();
    // Only the stored start can have created this run's object.
    const saying = () =>
      said(run_id).then(
        // A read between its creation and its first slice returns nothing yet.
        (texts) => (texts?.length ? texts : (false as const)),
        () => false as const,
      );
    expect(await waitUntil("the repeated start", saying)).toEqual(["not told yet"]);
  });

  it("is woken again after its response: a crash before its event was accepted loses nothing", async () => {
    const { admit, api, caller } = await tenant();
    const { id } = await activeEndpoint(caller.workspaceId);
    await hold(env.WEBHOOK_ENDPOINT.get(env.WEBHOOK_ENDPOINT.idFromName(id)));
    const { run_id } = await admit("taken over late");
    const repeats = () =>
      runInDurableObject(
        env.WORKSPACE.get(env.WORKSPACE.idFromName(caller.workspaceId)),
        (_, { storage }) =>
          storage.sql
            .exec<{ attempts: number }>(
              "SELECT attempts FROM runs WHERE run_id = ? AND start IS NOT NULL",
              run_id,
            )
            .toArray()[0]?.attempts,
      );
    await waitUntil(
      "the end to be told",
      async () => (await api().getRun(run_id))?.completed_at_ms !== null,
    );
    // The start that created it was acknowledged, but another one arrives; nothing else would wake it.
    const alarm = await runInDurableObject(
      env.RUN.get(env.RUN.idFromName(run_id)),
      (_, { storage }) => storage.getAlarm(),
    );
    expect(alarm).toBeNull();
    await waitUntil("a second start", async () => ((await repeats()) ?? 0) >= 2);
    await abortAllDurableObjects();
    const deliveries = async () => {
      const page = { v: 1, limit: 10, below_id: null, status: null, event_type: null } as const;
      const found = webhookEndpointObject({ env }, id).listDeliveries({
        ...page,
        execution: run_id,
      });
      return (await found).total;
    };
    await waitUntil("the event", async () => (await deliveries()) > 0);
    await waitUntil("the last start", async () => (await repeats()) === undefined);
    expect(await deliveries()).toBe(1);
  });

  it("hands its event to nobody when it wakes after the deadline of a delivery, or to an endpoint that was made later", async () => {
    const { admit, api } = await tenant();
    const hour = 3_600_000;
    const listen = (madeMs: number) =>
      api().putWebhookEndpoint({
        v: 1,
        endpoint_id: newId("webhookEndpoint", madeMs),
        workflow_ids: null,
        base_url: "http://svc.test",
        seq: 1,
        is_listening: true,
      });
    await listen(Date.now() - 48 * hour);
    const counts = async (endedMs: number) => {
      const { run_id } = await admit("long ago");
      const end = { ...unguardedEnd(run_id), completed_at_ms: endedMs };
      const close = async () => (await api().close(end)).webhook_endpoints.length;
      // As long as its start is repeated, and once it has handed its event over.
      const found = [await close(), await close()];
      await api().acknowledge({ v: 1, run_id, started_at_ms: null, is_cancelling: false });
      return [...found, await close()];
    };
    expect(await counts(Date.now() - 23 * hour)).toEqual([1, 1, 1]);
    expect(await counts(Date.now() - 25 * hour)).toEqual([1, 1, 0]);
    await listen(Date.now() - hour);
    expect(await counts(Date.now() - 23 * hour)).toEqual([2, 1, 1]);
  });

  it("is not started again once all receivers have its event", async () => {
    const { admit, api, said } = await tenant();
    const { run_id } = await admit("told");
    expect((await api().close(unguardedEnd(run_id))).webhook_endpoints).toEqual([]);
    const later = await admit("later");
    // The alarm that repeats this start would have repeated the one before it, too.
    await waitUntil("the later start", () => said(later.run_id).catch(() => false));
    await expect(said(run_id)).rejects.toThrow("no execution");
  });
});

describe("a run beyond the plan's concurrency", () => {
  it("waits as pending and runs once a slot is free, also across a crash", async () => {
    const { admit, ended, api, said } = await tenant();
    const limit = { max_concurrent_executions: 1 };
    const first = await admit("first", limit);
    const second = await admit("second", limit);
    const third = await admit("third", limit);
    expect([first, second, third].map(({ is_held }) => is_held)).toEqual([false, true, true]);
    await abortAllDurableObjects();
    expect((await api().getRun(third.run_id))?.status).toBe("pending");
    const rows = await Promise.all([first, second, third].map(({ run_id }) => ended(run_id)));
    expect(rows.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
    const ends = rows.map((row) => row.completed_at_ms ?? 0);
    expect(ends).toEqual(ends.toSorted((a, b) => a - b));
    expect(await said(third.run_id)).toEqual(["third"]);
    expect(await api().countLiveRuns(null)).toBe(0);
  });

  it("does not hold up others when many slots become free at once", async () => {
    const { admit, ended, api } = await tenant();
    const first = await admit("first", { max_concurrent_executions: 1 });
    const waiting = [];
    for (let index = 0; index < 45; index++) {
      waiting.push(await admit(String(index), { max_concurrent_executions: 1 }));
    }
    expect(waiting.every(({ is_held }) => is_held)).toBe(true);
    await admit("last", { max_concurrent_executions: 256 });
    await Promise.all([first, ...waiting].map(({ run_id }) => ended(run_id)));
    expect((await api().getRun(first.run_id))?.status).toBe("completed");
  });
});
