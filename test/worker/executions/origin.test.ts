/** docs/contract/executions.md#origin, #submit and #lists. */
import { abortAllDurableObjects } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { labelsOf } from "../../../src/contracts/workspaces/admission.ts";
import { call, type Caller, newCaller, type Reply } from "../../support/api-caller.ts";
import { ECHO_DEFINITION, publishedWorkflow } from "../../support/published-workflow.ts";
import { RunFixture } from "../run/run-fixture.ts";
import { WorkspaceFixture } from "../workspace/workspace-fixture.ts";

const NONE = {
  client_reference: null,
  batch: null,
  batch_index: null,
  schedule: null,
  scheduled_for: null,
  retry_of: null,
  retry_root: null,
  retry_from: null,
};

const ORIGIN = {
  client_reference: "row 7",
  batch: `bat_${"1".repeat(32)}`,
  batch_index: 7,
  schedule: `sch_${"2".repeat(32)}`,
  scheduled_for: "2026-11-24T08:00:00.000Z",
  retry_of: `run_${"3".repeat(32)}`,
  retry_root: `run_${"4".repeat(32)}`,
  retry_from: "failure",
};

let caller: Caller;
let workflow: string;

beforeAll(async () => {
  caller = await newCaller();
  workflow = await publishedWorkflow(caller);
});

function submit(client_reference?: unknown): Promise<Reply> {
  return call("POST", "/api/v1/executions", {
    token: caller.token,
    json: { workflow, inputs: { words: { value: '"hi"' } }, client_reference },
  });
}

function get(path: string): Promise<Reply> {
  return call("GET", `/api/v1/executions${path}`, { token: caller.token });
}

const filtered = async (query: string): Promise<string[]> => {
  const { json } = await get(`?${query}`);
  return json.data.map(({ id }: { id: string }) => id);
};

describe("the reference of a submit", () => {
  test("is on the execution, in lists, and after a restart", async () => {
    const submitted = await submit("order 7/ü");
    expect(submitted.status).toBe(202);
    const expected = { ...NONE, client_reference: "order 7/ü" };
    expect(submitted.json).toMatchObject(expected);
    await abortAllDurableObjects();
    expect((await get(`/${submitted.json.id}`)).json).toMatchObject(expected);
    const { json } = await get("?client_reference=order%207%2F%C3%BC");
    expect(json).toMatchObject({ total_count: 1, data: [{ id: submitted.json.id, ...expected }] });
  });

  test("is compared exactly by the filter", async () => {
    const exact = await submit("Case");
    await submit("case");
    await submit("Case ");
    expect(await filtered("client_reference=Case")).toEqual([exact.json.id]);
    expect(await filtered("client_reference=Cas")).toEqual([]);
  });

  test("counts its characters, not their UTF-16 units", async () => {
    expect((await submit("🧵".repeat(255))).status).toBe(202);
    expect((await submit("🧵".repeat(256))).status).toBe(400);
  });

  test.each([
    ["empty", ""],
    ["with a line break", "a\nb"],
    ["with half a surrogate pair", "a\ud800"],
    ["that is a number", 7],
    ["that is null", null],
  ])("%s is refused", async (_name, reference) => {
    const refused = await submit(reference);
    expect(refused.status).toBe(400);
    expect(refused.json).toMatchObject({
      code: "validation_error",
      errors: [{ field: "client_reference" }],
    });
  });

  test("is null on a run that was submitted without one", async () => {
    expect((await submit()).json).toMatchObject(NONE);
  });
});

test.each(["batch", "schedule", "retry_of"])(
  "a malformed id in the filter %s is refused",
  async (name) => {
    const refused = await get(`?${name}=wf_7`);
    expect(refused.status).toBe(400);
    expect(refused.json.code).toBe("invalid_id");
  },
);

describe("every member of an origin", () => {
  test("is on the run's own execution", async () => {
    const run = new RunFixture();
    const started = await run.start(
      JSON.stringify(ECHO_DEFINITION),
      { in: "hi" },
      { origin: ORIGIN },
    );
    expect(started).toMatchObject(ORIGIN);
  });

  test("is in the workspace's index, and four of them are filters", async () => {
    const workspace = await new WorkspaceFixture(caller.workspaceId).publish();
    const start = { origin: ORIGIN };
    const id = await workspace.run({ start, labels: labelsOf(start) });
    await workspace.close(id);
    const { batch, schedule, retry_of } = ORIGIN;
    expect((await get(`/${id}`)).json).toMatchObject(ORIGIN);
    for (const [name, value] of Object.entries({ batch, schedule, retry_of })) {
      const { json } = await get(`?${name}=${value}`);
      expect(json).toMatchObject({ total_count: 1, data: [{ id, ...ORIGIN }] });
    }
    expect(await filtered(`batch=bat_${"5".repeat(32)}`)).toEqual([]);
  });
});
