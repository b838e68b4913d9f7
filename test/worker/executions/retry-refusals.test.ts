/** Refusals of a retry (docs/retries-and-reuse.md#retry); nothing is created by any of them. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { PERMISSIONS, SCOPES } from "../../../src/contracts/workspaces/access.ts";
import { workspaceObject } from "../../../src/storage/objects/workspace-object.ts";
import { call, newCaller, operator } from "../../support/api-caller.ts";
import { DEFERRED_CODES } from "../../support/paid-definitions.ts";
import { ECHO_DEFINITION, publishedWorkflow } from "../../support/published-workflow.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { RetryCaller, work } from "./retry-caller.ts";

const mine = await RetryCaller.make();
const { token } = mine.caller;

/** A run of the smallest workflow that has completed. */
async function echo(): Promise<{ workflow: string; run: string }> {
  const workflow = await publishedWorkflow(mine.caller, ECHO_DEFINITION);
  const run = await mine.submitted({ workflow, inputs: { words: { value: '"hi"' } } });
  await mine.ended(run);
  return { workflow, run };
}

async function refusal(run: string, body?: unknown): Promise<[number, string]> {
  const { status, json } = await mine.retry(run, body);
  return [status, json.code];
}

describe("a retry is refused", () => {
  test("while the run goes on, and if nothing failed", async () => {
    const first = await mine.submit(["a"]);
    expect(await refusal(first)).toEqual([422, "invalid_state"]);
    await work(first, 1);
    await mine.ended(first);
    expect(await refusal(first)).toEqual([422, "no_failed_items"]);
    expect(await refusal(first, {})).toEqual([422, "no_failed_items"]);
  });

  test("for elements that the run does not have, and for members that contradict each other", async () => {
    const first = await mine.submit(["a"]);
    await work(first, 1);
    await mine.ended(first);
    const fields = async (body: unknown) => {
      const { status, json } = await mine.retry(first, body);
      return [status, json.code, json.errors?.[0]?.field];
    };
    const wrong = [400, "validation_error"];
    expect(await fields({ from_node: "codes", from_indices: [[0], [1]] })).toEqual([
      ...wrong,
      "from_indices[1]",
    ]);
    expect(await fields({ from_node: "codes", from_indices: [[0, 0]] })).toEqual([
      ...wrong,
      "from_indices[0]",
    ]);
    const all = await mine.retry(first, {
      from_node: "codes",
      from_indices: [[7], [0], [], [0, 0], [1_000_000]],
    });
    expect(all.json.errors.map(({ field }: { field: string }) => field)).toEqual(
      [0, 2, 3, 4].map((at) => `from_indices[${at}]`),
    );
    expect(await fields({ from_node: "nothing" })).toEqual([...wrong, "from_node"]);
    expect(await fields({ from_node: "nothing", from_indices: [[0]] })).toEqual([
      ...wrong,
      "from_node",
    ]);
    expect(await fields({ from: "start", from_node: "codes" })).toEqual([...wrong, "from_node"]);
    expect(await fields({ from_indices: [[0]] })).toEqual([...wrong, "from_indices"]);
    expect(await fields({ from: "end" })).toEqual([...wrong, "from"]);
    expect(await fields({ inputs: { rows: null } })).toEqual([...wrong, "inputs.rows"]);
    expect(await fields({ inputs: { nothing: null } })).toEqual([...wrong, "inputs.nothing"]);
    expect(
      await fields({ admission_limits: { max_admitted_milli_credits: 1 }, from: "start" }),
    ).toEqual([...wrong, "admission_limits.max_admitted_milli_credits"]);
    const many = Array.from({ length: 10_001 }, () => [0]);
    expect((await fields({ from_node: "codes", from_indices: many })).slice(0, 2)).toEqual(wrong);
  });

  test("to others, and for runs that do not exist or never started", async () => {
    const first = await mine.submit(["a"]);
    const other = await newCaller();
    const foreign = await call("POST", `/api/v1/executions/${first}/retry`, { token: other.token });
    expect(foreign.json).toMatchObject({ status: 403, code: "forbidden" });
    expect(await refusal(`run_${"0".repeat(32)}`)).toEqual([404, "not_found"]);
    expect(await refusal("run_x")).toEqual([400, "invalid_id"]);
    const poor = await RetryCaller.make({ max_credits_per_month: 0 });
    const { json } = await call("POST", "/api/v1/executions", {
      token: poor.caller.token,
      headers: { "idempotency-key": "never-started" },
      json: { workflow: poor.codes, inputs: { rows: { value: '["a"]' } } },
    });
    const unstarted = await poor.retry(json.execution_id, { from: "start" });
    expect([unstarted.status, unstarted.json.code]).toEqual([422, "invalid_state"]);
  });

  test("for a version that does not exist, is lost, or is of an archived or deleted workflow", async () => {
    const { workflow, run } = await echo();
    expect(await refusal(run, { version: 2 })).toEqual([400, "invalid_version"]);
    expect(await refusal(run, { version: 0 })).toEqual([400, "invalid_version"]);
    // As if its row were lost: the workspace object has a version 2, D1 does not.
    const pointer = {
      workflow_id: workflow,
      name: "Test",
      status: "published",
      version: 2,
    } as const;
    await workspaceObject({ env }, mine.caller.workspaceId).setWorkflowPointer({
      ...pointer,
      seq: 1_000,
    });
    expect(await refusal(run, { version: 2 })).toEqual([404, "version_not_available"]);
    const archived = await echo();
    await call("POST", `/api/v1/workflows/${archived.workflow}/archive`, { token });
    const gone = [400, "workflow_not_published"];
    expect(await refusal(archived.run, { from: "start" })).toEqual(gone);
    expect(await refusal(archived.run, { version: "draft" })).toEqual(gone);
    // A working definition needs no published version, and any other one does, as a pinned submit.
    const reverted = await echo();
    const path = `/api/v1/workflows/${reverted.workflow}/revert`;
    expect((await call("POST", path, { token })).status).toBe(200);
    expect(await refusal(reverted.run, { from: "start" })).toEqual(gone);
    expect(await refusal(reverted.run, { version: 1 })).toEqual(gone);
    const draft = await mine.retry(reverted.run, { version: "draft" });
    expect([draft.status, draft.json.is_draft, draft.json.workflow_version]).toEqual([
      202,
      true,
      1,
    ]);
    const deleted = await echo();
    await call("DELETE", `/api/v1/workflows/${deleted.workflow}`, { token });
    expect(await refusal(deleted.run, { from: "start" })).toEqual([404, "workflow_not_found"]);
  });

  test("of the working definition if it is not valid, or the key may not read it", async () => {
    const { workflow, run } = await echo();
    const broken = structuredClone(ECHO_DEFINITION);
    broken.connections[0]!.to.port = "nothing";
    await mine.edit(workflow, broken);
    const invalid = await mine.retry(run, { version: "draft" });
    expect([invalid.status, invalid.json.code]).toEqual([422, "validation_error"]);
    expect(invalid.json.errors.length).toBeGreaterThan(0);
    const { workspaceId } = mine.caller;
    for (const lacking of [
      { scopes: SCOPES.filter((scope) => scope !== "workflows:write"), permissions: PERMISSIONS },
      { scopes: SCOPES, permissions: PERMISSIONS.filter((one) => one !== "ws:workflows:manage") },
    ]) {
      const { token: less } = await newCaller({ workspaceId, ...lacking });
      const path = `/api/v1/executions/${run}/retry`;
      const draft = await call("POST", path, { token: less, json: { version: "draft" } });
      expect([draft.status, draft.json.code]).toEqual([403, "insufficient_scope"]);
      const own = await call("POST", path, { token: less, json: { from: "start" } });
      expect(own.status, own.text).toBe(202);
    }
  });

  test("with a used key and another body, and replayed with the same one", async () => {
    const { run } = await echo();
    const key = { "idempotency-key": "retry-once" };
    const made = await mine.retry(run, { from: "start" }, key);
    expect([made.status, made.headers.get("idempotency-replayed")]).toEqual([202, null]);
    const again = await mine.retry(run, { from: "start" }, key);
    expect([again.status, again.json.id, again.headers.get("idempotency-replayed")]).toEqual([
      202,
      made.json.id,
      "true",
    ]);
    const other = await mine.retry(run, { from: "start", client_reference: "x" }, key);
    expect([other.status, other.json.code]).toEqual([409, "idempotency_conflict"]);
    const short = await mine.retry(run, { from: "start" }, { "idempotency-key": "x" });
    expect([short.status, short.json.code]).toEqual([400, "invalid_idempotency_key"]);
    // The key of a submit is another one.
    const { run: second } = await echo();
    expect((await mine.retry(second, { from: "start" }, key)).json.id).not.toBe(made.json.id);
  });

  test("to an agent without the bound of a fan-out that is not known yet", async () => {
    const workflow = await publishedWorkflow(mine.caller, DEFERRED_CODES);
    const run = await mine.submitted({ workflow, inputs: { data: { value: '{"rows":[]}' } } });
    await mine.ended(run);
    const agent = { "x-client-kind": "agent" };
    const unbound = await mine.retry(run, { from: "start" }, agent);
    expect(unbound.json).toMatchObject({
      status: 400,
      errors: [{ field: "admission_limits.max_iterations_per_node" }],
    });
    const limits = { admission_limits: { max_iterations_per_node: 10 } };
    expect((await mine.retry(run, { from: "start", ...limits }, agent)).status).toBe(202);
  });
});

test("a retry is admitted by a balance that bears only what it runs, and refused by less", async () => {
  const poor = await RetryCaller.make({ max_credits_per_month: 0 });
  const grant = (milli: number) =>
    operator("POST", "/admin/v1/credit-grants", {
      workspace_id: poor.caller.workspaceId,
      milli_credits: milli,
      idempotency_key: `grant-${milli}`,
    });
  await grant(60);
  const first = await poor.submit(["a", "b", "c"]);
  await work(first, 3, [1]);
  expect(await poor.ended(first)).toMatchObject({ status: "partial_success", credits_used: 0.04 });
  await waitUntil("the end of the reservation", async () => {
    const [last] = await poor.ledger();
    return last?.balance_after === 20;
  });
  // 20 of the 60 are left: enough for the failed element, and not for the whole run.
  const whole = await poor.retry(first, { from: "start" });
  expect([whole.status, whole.json.code]).toEqual([402, "insufficient_credits"]);
  const made = await poor.retry(first);
  expect(made.status, made.text).toBe(202);
  expect(await work(made.json.id, 1)).toEqual([1]);
  expect(await poor.ended(made.json.id)).toMatchObject({ status: "completed", credits_used: 0.02 });
  const none = await poor.retry(first);
  expect([none.status, none.json.code]).toEqual([402, "insufficient_credits"]);
});
