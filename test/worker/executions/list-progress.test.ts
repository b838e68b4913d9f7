/** Lists show the same progress of a live run as the run itself (docs/contract/executions.md#fields, docs/contract/executions.md#lists). */
import { expect, test } from "vitest";
import { call, newCaller } from "../../support/api-caller.ts";
import { CODES } from "../../support/paid-definitions.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { failedOutcome, TaskRunner } from "./task-runner.ts";

const caller = await newCaller();
const { token } = caller;
const workflow = await publishedWorkflow(caller, CODES);
const submit = async (rows: number): Promise<string> => {
  const value = JSON.stringify(Array.from({ length: rows }, (_, i) => `row ${String(i)}`));
  const json = { workflow, inputs: { rows: { value } } };
  return (await call("POST", "/api/v1/executions", { token, json })).json.id;
};
const get = async (path: string) => (await call("GET", `/api/v1/executions${path}`, caller)).json;

test("a run's progress, credits and status are in the list while it runs, and never go back", async () => {
  const run = await submit(4);
  const [first] = (await get("?limit=1")).data;
  expect([first.id, first.status]).toEqual([run, "running"]);
  const runner = new TaskRunner(run);
  const tasks = await runner.claim();
  let before = -1;
  for (const task of tasks.slice(0, -1)) {
    await runner.report(task, failedOutcome("CODE_TEXT_INVALID", "It cannot be drawn."));
    const alone = await waitUntil("the report to count", async () => {
      const now = await get(`/${run}`);
      expect(now.progress).toBeGreaterThanOrEqual(before);
      return now.progress > before && now;
    });
    const { outputs: _outputs, outputs_total: _total, last_event_id: _event, ...rest } = alone;
    for (const query of ["?limit=1", "?status=running", `?workflow=${workflow}`]) {
      const [listed] = (await get(query)).data;
      expect(listed, query).toEqual({ ...rest, outputs: [] });
    }
    expect(alone.progress).toBeLessThan(100);
    before = alone.progress;
  }
  await runner.report(tasks.at(-1)!, failedOutcome("CODE_TEXT_INVALID", "It cannot be drawn."));
  const ended = await waitUntil("the list to say that it ended", async () => {
    const [listed] = (await get("?limit=1")).data;
    expect(listed.progress).toBeGreaterThanOrEqual(before);
    return listed.completed_at !== null && listed;
  });
  expect([ended.status, ended.progress]).toEqual(["failed", 100]);
  expect(ended.progress_message).toBe((await get(`/${run}`)).progress_message);
  expect(ended.progress_message).toBe("Failed");
});

test("a page of many live runs shows the progress of each", async () => {
  const runs = await Promise.all(Array.from({ length: 30 }, () => submit(1)));
  const { data } = await get("?limit=30&status=running");
  expect(data.map(({ id }: { id: string }) => id).toSorted()).toEqual(runs.toSorted());
  for (const { id, progress } of data) {
    // Its row exists; its one code waits for a runner.
    expect([id, progress > 0, progress < 100]).toEqual([id, true, true]);
  }
});
