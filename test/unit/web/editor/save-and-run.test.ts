import { describe, expect, test } from "vitest";
import { detailNodeType } from "../../../../src/domain/catalog/describe-node-type.ts";
import type { JsonValue } from "../../../../src/lib/json/exact-json.ts";
import { NODE_TYPES } from "../../../../src/nodes/registry.ts";
import { EMPTY_GRAPH, readGraph } from "../../../../src/web/editor/core/graph.ts";
import {
  addField,
  addInterface,
  changeEntry,
  fieldTargets,
  listOf,
  moveEntry,
  recommend,
  removeEntry,
  removeInterface,
} from "../../../../src/web/editor/core/interfaces.ts";
import { issuesByNode, readIssues } from "../../../../src/web/editor/core/issues.ts";
import {
  controlOf,
  controlOfSchema,
  newRow,
  readJsonText,
  readNumber,
  shownParameters,
  showText,
} from "../../../../src/web/editor/core/parameters.ts";
import type { Catalog, CatalogEntry } from "../../../../src/web/editor/core/ports.ts";
import {
  applyEvent,
  endedNodes,
  EventReader,
  startRun,
} from "../../../../src/web/editor/core/run-state.ts";
import {
  type Api,
  type ApiAnswer,
  saveWorkflow,
} from "../../../../src/web/editor/core/save-workflow.ts";

const CATALOG: Catalog = {
  entries: new Map(NODE_TYPES.map((node) => [node.type, detailNodeType(node)])),
};

function entryOf(type: string): CatalogEntry {
  return CATALOG.entries.get(type)!;
}

function parameterOf(type: string, name: string) {
  return entryOf(type).parameters.find((parameter) => parameter.name === name)!;
}

describe("saving", () => {
  /** Responds in order, and keeps what was sent as `METHOD path if-match`. */
  function serviceOf(...answers: readonly Partial<ApiAnswer>[]): { api: Api; sent: string[] } {
    const sent: string[] = [];
    let at = 0;
    const api: Api = {
      send(method, path, request) {
        sent.push(`${method} ${path} ${request?.headers?.["if-match"] ?? "-"}`);
        const answer = { status: 200, etag: null, body: null, ...answers[at] };
        at += 1;
        return Promise.resolve(answer);
      },
    };
    return { api, sent };
  }

  const request = {
    workflowId: "wf_1",
    name: "Mine",
    etag: '"1"',
    definition: { nodes: [] },
    creationKey: "key-of-one-creation",
  };

  test("replaces the revision that was read and publishes the one that it stored", async () => {
    const { api, sent } = serviceOf({ etag: '"2"' }, { body: { name: "Theirs", version: 4 } });
    expect(await saveWorkflow(api, request)).toEqual({
      ok: true,
      saved: { workflowId: "wf_1", name: "Theirs", etag: '"2"', version: 4, created: false },
    });
    expect(sent).toEqual([
      'PUT /workflows/wf_1/definition "1"',
      'POST /workflows/wf_1/publish "2"',
    ]);
  });

  test("creates the workflow first where there is none", async () => {
    const { api, sent } = serviceOf(
      { status: 201, body: { id: "wf_9" } },
      { etag: '"1"' },
      { etag: '"2"' },
      { body: { name: "Mine", version: 1 } },
    );
    const result = await saveWorkflow(api, { ...request, workflowId: null, etag: null });
    expect(result).toMatchObject({ ok: true, saved: { workflowId: "wf_9", created: true } });
    expect(sent.map((line) => line.split(" ")[0])).toEqual(["POST", "GET", "PUT", "POST"]);
  });

  test("that is refused because of another revision keeps the ETag that was read", async () => {
    const stale = { status: 412, body: { code: "precondition_failed", title: "Changed" } };
    const put = await saveWorkflow(serviceOf(stale).api, request);
    expect(put).toMatchObject({ ok: false, code: "precondition_failed", isStored: false });
    expect(put).toMatchObject({ saved: { etag: '"1"' } });
    const publish = await saveWorkflow(serviceOf({ etag: '"2"' }, stale).api, request);
    expect(publish).toMatchObject({ ok: false, isStored: true, saved: { etag: '"2"' } });
  });

  test("of an invalid definition keeps it as the working definition, with every issue", async () => {
    const { api } = serviceOf(
      { etag: '"2"' },
      {
        status: 422,
        body: {
          code: "validation_error",
          detail: "Two problems",
          errors: [{ field: "nodes[0]", message: "m", code: "CYCLE", node_id: "a" }, "odd"],
        },
      },
    );
    expect(await saveWorkflow(api, request)).toMatchObject({
      ok: false,
      code: "validation_error",
      message: "Two problems",
      issues: [{ field: "nodes[0]", message: "m", code: "CYCLE", node_id: "a" }],
      isStored: true,
    });
  });

  test("that fails after the creation says which workflow it made", async () => {
    const { api } = serviceOf(
      { status: 201, body: { id: "wf_9" } },
      { etag: '"1"' },
      { status: 500, body: "no problem document" },
    );
    expect(await saveWorkflow(api, { ...request, workflowId: null, etag: null })).toMatchObject({
      ok: false,
      code: "http_500",
      saved: { workflowId: "wf_9", etag: '"1"', created: true },
    });
  });
});

describe("issues", () => {
  const { graph } = readGraph({
    nodes: [
      { id: "a", type: "input/text" },
      { id: "b", type: "output/text" },
    ],
    connections: [{ from: { node: "a", port: "text" }, to: { node: "b", port: "text" } }],
  });

  test("stand at their node and parameter, errors first", () => {
    const issues = readIssues(graph, {
      errors: [
        { path: "connections[0].to.port", message: "wire", code: "X" },
        { path: "nodes[0].parameters.max_length", message: "parameter", code: "Y" },
        { field: 'body.definition.nodes[0].parameters["odd name"].x', message: "odd", code: "Y" },
        { path: "nodes", message: "whole", code: "NO_OUTPUT" },
      ],
      warnings: [{ path: "nodes[1]", message: "warning", code: "UNUSED_NODE", node_id: "b" }],
    });
    expect(
      issues.map(({ severity, message, node, parameter }) => [severity, message, node, parameter]),
    ).toEqual([
      ["error", "whole", null, null],
      ["error", "parameter", "a", "max_length"],
      ["error", "odd", "a", "odd name"],
      ["error", "wire", "b", null],
      ["warning", "warning", "b", null],
    ]);
    expect(issuesByNode(issues).get("a")).toHaveLength(2);
  });
});

describe("the control of a parameter", () => {
  test.each([
    ["ai/ad_generator", "preset", { kind: "preset", category: "ad_layout" }],
    ["ai/ad_generator", "effect", { kind: "effect" }],
    ["ai/ad_generator", "model", { kind: "model" }],
    ["ai/ad_generator", "variants", { kind: "number", isInteger: true, min: 1, max: 4 }],
    ["ai/ad_generator", "model_parameters", { kind: "json" }],
    ["design/template_render", "template_id", { kind: "template" }],
    ["image/code", "human_readable_text", { kind: "boolean" }],
    ["image/code", "error_correction", { kind: "enum", options: ["L", "M", "Q", "H"] }],
    ["utility/condition", "operand", { kind: "json" }],
    ["text/template", "template", { kind: "text", isLong: true, maxLength: 100_000 }],
  ])("%s %s is made from its catalog entry", (type, name, control) => {
    expect(controlOf(parameterOf(type, name), true)).toEqual(control);
  });

  test("for an array of objects has rows, and a new row has what the schema requires", () => {
    const control = controlOf(parameterOf("video/split", "segments"), false);
    expect(control).toMatchObject({ kind: "rows", max: 20 });
    expect(control.kind === "rows" && newRow(control.item)).toEqual({ start: "", end: "" });
    const columns = controlOf(parameterOf("enumerate/json", "jsonConfig"), false);
    expect(columns).toMatchObject({ kind: "object", members: [{ name: "properties" }] });
  });

  test("is one for every parameter of the catalog", () => {
    for (const entry of CATALOG.entries.values()) {
      for (const parameter of entry.parameters) {
        expect(controlOf(parameter, false).kind).toBeTypeOf("string");
      }
    }
    expect(controlOfSchema({ type: "planted" })).toEqual({ kind: "json" });
  });

  test("is shown while the other parameter has the value, its default included", () => {
    const names = (parameters: Record<string, JsonValue>) =>
      shownParameters(entryOf("image/code"), parameters).basic.map(({ name }) => name);
    expect(names({ symbology: "qr" })).toContain("eye_color");
    expect(names({ symbology: "ean13" })).not.toContain("eye_color");
    expect(names({ symbology: "ean13" })).toContain("bar_height");
    const hidden = (parameters: Record<string, JsonValue>) =>
      shownParameters(entryOf("input/bundle_manifest"), parameters).hidden.map(({ name }) => name);
    expect(hidden({})).toEqual([]);
    expect(hidden({ allowExternalUrls: false })).toEqual(["allowExternalUrls"]);
  });

  test("reads numbers with their digits, and JSON with its problem", () => {
    expect(showText(readNumber("12345678901234567890.10"))).toBe("12345678901234567890.10");
    expect(readNumber(" -.5 ")).toBe(-0.5);
    expect([readNumber("1,5"), readNumber("NaN"), readNumber(""), readNumber("0x1")]).toEqual(
      Array(4).fill(undefined),
    );
    expect(readJsonText('{"a":1}')).toEqual({ value: { a: 1 } });
    expect(readJsonText("{")).toHaveProperty("problem");
    expect(readJsonText("[".repeat(1_000) + "]".repeat(1_000))).toHaveProperty("problem");
  });
});

describe("a run", () => {
  test("shows the state of each node from the events", () => {
    let run = startRun("run_1", ["a", "b"]);
    const node = (id: string, state: string, completed: number, total: number | null) => ({
      node_id: id,
      state,
      total,
      completed,
      failed: 0,
      blocked: 0,
      skipped: 0,
    });
    for (const [event, data] of [
      ["status", { status: "running" }],
      ["node", node("a", "running", 3, 24)],
      ["progress", { progress: 40 }],
      ["progress", { progress: 30 }],
      ["node", node("b", "blocked", 0, 1)],
      ["node", { node_id: "b", state: "planted" }],
      ["planted", {}],
      ["node", null],
    ] as const) {
      run = applyEvent(run, event, data);
    }
    expect(run).toMatchObject({ status: "running", progress: 40 });
    expect(run.nodes.get("a")).toEqual({ state: "running", total: 24, settled: 3 });
    expect(run.nodes.get("b")?.state).toBe("skipped");
    expect(endedNodes(run)).toBe(1);
  });

  test("reads its stream in pieces of any length", () => {
    const text =
      'id: 1\r\nevent: status\r\ndata: {"status":"running"}\r\n\r\n: comment\n\nid: 2\nevent: done\ndata: a\ndata: b\n\n';
    for (const size of [1, 2, 7, 1_000]) {
      const reader = new EventReader();
      const events = [];
      for (let at = 0; at < text.length; at += size) {
        events.push(...reader.push(text.slice(at, at + size)));
      }
      expect(events, String(size)).toEqual([
        { id: "1", event: "status", data: '{"status":"running"}' },
        { id: "2", event: "done", data: "a\nb" },
      ]);
    }
    expect(() => new EventReader().push("x".repeat(2 * 1024 * 1024))).toThrow(RangeError);
  });
});

describe("interfaces", () => {
  const { graph } = readGraph({
    nodes: [
      { id: "a", type: "input/text", label: "Full name" },
      { id: "t", type: "image/convert" },
      { id: "o", type: "output/text", label: "Text" },
    ],
  });

  test("offer inputs and exposable parameters as fields", () => {
    const targets = fieldTargets(CATALOG, graph);
    expect(targets[0]).toEqual({ node: "a", parameter: null, label: "Full name", type: "text" });
    expect(targets.find(({ parameter }) => parameter === "format")).toMatchObject({ type: "enum" });
    expect(fieldTargets(CATALOG, EMPTY_GRAPH)).toEqual([]);
  });

  test("are added with all inputs and outputs, edited, ordered and removed", () => {
    let edited = addInterface(CATALOG, graph, "Public");
    expect(edited.interfaces[0]).toMatchObject({
      name: "Public",
      is_default: true,
      fields: [{ key: "full_name", label: "Full name", type: "text", bind: { node: "a" } }],
      outputs: [{ key: "text", node: "o" }],
    });
    edited = addInterface(CATALOG, edited, "Other");
    expect(recommend(edited, 1).interfaces.map((entry) => entry["is_default"])).toEqual([
      false,
      true,
    ]);
    expect(removeInterface(edited, 0).interfaces).toHaveLength(1);

    let [entry] = edited.interfaces;
    for (const target of fieldTargets(CATALOG, graph).slice(0, 3)) {
      entry = addField(entry!, target);
    }
    const keys = () => listOf(entry!, "fields").map(({ key }) => key);
    expect(keys().slice(0, 2)).toEqual(["full_name", "full_name_2"]);
    const before = keys();
    entry = moveEntry(entry!, "fields", 0, 1);
    expect(keys().slice(0, 2)).toEqual([before[1], before[0]]);
    expect(moveEntry(entry, "fields", 0, -1)).toBe(entry);
    entry = changeEntry(entry, "fields", 0, "default_value", '"x"');
    expect(listOf(entry, "fields")[0]).toHaveProperty("default_value", '"x"');
    entry = changeEntry(entry, "fields", 0, "default_value", undefined);
    expect(listOf(entry, "fields")[0]).not.toHaveProperty("default_value");
    entry = removeEntry(entry, "fields", 0);
    expect(keys()[0]).toBe("full_name");
  });
});
