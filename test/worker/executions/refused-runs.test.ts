/** A run that was refused for its price has no run object, but is read like any other run (docs/contract/workflows.md#life, docs/contract/credits.md#plans-known-at-submit). */
import { expect, test } from "vitest";
import { call, type Caller, newCaller, operator } from "../../support/api-caller.ts";
import { CODES } from "../../support/paid-definitions.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";

test("a refused run stays readable after its workflow is deleted", async () => {
  await operator("PUT", "/admin/v1/plans/penniless", {
    limits: { max_credits_per_month: 0, requests_per_minute: 100_000 },
  });
  const caller = await newCaller();
  await operator("PUT", `/admin/v1/workspaces/${caller.workspaceId}/plan`, { plan: "penniless" });
  const { token } = caller;
  const get = (path: string) => call("GET", `/api/v1/${path}`, { token });
  const workflow = await publishedWorkflow(caller, CODES);
  const refused = await call("POST", "/api/v1/executions", {
    token,
    json: { workflow, inputs: { rows: { value: '["a"]' } } },
    headers: { "idempotency-key": "penniless" },
  });
  expect(refused.status).toBe(402);
  const run = refused.json.execution_id as string;
  const before = await get(`executions/${run}/result`);
  expect(before.json.diagnostics.expected_output_keys.length).toBeGreaterThan(0);
  expect((await call("DELETE", `/api/v1/workflows/${workflow}`, { token })).status).toBe(204);
  await forgetVersions(caller);
  expect((await get(`executions/${run}`)).json).toMatchObject({
    status: "failed",
    error_code: "insufficient_credits",
  });
  const result = await get(`executions/${run}/result`);
  expect([result.status, result.json.status, result.json.result]).toEqual([
    200,
    "failed",
    { by_key: {}, items: [] },
  ]);
  const outputs = await get(`executions/${run}/outputs`);
  expect([outputs.status, outputs.json.data]).toEqual([200, []]);
  const trace = await get(`executions/${run}/trace`);
  expect([trace.status, trace.json.nodes]).toEqual([200, []]);
});

/** The cache of definitions is limited in characters: these three displace all earlier ones. */
async function forgetVersions(caller: Caller): Promise<void> {
  for (const letter of ["x", "y", "z"]) {
    const template = letter.repeat(45_000);
    const ids = Array.from({ length: 20 }, (_, i) => `t${String(i)}`);
    const large = await publishedWorkflow(caller, {
      nodes: [
        ...ids.map((id) => ({ id, type: "text/template", parameters: { template } })),
        { id: "out", type: "output/text", label: "Out" },
      ],
      connections: [{ from: { node: "t0", port: "text" }, to: { node: "out", port: "text" } }],
    });
    await call("GET", `/api/v1/workflows/${large}`, { token: caller.token });
  }
}
