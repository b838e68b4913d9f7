import { abortAllDurableObjects } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { type Reply, call, type Caller, newCaller } from "../../support/api-caller.ts";
import { upload } from "../../support/asset-form.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { waitUntil } from "../../support/wait-until.ts";

let caller: Caller;
beforeAll(async () => {
  caller = await newCaller();
});

const CSV = "sku,price,stock\na,1.5,3\nb,n/a,4\nc,oops,5\nd,2.5,many\n";
const csvColumns = (price: object, stock: object = {}) => [
  { header: "sku", outputPort: "sku", outputType: "text" },
  { header: "price", outputPort: "price", outputType: "number", ...price },
  { header: "stock", outputPort: "stock", outputType: "any", ...stock },
];

/** Rows of a CSV file, drawn as codes if `isPaid`, and collected. */
const definition = (columns: unknown, type = "input/csv", isPaid = false) => ({
  nodes: [
    ...(type === "input/csv"
      ? [{ id: "rows", type, label: "rows", parameters: { csvConfig: { columns } } }]
      : [
          { id: "text", type: "input/text", label: "text" },
          { id: "rows", type, label: "rows", parameters: { csvConfig: { columns } } },
        ]),
    {
      id: "all",
      type: "aggregate/json",
      parameters: {
        jsonAggregateConfig: { columns: [{ inputPort: "sku" }, { inputPort: "price" }] },
      },
    },
    { id: "out", type: "output/json", label: "out" },
    ...(isPaid
      ? [
          { id: "codes", type: "image/code", parameters: { symbology: "qr" } },
          { id: "pictures", type: "output/image", label: "pictures" },
        ]
      : []),
  ],
  connections: [
    ...(type === "input/csv"
      ? []
      : [{ from: { node: "text", port: "text" }, to: { node: "rows", port: "text" } }]),
    { from: { node: "rows", port: "sku" }, to: { node: "all", port: "sku" } },
    { from: { node: "rows", port: "price" }, to: { node: "all", port: "price" } },
    { from: { node: "all", port: "json" }, to: { node: "out", port: "json" } },
    ...(isPaid
      ? [
          { from: { node: "rows", port: "sku" }, to: { node: "codes", port: "text" } },
          { from: { node: "codes", port: "image" }, to: { node: "pictures", port: "image" } },
        ]
      : []),
  ],
});

async function stored(name: string, content: string): Promise<string> {
  return String((await upload(caller, name, content)).json.path);
}

async function resultOf(workflow: string, inputs: unknown): Promise<Reply["json"]> {
  const submitted = await call("POST", "/api/v1/executions", {
    token: caller.token,
    json: { workflow, inputs },
  });
  expect(submitted.status).toBe(202);
  const path = `/api/v1/executions/${submitted.json.id}`;
  await waitUntil("the run to end", async () => {
    const { json } = await call("GET", path, { token: caller.token });
    return json.completed_at !== null;
  });
  return (await call("GET", `${path}/result`, { token: caller.token })).json;
}

describe("a column of a CSV file", () => {
  it("fails the run by default, naming column and row", async () => {
    const workflow = await publishedWorkflow(caller, definition(csvColumns({})));
    const { diagnostics } = await resultOf(workflow, {
      rows: { asset_path: await stored("p.csv", CSV) },
    });
    expect(diagnostics.message).toMatch(/TYPE_MISMATCH.*"price", row 2/);
  });

  it("sets such cells to null, with one warning per column, or skips their rows, with one per node", async () => {
    const rows = { asset_path: await stored("p.csv", CSV) };
    const nulled = await resultOf(
      await publishedWorkflow(
        caller,
        definition(
          csvColumns(
            { onInvalid: "null", nullValues: ["N/A"] },
            { outputType: "number", onInvalid: "null" },
          ),
        ),
      ),
      { rows },
    );
    expect(nulled.result.by_key.out.value).toEqual([
      { sku: "a", price: 1.5 },
      { sku: "b", price: null },
      { sku: "c", price: null },
      { sku: "d", price: 2.5 },
    ]);
    expect(nulled.diagnostics.warnings).toEqual([
      { code: "CELLS_NULLED", node_id: "rows", column: "price", nulled: 1, of: 4, first_row: 3 },
      { code: "CELLS_NULLED", node_id: "rows", column: "stock", nulled: 1, of: 4, first_row: 4 },
    ]);

    const workflow = await publishedWorkflow(
      caller,
      definition(csvColumns({ onInvalid: "skip_row" })),
    );
    const skipped = await resultOf(workflow, { rows });
    expect(skipped.result.by_key.out.value).toEqual([
      { sku: "a", price: 1.5 },
      { sku: "d", price: 2.5 },
    ]);
    const warnings = [
      {
        code: "ROWS_SKIPPED",
        node_id: "rows",
        skipped: 2,
        of: 4,
        first_row: 2,
        column: "price",
      },
    ];
    expect(skipped.diagnostics.warnings).toEqual(warnings);
    await abortAllDurableObjects();
    const again = await call("GET", `/api/v1/executions/${skipped.execution_id}/result`, {
      token: caller.token,
    });
    expect(again.json.diagnostics.warnings).toEqual(warnings);
  });

  it("is read the same way from text, and beyond the row limit of a node if some are skipped", async () => {
    const workflow = await publishedWorkflow(
      caller,
      definition(csvColumns({ onInvalid: "skip_row" }), "enumerate/csv"),
    );
    const { result } = await resultOf(workflow, { text: { value: JSON.stringify(CSV) } });
    expect(result.by_key.out.value).toHaveLength(2);

    const bad = "x,bad,1\n".repeat(10_500);
    const file = await stored("long.csv", `sku,price,stock\n${bad}last,9,1\n`);
    const long = await resultOf(
      await publishedWorkflow(caller, definition(csvColumns({ onInvalid: "skip_row" }))),
      { rows: { asset_path: file } },
    );
    expect(long.result.by_key.out.value).toEqual([{ sku: "last", price: 9 }]);
    expect(long.diagnostics.warnings[0]).toMatchObject({ skipped: 10_500, of: 10_501 });
  });
});

describe("an estimate", () => {
  const estimate = async (workflow: string, inputs: unknown) => {
    const path = `/api/v1/workflows/${workflow}/estimate`;
    const { status, json } = await call("POST", path, { token: caller.token, json: { inputs } });
    expect(status).toBe(200);
    return json;
  };
  const data = (columns: unknown) => ({
    nodes: [
      { id: "file", type: "input/data", label: "file" },
      { id: "rows", type: "enumerate/data_rows", parameters: { rowMapping: { columns } } },
      { id: "codes", type: "image/code", parameters: { symbology: "qr" } },
      { id: "pictures", type: "output/image", label: "pictures" },
    ],
    connections: [
      { from: { node: "file", port: "dataset" }, to: { node: "rows", port: "dataset" } },
      { from: { node: "rows", port: "sku" }, to: { node: "codes", port: "text" } },
      { from: { node: "codes", port: "image" }, to: { node: "pictures", port: "image" } },
    ],
  });
  const mapped = (more: object, name = "price") => [
    { sourceColumn: "sku", outputPort: "sku", outputType: "text" },
    { sourceColumn: name, outputPort: "price", outputType: "number", ...more },
  ];

  it("counts the rows left after skipping, for CSV and for datasets", async () => {
    const asset_path = await stored("p.csv", CSV);
    const csv = await publishedWorkflow(
      caller,
      definition(csvColumns({ onInvalid: "skip_row" }), "input/csv", true),
    );
    const rows = await publishedWorkflow(caller, data(mapped({ onInvalid: "skip_row" })));
    const all = await publishedWorkflow(caller, data(mapped({ onInvalid: "null" })));
    for (const [workflow, input, milli] of [
      [csv, "rows", 40],
      [rows, "file", 40],
      [all, "file", 80],
    ] as const) {
      expect(await estimate(workflow, { [input]: { asset_path } }), input).toMatchObject({
        estimated_milli_credits: milli,
        is_exact: true,
        will_fail: false,
        warnings: [],
      });
    }
  });

  it("reports a mapped column that the file lacks", async () => {
    const asset_path = await stored("p.csv", CSV);
    const csv = definition(
      [{ header: "nope", outputPort: "sku", outputType: "text" }, csvColumns({})[1]],
      "input/csv",
      true,
    );
    for (const [workflow, input] of [
      [await publishedWorkflow(caller, data(mapped({}, "nope"))), "file"],
      [await publishedWorkflow(caller, csv), "rows"],
    ] as const) {
      const told = await estimate(workflow, { [input]: { asset_path } });
      expect(told).toMatchObject({ is_exact: false, will_fail: true });
      expect(told.warnings[0]).toMatchObject({ code: "COLUMN_NOT_FOUND", node_id: "rows" });
      expect(told.warnings[0].message).toContain("nope");
    }
  });

  it("shows all rows of a file, also above the limit", async () => {
    const asset_path = await stored("n.csv", `sku,price,stock\n${"a,1,1\n".repeat(12_000)}`);
    const csv = await publishedWorkflow(caller, definition(csvColumns({}), "input/csv", true));
    const rows = await publishedWorkflow(caller, data(mapped({})));
    for (const [workflow, input] of [
      [csv, "rows"],
      [rows, "file"],
    ] as const) {
      const told = await estimate(workflow, { [input]: { asset_path } });
      expect(told).toMatchObject({
        estimated_milli_credits: 240_000,
        is_exact: true,
        will_fail: true,
      });
      expect(told.warnings).toContainEqual(
        expect.objectContaining({
          code: "ITERATION_LIMIT_EXCEEDED",
          node_id: "rows",
          iterations: 12_000,
          limit: 10_000,
        }),
      );
    }
  });
});
