/** What does not print makes its node fail with a code of its own, once, and the node says which field it was. */
import "../support/only-in-proof.ts";
import { beforeAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../../scripts/api-client.ts";
import { LIMITS } from "../../src/lib/limits/limits-table.ts";
import { sharedService } from "../support/node/shared-service.ts";
import { guid, node, publishNodes, publishTemplate, runTo } from "../support/node/template-runs.ts";

let client: ApiClient;
let template_id: string;

beforeAll(async () => {
  ({ client } = await sharedService());
  const box = { left: 10, width: 180, height: 30 };
  const field = (n: number, code: string, placeholderType: string) => ({
    placeholder: { id: guid(n), name: code, code, placeholderType },
  });
  const key = { $type: "text", id: guid(7), width: 180, height: 20, ...field(8, "key", "text") };
  const rows = { itemHeight: 20, children: [{ ...key, text: "Key", fontSize: 8 }] };
  const elements = [
    { $type: "text", id: guid(3), ...box, text: "Nobody", ...field(4, "name", "text") },
    { $type: "repeat_region", id: guid(5), ...box, top: 50, ...rows, ...field(6, "rows", "list") },
  ];
  const pages = [
    { id: guid(1), width: 200, height: 100, elements },
    { id: guid(2), width: 200, height: 100, elements: [] },
  ];
  template_id = await publishTemplate(client, { schemaVersion: "2.0", pages });
});

/** A workflow whose node `print` gets a name and rows. */
async function printer(type: string, parameters: object): Promise<string> {
  const out = type === "design/template_render" ? "layout_report" : "document";
  return await publishNodes(
    client,
    [
      node("name", "input/text"),
      node("rows", "input/json_value"),
      node("said", "output/text", { key: "said" }),
      node("print", type, { template_id, ...parameters }),
      out === "document"
        ? node("out", "output/document", { key: "out" })
        : node("out", "output/json", { key: "out" }),
    ],
    [
      "name.text > said.text",
      "name.text > print.name",
      "rows.json > print.rows",
      `print.${out} > out.${out === "document" ? out : "json"}`,
    ],
  );
}

interface Trace {
  readonly nodes: readonly {
    readonly node_id: string;
    readonly state: string;
    readonly retry_count: number;
  }[];
}

/** How the run ended, and its node. */
async function outcomeOf(workflow: string, values: Readonly<Record<string, unknown>>) {
  const run = await runTo(client, workflow, values);
  const { nodes } = await client.call<Trace>("GET", `/api/v1/executions/${run.id}/trace`);
  return { ...run, print: nodes.find(({ node_id: id }) => id === "print") };
}

const SHORT = { name: "Ada", rows: [{ key: "one" }] };
const FAILED = { status: "partial_success", print: { state: "failed", retry_count: 0 } };

describe.each(["design/template_render", "document/pdf", "aggregate/pdf"])("%s", (type) => {
  test.each<[string, object, object, string]>([
    [
      "TEXT_OVERFLOW",
      { overflow_policy: "fail" },
      { name: "A long name ".repeat(40) },
      "The text of the field name has 480 characters",
    ],
    [
      "LIST_OVERFLOW",
      { overflow_policy: "fail" },
      { rows: [{ key: "one" }, { key: "two" }, { key: "three" }] },
      "The list rows has 3 rows, of which 1 print.",
    ],
    [
      "RENDER_TOO_LARGE",
      {},
      { name: "a".repeat(LIMITS.render_text.value + 1) },
      "The text of the field name has 100001 characters.",
    ],
  ])("fails with %s, once, and says where", async (code, parameters, values, message) => {
    const workflow = await printer(type, parameters);
    const run = await outcomeOf(workflow, { ...SHORT, ...values });
    expect(run, JSON.stringify(run)).toMatchObject({ ...FAILED, error_code: code });
    expect(run.error_message).toContain(message);
    expect(await outcomeOf(workflow, SHORT)).toMatchObject({ status: "completed" });
  });
});

test.each<[string, object, string]>([
  ["beyond the last page", { page_selection: "2-3" }, "The document has 2 pages"],
  ["of page 0", { page_selection: "0" }, '"0" selects no pages'],
  ["backwards", { page_selection: "2-1" }, '"2-1" selects no pages'],
  [
    "of two pages for one image",
    { output: "image" },
    "An image shows one page, and page_selection selects 2.",
  ],
])(
  "a selection %s fails the node with PAGE_SELECTION_INVALID, once",
  async (_what, parameters, message) => {
    const run = await outcomeOf(await printer("design/template_render", parameters), SHORT);
    expect(run, JSON.stringify(run)).toMatchObject({
      ...FAILED,
      error_code: "PAGE_SELECTION_INVALID",
    });
    expect(run.error_message).toContain(message);
  },
);
