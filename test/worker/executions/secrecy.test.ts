import { beforeAll, expect, it, vi } from "vitest";
import { env } from "cloudflare:workers";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import { call, type Caller, newCaller } from "../../support/api-caller.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { parseEvents } from "../../support/read-events.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { failedOutcome, okOutcome, TaskRunner } from "./task-runner.ts";

/** Values planted in everything that readers of traces, events and logs must not see. */
const MARK = "zqxmarker";

const param = (nodes: string) => `${MARK}-parameter-${nodes}`;

const DEFINITION = {
  nodes: [
    {
      id: "text",
      type: "input/text",
      label: param("label"),
      parameters: { required: true, description: param("description") },
    },
    { id: "doc", type: "input/json_value", label: "Doc", parameters: { required: true } },
    { id: "list", type: "input/json", label: "List", parameters: { required: true } },
    {
      id: "line",
      type: "text/template",
      parameters: {
        template: `${param("template")} [who]`,
        placeholders: [{ inputPort: "who" }],
      },
    },
    { id: "sum", type: "utility/calculate", parameters: { expression: `doc.${MARK}_gone + 1` } },
    { id: "path", type: "utility/json_path", parameters: { path: `$.${MARK}_path` } },
    {
      id: "schema",
      type: "utility/json_schema_validate",
      parameters: {
        schema_definition: JSON.stringify({ type: "object", required: [`${MARK}_member`] }),
      },
    },
    { id: "each_path", type: "utility/json_path", parameters: { path: "$.name" } },
    { id: "draw", type: "image/code", parameters: { symbology: "qr" } },
    { id: "said", type: "output/text", label: "Said", parameters: { key: `${MARK}_key` } },
    { id: "summed", type: "output/json", label: "Summed", parameters: {} },
    { id: "found", type: "output/json", label: "Found", parameters: {} },
    { id: "valid", type: "output/json", label: "Valid", parameters: {} },
    { id: "picture", type: "output/image", label: param("picture"), parameters: {} },
  ],
  connections: [
    { from: { node: "text", port: "text" }, to: { node: "line", port: "who" } },
    { from: { node: "line", port: "text" }, to: { node: "said", port: "text" } },
    { from: { node: "doc", port: "json" }, to: { node: "sum", port: "doc" } },
    { from: { node: "doc", port: "json" }, to: { node: "path", port: "json" } },
    { from: { node: "doc", port: "json" }, to: { node: "schema", port: "json" } },
    { from: { node: "list", port: "item" }, to: { node: "each_path", port: "json" } },
    { from: { node: "each_path", port: "value" }, to: { node: "draw", port: "text" } },
    { from: { node: "sum", port: "result" }, to: { node: "summed", port: "json" } },
    { from: { node: "path", port: "value" }, to: { node: "found", port: "json" } },
    { from: { node: "schema", port: "json" }, to: { node: "valid", port: "json" } },
    { from: { node: "draw", port: "image" }, to: { node: "picture", port: "image" } },
  ],
};

let caller: Caller;
beforeAll(async () => {
  caller = await newCaller();
});

it("no planted value of inputs, parameters, addresses, causes or storage keys reaches a trace, an event or a log", async () => {
  const logged: string[] = [];
  for (const level of ["log", "error", "warn", "info", "debug"] as const) {
    vi.spyOn(console, level).mockImplementation((...parts: unknown[]) => {
      logged.push(parts.map(String).join(" "));
    });
  }
  const workflow = await publishedWorkflow(caller, DEFINITION);
  const { token } = caller;
  const refused = await call("POST", `/api/v1/executions?from=${MARK}-query`, { token, json: {} });
  expect([refused.status, refused.json.code]).toEqual([400, "invalid_request"]);
  const submitted = await call("POST", "/api/v1/executions", {
    token,
    json: {
      workflow,
      inputs: {
        text: { value: JSON.stringify(`https://example.com/${MARK}-url?token=${MARK}-token`) },
        doc: { value: JSON.stringify({ [`${MARK}_field`]: `${MARK}-value`, other: MARK }) },
        list: {
          value: JSON.stringify([
            { name: `${MARK}-a` },
            { name: `${MARK}-b` },
            { name: `${MARK}-c` },
            { [`${MARK}-no-name`]: 1 },
          ]),
        },
      },
    },
    headers: { "idempotency-key": `${MARK}-idempotency` },
  });
  expect(submitted.status).toBe(202);
  const runId: string = submitted.json.id;
  const runner = new TaskRunner(runId);
  const [first, second, third] = await runner.claim();
  const file = new FileRef({
    key: `${caller.workspaceId}/runs/${runId}/${MARK.padEnd(43, "x")}/${MARK}.png`,
    name: `${MARK}.png`,
    contentType: "image/png",
    sizeBytes: 3,
  });
  await env.FILES.put(file.key, new Uint8Array(3));
  await runner.report(first!, okOutcome({ image: file }));
  await runner.report(second!, failedOutcome(`CODE_TEXT_INVALID`, `no "${MARK}-message" here`));
  await runner.report(third!, failedOutcome("NETWORK_ERROR", `${MARK}-cause`, true));
  const [again] = await runner.claim();
  await runner.report(again!, failedOutcome("WORKER_BROKE", `${MARK}-cause again`));
  const ended = await waitUntil("the end", async () => {
    const response = await call("GET", `/api/v1/executions/${runId}`, { token });
    return response.json.completed_at !== null && response;
  });
  const result = await call("GET", `/api/v1/executions/${runId}/result`, { token });
  // The run and its result contain the marks, so the checks below can fail.
  expect(ended.text).toContain(`${MARK}-url`);
  expect(result.text).toContain(`${MARK}_key`);
  expect(ended.json.error_message).toContain(MARK);

  const trace = await call("GET", `/api/v1/executions/${runId}/trace`, { token });
  expect(trace.json.nodes.filter((node: { error: unknown }) => node.error !== null).length).toBe(5);
  const pages = await Promise.all(
    DEFINITION.nodes.map(({ id }) =>
      call("GET", `/api/v1/executions/${runId}/trace/nodes/${id}/iterations`, { token }),
    ),
  );
  const iterations = pages.flatMap(({ json }) => json.data);
  expect(iterations.length).toBeGreaterThan(15);
  const events = await call("GET", `/api/v1/executions/${runId}/events`, { token });
  expect(parseEvents(events.text).filter(({ event }) => event === "output")).toHaveLength(8);
  for (const [what, text] of [
    ["the trace", trace.text],
    ["the iterations", JSON.stringify(iterations)],
    ["the events", events.text],
  ]) {
    expect([what, text!.includes(MARK)]).toEqual([what, false]);
  }
  await waitUntil("the log of the end", () =>
    Promise.resolve(logged.some((line) => line.includes("run.ended"))),
  );
  expect(logged.filter((line) => line.includes(MARK))).toEqual([]);
  vi.restoreAllMocks();

  // One line for each change of state, with the ids that tie it to its request.
  const lines = logged.filter((line) => line.includes(runId)).map((line) => JSON.parse(line));
  const changes = lines.filter(({ event }) => event === "run.changed");
  expect(changes.flatMap(({ status }) => status ?? [])).toEqual(["running", "partial_success"]);
  const request = lines.find(({ operation }) => operation === "getExecution");
  expect(request).toMatchObject({ status: 200, method: "GET" });
  const correlationId = submitted.headers.get("x-correlation-id");
  expect(changes.every((line) => line.correlation_id === correlationId)).toBe(true);
  const seen = new Map(changes.flatMap(({ nodes }) => Object.entries(nodes)));
  expect(Object.fromEntries(seen)).toMatchObject({
    line: "completed",
    draw: "partial_success",
    sum: "failed",
    summed: "blocked",
  });
});
