import { describe, expect, test } from "vitest";
import { wholeOrigin } from "../../../src/contracts/runs/run-origin.ts";
import { ExecutionFinishedEvent } from "../../../src/contracts/webhooks/webhook-events.ts";
import { completionEventBody, EVENT_MAX_BYTES } from "../../../src/domain/webhooks/event-bodies.ts";
import { SeededRandom } from "../../simulation/seeded-random.ts";
import { type ArrayGroup, arrayView, stored, text } from "../engine/view/array-view.ts";

const execution = {
  id: "run_0123456789abcdef0123456789abcdef",
  workflow: "wf_0123456789abcdef0123456789abcdef",
  workflow_name: "Cards",
  workflow_version: 3,
  interface: null,
  status: "completed" as const,
  progress: 100,
  progress_message: "",
  credits_used: 1.5,
  error_code: null,
  error_message: null as string | null,
  created_at: "2026-11-20T12:00:00.000Z",
  started_at: "2026-11-20T12:00:01.000Z",
  completed_at: "2026-11-20T12:00:02.000Z",
  end_user_id: null as string | null,
  embed: null,
  ...wholeOrigin(undefined),
  is_draft: false,
  reused_iterations: 0,
};

async function event(
  groups: readonly ArrayGroup[],
  more: Partial<typeof execution> = {},
  reads: string[] = [],
) {
  const body = await completionEventBody({
    eventId: "evt_1",
    execution: { ...execution, ...more },
    view: arrayView(groups, { onRead: (name) => reads.push(name) }),
    baseUrl: "https://api.example.com",
  });
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(EVENT_MAX_BYTES);
  return ExecutionFinishedEvent.parse(JSON.parse(body));
}

describe("the event of an ended run", () => {
  test("is a CloudEvent with every field of the contract, and no others", async () => {
    const made = await event([{ key: "a", cells: [text("hello")] }]);
    const { data, ...head } = made;
    expect(head).toEqual({
      specversion: "1.0",
      id: "evt_1",
      source: "https://api.example.com/api/v1",
      type: "com.svc.execution.finished.v1",
      subject: execution.id,
      time: execution.completed_at,
      datacontenttype: "application/json",
    });
    const { outputs, ...metadata } = data;
    const address = `https://api.example.com/api/v1/executions/${execution.id}`;
    expect(metadata).toEqual({
      execution_id: execution.id,
      workflow_id: execution.workflow,
      workflow_name: "Cards",
      workflow_version: 3,
      interface: null,
      status: "completed",
      error_code: null,
      error_message: null,
      credits_used: 1.5,
      created_at: execution.created_at,
      started_at: execution.started_at,
      completed_at: execution.completed_at,
      is_draft: false,
      reused_iterations: 0,
      outputs_truncated: false,
      result_url: `${address}/result`,
      trace_url: `${address}/trace`,
    });
    expect(outputs).toMatchObject([{ key: "a", delivery: "inline", value: "hello" }]);
  });

  test("carries the members of the run's origin that apply", async () => {
    const origin = { client_reference: "row 7", batch: "bat_1", batch_index: 0 };
    const { data } = await event([], origin);
    expect(data).toMatchObject(origin);
    expect(Object.keys(data)).not.toContain("retry_of");
  });

  test("names the person of an embed, and no one where there is none", async () => {
    const { data } = await event([], { end_user_id: "ann" });
    expect(data).toMatchObject({ end_user_id: "ann" });
    expect((await event([])).data).not.toHaveProperty("end_user_id");
  });

  test("omits a value that does not fit, keeps its address, and continues with values that fit", async () => {
    const reads: string[] = [];
    const made = await event(
      [
        { key: "large", cells: [text("x".repeat(30_000))] },
        { key: "small", cells: [text("here")] },
        { key: "stored", cells: [{ state: "ok", body: stored(500_000) }] },
        { key: "last", cells: [text("there")] },
      ],
      {},
      reads,
    );
    expect(made.data.outputs_truncated).toBe(true);
    expect(made.data.outputs).toMatchObject([
      { key: "large", value: null, delivery: "asset", parse: { status: "too_large" } },
      { key: "small", value: "here" },
      { key: "stored", value: null, delivery: "asset" },
      { key: "last", value: "there" },
    ]);
    expect(made.data.outputs[0]!.url).toMatch(/^https:/);
    expect(reads, "what cannot fit is not fetched").toEqual([]);
  });

  test("drops items without room, and does not iterate over ten thousand items for that", async () => {
    const cells = Array.from({ length: 10_000 }, (_, i) => text(`item ${i}`));
    const view = arrayView([{ key: "many", cardinality: "multiple", cells }]);
    const body = await completionEventBody({
      eventId: "evt_1",
      execution,
      view,
      baseUrl: "https://api.example.com",
    });
    const { data } = JSON.parse(body);
    expect(data.outputs_truncated).toBe(true);
    expect(data.outputs.length).toBeGreaterThan(20);
    expect(data.outputs[5].value).toBe("item 5");
    expect(view.cellsRead.count).toBeLessThanOrEqual(200);
  });

  test("stays within 20 KiB of UTF-8 for any content", async () => {
    const random = new SeededRandom(9);
    for (let i = 0; i < 300; i++) {
      const groups = Array.from({ length: random.int(0, 12) }, (_, index): ArrayGroup => ({
        key: `k${index}`,
        cells: Array.from({ length: random.int(0, 6) }, () =>
          text(random.pick(["x", "é", "世", "😀", '"', "\u0007"]).repeat(random.int(0, 5_000))),
        ),
      }));
      await event(groups, {
        error_message: random.pick([null, "😀".repeat(3_000), "\u0001".repeat(3_000)]),
      });
    }
  });
});
