/** Files with rows, from the upload to the result, with the real runner, queue and run object. */
import { readFile } from "node:fs/promises";
import { writeXlsx } from "hucre";
import { beforeAll, describe, expect, it } from "vitest";
import { publish as publishDraft } from "../../scripts/provision.ts";
import { readResult, submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";

const AIRPORTS = new URL("../../node_modules/vega-datasets/data/airports.csv", import.meta.url);

let service: SharedService;

beforeAll(async () => {
  service = await sharedService();
});

function upload(name: string, content: string | Uint8Array): Promise<string> {
  return uploadAsset(service.client, name, content);
}

type Node = { id: string; type: string; label?: string; parameters?: Record<string, unknown> };

function publish(nodes: readonly Node[], links: readonly string[]): Promise<string> {
  const end = (text: string) => {
    const [node, port] = text.split(".");
    return { node, port };
  };
  const connections = links.map((link) => {
    const [from = "", to = ""] = link.split(" > ");
    return { from: end(from), to: end(to) };
  });
  return publishDraft(service.client, {
    name: `datasets ${nodes.map((node) => node.id).join()}`,
    definition: { nodes, connections },
  });
}

async function run(workflow: string, inputs: Record<string, unknown>) {
  const runId = await submitRun(service.client, { workflow, inputs } as never);
  const execution = await waitForRun(service.client, runId);
  const { result } = await readResult(service.client, runId);
  const value = async (key: string): Promise<unknown> => {
    const group = result.by_key[key]!;
    return group.value ?? JSON.parse(await (await fetch(group.url!)).text());
  };
  return { execution, value };
}

const column = (sourceColumn: string, outputPort: string, outputType: string) => ({
  sourceColumn,
  outputPort,
  outputType,
});

const collect = (...ports: string[]): Node => ({
  id: "all",
  type: "aggregate/json",
  parameters: { jsonAggregateConfig: { columns: ports.map((inputPort) => ({ inputPort })) } },
});
const out = (id: string): Node => ({ id, type: "output/json", label: id, parameters: { key: id } });

/** input/data → enumerate/data_rows with columns, collected again. */
function rowsWorkflow(
  columns: readonly unknown[],
  ports: readonly string[],
  data = {},
): Promise<string> {
  return publish(
    [
      { id: "file", type: "input/data", label: "File", parameters: data },
      { id: "rows", type: "enumerate/data_rows", parameters: { rowMapping: { columns } } },
      collect(...ports),
      out("items"),
      out("profile"),
      out("count"),
    ],
    [
      "file.dataset > rows.dataset",
      ...ports.map((port) => `rows.${port} > all.${port}`),
      "all.json > items.json",
      "file.profile > profile.json",
      "file.row_count > count.json",
    ],
  );
}

describe("rows of a file", () => {
  it("of the airports become elements with typed and computed columns, all 3,376 of them", async () => {
    const workflow = await rowsWorkflow(
      [
        column("iata", "code", "text"),
        column("latitude", "lat", "number"),
        {
          outputPort: "label",
          outputType: "text",
          isComputed: true,
          formula: "{{ iata }}/{{ state }}",
        },
        { ...column("name", "unused", "text"), selected: false },
      ],
      ["code", "lat", "label", "row_index", "row_id"],
    );
    const csv = await readFile(AIRPORTS, "utf8");
    const asset_path = await upload("airports.csv", csv);
    const { execution, value } = await run(workflow, { file: { asset_path } });
    expect(execution).toMatchObject({ status: "completed" });
    expect(await value("count")).toBe(3376);
    const items = (await value("items")) as Record<string, unknown>[];
    expect(items).toHaveLength(3376);
    const lines = csv.split("\n");
    expect(items[0]).toMatchObject({ code: lines[1]!.split(",")[0], row_index: 0 });
    expect(items[0]!["label"]).toMatch(/^\w+\/\w+$/);
    expect(items.map((item) => item["row_index"])).toEqual(items.map((_item, index) => index));
    expect(new Set(items.map((item) => item["row_id"])).size).toBe(3376);
    expect(await value("profile")).toMatchObject({
      schema: "svc.dataset-profile/v1",
      row_count: 3376,
      delimiter: ",",
    });
    // The same bytes have the same row ids.
    const again = await run(workflow, { file: { asset_path: await upload("other.csv", csv) } });
    const ids = ((await again.value("items")) as Record<string, unknown>[]).map((i) => i["row_id"]);
    expect(ids).toEqual(items.map((item) => item["row_id"]));
  });

  it("keep every digit for a text port, and are null where a typed port's cell is empty", async () => {
    const workflow = await rowsWorkflow(
      [
        column("n", "text", "text"),
        column("n", "number", "number"),
        column("b", "flag", "boolean"),
        column("u", "url", "url"),
        column("t", "words", "text"),
      ],
      ["text", "number", "flag", "url", "words", "values"],
    );
    const asset_path = await upload(
      "cells.csv",
      "n,b,u,t\n1.50,TRUE,https://example.com/a,007\n,,,\n12345678901234567890,false,,x\n,,,y\n",
    );
    const { execution, value } = await run(workflow, { file: { asset_path } });
    expect(execution).toMatchObject({ status: "completed" });
    expect(await value("items")).toEqual([
      {
        text: "1.50",
        number: 1.5,
        flag: true,
        url: "https://example.com/a",
        words: "007",
        values: { n: 1.5, b: true, u: "https://example.com/a", t: "007" },
      },
      {
        text: "12345678901234567890",
        number: Number("12345678901234567890"),
        flag: false,
        url: null,
        words: "x",
        values: { n: Number("12345678901234567890"), b: false, u: null, t: "x" },
      },
      {
        text: "",
        number: null,
        flag: null,
        url: null,
        words: "y",
        values: { n: null, b: null, u: null, t: "y" },
      },
    ]);
  });

  it("of a worksheet and of a JSON file arrive with their own types", async () => {
    const workflow = await rowsWorkflow([column("when", "when", "text")], ["when", "values"]);
    const xlsx = await writeXlsx({
      sheets: [
        {
          name: "Orders",
          rows: [
            ["when", "n"],
            [new Date(Date.UTC(2024, 1, 29)), 2.5],
          ],
        },
        { name: "Notes", rows: [["x"]], hidden: true },
      ],
    } as never);
    const sheet = await run(workflow, { file: { asset_path: await upload("a.xlsx", xlsx) } });
    expect(sheet.execution).toMatchObject({ status: "completed" });
    expect(await sheet.value("items")).toEqual([
      { when: "2024-02-29", values: { when: "2024-02-29", n: 2.5 } },
    ]);
    const json = await run(workflow, {
      file: { asset_path: await upload("a.json", '{"o":{"rows":[{"when":1},{"x":[1]}]}}') },
    });
    expect(await json.value("items")).toEqual([
      { when: "1", values: { when: 1, x: null } },
      { when: "", values: { when: null, x: [1] } },
    ]);
  });

  it("that do not convert, or a file that is not a table, fail the node and report the location", async () => {
    const strict = await rowsWorkflow([column("n", "n", "number")], ["n"]);
    const bad = await run(strict, { file: { asset_path: await upload("bad.csv", "n\n1\nx\n") } });
    expect(bad.execution).toMatchObject({ status: "partial_success", error_code: "TYPE_MISMATCH" });
    expect(String(bad.execution.error_message)).toMatch(/"n", row 2/);
    const missing = await rowsWorkflow([column("m", "m", "text")], ["m"]);
    const none = await run(missing, { file: { asset_path: await upload("m.csv", "n\n1\n") } });
    expect(none.execution).toMatchObject({ error_code: "COLUMN_NOT_FOUND" });
    const torn = await run(strict, { file: { asset_path: await upload("torn.csv", 'n\n"1\n') } });
    expect(torn.execution).toMatchObject({ status: "failed", error_code: "INVALID_DATA" });
  });

  it("beyond 10,000 are refused as a whole, and the count is still exact", async () => {
    const workflow = await rowsWorkflow([column("n", "n", "number")], ["n"]);
    const many = `n\n${Array.from({ length: 25_000 }, (_, index) => index).join("\n")}\n`;
    const { execution, value } = await run(workflow, {
      file: { asset_path: await upload("many.csv", many) },
    });
    expect(execution).toMatchObject({
      status: "partial_success",
      error_code: "ITERATION_LIMIT_EXCEEDED",
    });
    expect(await value("count")).toBe(25_000);
  });
});

describe("files as inputs that fan out", () => {
  it("are read by input/csv, input/json and enumerate/csv alike", async () => {
    const csvConfig = { columns: [{ header: "Price", outputPort: "price", outputType: "number" }] };
    const csv = await publish(
      [
        { id: "csv", type: "input/csv", label: "Csv", parameters: { csvConfig } },
        collect("item", "price"),
        out("items"),
      ],
      ["csv.item > all.item", "csv.price > all.price", "all.json > items.json"],
    );
    const rows = [
      { item: { name: "Ä", Price: 1.5 }, price: 1.5 },
      { item: { name: "b", Price: null }, price: null },
    ];
    // Windows-1252: the byte C4 alone is not UTF-8.
    const bytes = Uint8Array.from("name,Price\n\u00c4,1.5\nb,\n", (letter) => letter.charCodeAt(0));
    const first = await run(csv, { csv: { asset_path: await upload("p.csv", bytes) } });
    expect(first.execution).toMatchObject({ status: "completed" });
    expect(await first.value("items")).toEqual(rows);

    const json = await publish(
      [
        { id: "list", type: "input/json", label: "List", parameters: { table: "$.a" } },
        collect("item"),
        out("items"),
      ],
      ["list.item > all.item", "all.json > items.json"],
    );
    const asset_path = await upload("l.json", '{"a":[1.50,{"b":null},"x"]}');
    const second = await run(json, { list: { asset_path } });
    expect(await second.value("items")).toEqual([
      { item: 1.5 },
      { item: { b: null } },
      { item: "x" },
    ]);
    const inline = await run(json, { list: { value: '{"a":[7]}' } });
    expect(await inline.value("items")).toEqual([{ item: 7 }]);

    const text = await publish(
      [
        { id: "text", type: "input/text", label: "Text" },
        { id: "rows", type: "enumerate/csv", parameters: { csvConfig } },
        collect("item", "price"),
        out("items"),
      ],
      [
        "text.text > rows.text",
        "rows.item > all.item",
        "rows.price > all.price",
        "all.json > items.json",
      ],
    );
    const third = await run(text, {
      text: { value: JSON.stringify("name;Price\nÄ;1.5\nb;\n") },
    });
    expect(await third.value("items")).toEqual(rows);
  });

  it("may have computed columns under headers and names of their own", async () => {
    const doubled = { outputType: "number", isComputed: true, formula: "Price * 2" };
    const columns = [
      { header: "Price", outputPort: "price", outputType: "number" },
      { header: "Doubled", outputPort: "doubled", ...doubled },
    ];
    const csv = await publish(
      [
        { id: "csv", type: "input/csv", label: "Csv", parameters: { csvConfig: { columns } } },
        collect("price", "doubled"),
        out("items"),
      ],
      ["csv.price > all.price", "csv.doubled > all.doubled", "all.json > items.json"],
    );
    const asset_path = await upload("p.csv", "name,Price\na,1.5\n");
    const first = await run(csv, { csv: { asset_path } });
    expect(first.execution).toMatchObject({ status: "completed" });
    expect(await first.value("items")).toEqual([{ price: 1.5, doubled: 3 }]);
    const mapped = await rowsWorkflow(
      [
        column("Price", "price", "number"),
        { ...column("Doubled", "doubled", "number"), ...doubled },
      ],
      ["price", "doubled"],
    );
    const second = await run(mapped, { file: { asset_path } });
    expect(await second.value("items")).toEqual([{ price: 1.5, doubled: 3 }]);
  });

  it("of a JSON file are those of its list, or else of its only array of objects", async () => {
    const json = await publish(
      [{ id: "list", type: "input/json", label: "List" }, collect("item"), out("items")],
      ["list.item > all.item", "all.json > items.json"],
    );
    const read = async (name: string, text: string) =>
      await run(json, { list: { asset_path: await upload(name, text) } });
    const items = async (name: string, text: string) =>
      await (await read(name, text)).value("items");
    expect(await items("a.json", '\ufeff \n[1,"x"]')).toEqual([{ item: 1 }, { item: "x" }]);
    expect(await items("a.json", '{"n":[1],"rows":[{"a":1}]}')).toEqual([{ item: { a: 1 } }]);
    expect(await items("a.ndjson", '{"a":1}\n{"a":2}')).toEqual([
      { item: { a: 1 } },
      { item: { a: 2 } },
    ]);
    const several = await read("a.json", '{"p":[{"a":1}],"q":[{"a":2}]}');
    expect(several.execution).toMatchObject({
      status: "failed",
      error_code: "AMBIGUOUS_TABLE",
      error_message: expect.stringContaining('"$.p", "$.q"'),
    });
    const inline = await run(json, { list: { value: "[7]" } });
    expect(await inline.value("items")).toEqual([{ item: 7 }]);
  });

  it("come from a document that a caller passes on, by enumerate/csv", async () => {
    const columns = [
      { header: "iata", outputPort: "code", outputType: "text" },
      { header: "latitude", outputPort: "lat", outputType: "number" },
    ];
    const workflow = await publish(
      [
        { id: "paper", type: "input/document", label: "Paper", parameters: { required: true } },
        { id: "rows", type: "enumerate/csv", parameters: { csvConfig: { columns } } },
        collect("index", "code", "lat"),
        out("items"),
        out("count"),
      ],
      [
        "paper.document > rows.document",
        "rows.index > all.index",
        "rows.code > all.code",
        "rows.lat > all.lat",
        "all.json > items.json",
        "all.count > count.json",
      ],
    );
    const csv = await readFile(AIRPORTS, "utf8");
    const { execution, value } = await run(workflow, {
      paper: { asset_path: await upload("airports.csv", csv) },
    });
    expect(execution).toMatchObject({ status: "completed" });
    expect(await value("count")).toBe(3376);
    const items = (await value("items")) as { index: number; code: string; lat: number }[];
    const lines = csv.split("\n");
    for (const index of [0, 1, 3375]) {
      const line = lines[index + 1]!;
      expect(items[index]).toEqual({
        index,
        code: line.split(",")[0],
        lat: Number(line.split(",").at(-2)),
      });
    }
    const broken = await run(workflow, {
      paper: { asset_path: await upload("broken.csv", 'iata,latitude\n"DEN,1\n') },
    });
    expect(broken.execution).toMatchObject({ status: "failed", error_code: "INVALID_DATA" });
  });

  it("are refused at submit when they are missing, of another kind or an inline value", async () => {
    const workflow = await rowsWorkflow([], ["values"]);
    const submit = async (file: unknown) => {
      const response = await service.client.send("POST", "/api/v1/executions", {
        body: { workflow, inputs: file === undefined ? {} : { file } },
      });
      return [response.status, ((await response.json()) as { code: string }).code];
    };
    expect(await submit({ asset_path: "assets/none/a.csv" })).toEqual([404, "not_found"]);
    expect(
      await submit({ asset_path: await upload("a.srt", "1\n00:00:01,000 --> 00:00:02,000\nx\n") }),
    ).toEqual([400, "validation_error"]);
    expect(await submit({ value: "[1]" })).toEqual([400, "validation_error"]);
    expect(await submit(undefined)).toEqual([400, "validation_error"]);
  });
});

describe("an estimate", () => {
  it("counts the rows of the file, runs nothing, and reports that it is not exact if it cannot know", async () => {
    const code = { id: "code", type: "image/code", parameters: { symbology: "qr" } };
    const data = await publish(
      [
        { id: "file", type: "input/data", label: "File" },
        {
          id: "rows",
          type: "enumerate/data_rows",
          parameters: { rowMapping: { columns: [column("n", "n", "text")] } },
        },
        code,
        { id: "out", type: "output/image", label: "Out" },
      ],
      ["file.dataset > rows.dataset", "rows.n > code.text", "code.image > out.image"],
    );
    const estimate = async (workflow: string, input: string, asset_path: string) => {
      const response = await service.client.call<{
        per_node: { node_id: string; iterations: number; is_exact: boolean }[];
      }>("POST", `/api/v1/workflows/${workflow}/estimate`, {
        body: { inputs: { [input]: { asset_path } } },
      });
      return response.per_node.find(({ node_id }) => node_id === "code");
    };
    const rows = `n\n${Array.from({ length: 321 }, (_, i) => `row ${i}`).join("\n")}\n`;
    expect(await estimate(data, "file", await upload("n.csv", rows))).toMatchObject({
      iterations: 321,
    });
    expect(await estimate(data, "file", await upload("torn.csv", 'n\n"'))).toMatchObject({
      iterations: 1,
      is_exact: false,
    });
    const csv = await publish(
      [
        {
          id: "csv",
          type: "input/csv",
          label: "Csv",
          parameters: {
            csvConfig: { columns: [{ header: "n", outputPort: "n", outputType: "text" }] },
          },
        },
        code,
        { id: "out", type: "output/image", label: "Out" },
      ],
      ["csv.n > code.text", "code.image > out.image"],
    );
    expect(await estimate(csv, "csv", await upload("n.csv", rows))).toMatchObject({
      iterations: 321,
      is_exact: true,
    });
  });
});
