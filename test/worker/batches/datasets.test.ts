/** docs/contract/batches.md#rows: batches whose items are the rows of a stored table. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { call, newCaller } from "../../support/api-caller.ts";
import { upload } from "../../support/asset-form.ts";
import { makeWorkbook } from "../../support/datasets/make-workbook.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { HOME_DB } from "../../support/home-database.ts";
import { BATCHES, BatchFixture, QUOTIENT } from "./batch-fixture.ts";

/** Writes what it gets: a text, a number, a boolean, JSON and a document. */
const TYPED = {
  nodes: [
    {
      id: "t",
      type: "input/text",
      label: "topic",
      parameters: { required: false, default: "none" },
    },
    { id: "n", type: "input/number", label: "count", parameters: { required: false } },
    { id: "b", type: "input/boolean", label: "flag", parameters: { required: false } },
    { id: "j", type: "input/json_value", label: "data", parameters: { required: false } },
    { id: "d", type: "input/document", label: "doc", parameters: { required: false } },
    { id: "said", type: "output/text", label: "said" },
    ...["count", "flag", "data"].map((id) => ({ id, type: "output/json", label: id })),
  ],
  connections: [
    { from: { node: "t", port: "text" }, to: { node: "said", port: "text" } },
    { from: { node: "n", port: "number" }, to: { node: "count", port: "json" } },
    { from: { node: "b", port: "boolean" }, to: { node: "flag", port: "json" } },
    { from: { node: "j", port: "json" }, to: { node: "data", port: "json" } },
  ],
};

let batches: BatchFixture;
let typed: string;
let quotient: string;

beforeAll(async () => {
  batches = new BatchFixture(await newCaller());
  typed = await publishedWorkflow(batches.caller, TYPED);
  quotient = await publishedWorkflow(batches.caller, QUOTIENT);
});

const stored = async (name: string, content: string | Uint8Array) =>
  String((await upload(batches.caller, name, content)).json.path);

async function keyOf(path: string): Promise<string> {
  const row = await HOME_DB.prepare("SELECT key FROM assets WHERE path = ?")
    .bind(path)
    .first<{ key: string }>();
  return row?.key ?? "";
}

/** The Worker's files, and how many of their bytes were handed out. */
function countedFiles() {
  const read = { bytes: 0 };
  const counting = () =>
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        read.bytes += chunk.length;
        controller.enqueue(chunk);
      },
    });
  const get = async (...args: Parameters<R2Bucket["get"]>) => {
    const object = await env.FILES.get(...args);
    const body: unknown = object === null ? undefined : Reflect.get(object, "body");
    if (object === null || !(body instanceof ReadableStream)) {
      return object;
    }
    const counted = (body as ReadableStream<Uint8Array>).pipeThrough(counting());
    return new Proxy(object, {
      get: (target, name) => {
        if (name === "body") {
          return counted;
        }
        const member: unknown = Reflect.get(target, name, target);
        return typeof member !== "function"
          ? member
          : name === "arrayBuffer"
            ? () => new Response(counted).arrayBuffer()
            : member.bind(target);
      },
    });
  };
  const files = new Proxy(env.FILES, {
    get: (target, name) => {
      const member: unknown = name === "get" ? get : Reflect.get(target, name, target);
      return typeof member === "function" && name !== "get" ? member.bind(target) : member;
    },
  });
  return { files, read };
}

const ALL = { topic: "Title", count: "N", flag: "Yes", data: "Json" };

/** The outputs of each item's run, by key; undefined where there is none. */
async function outputsOf(id: string) {
  const { token } = batches.caller;
  const { data } = (await batches.get(`/${id}/items?limit=100`)).json;
  return await Promise.all(
    data.map(async ({ execution }: { execution: string | null }) => {
      if (execution === null) {
        return null;
      }
      const { json } = await call("GET", `/api/v1/executions/${execution}/result`, { token });
      const shown = json.result.by_key;
      return Object.fromEntries(
        Object.keys(shown).map((key) => [
          key,
          shown[key].state === "present" ? (shown[key].value ?? shown[key].url) : undefined,
        ]),
      );
    }),
  );
}

const refusal = async (dataset: unknown, more: object = {}) => {
  const { status, json } = await batches.post("", { workflow: typed, dataset, ...more });
  return [status, json.code, json.errors?.map(({ field }: { field: string }) => field)];
};

describe("rows of a table", () => {
  test("become items by their position, typed by the inputs, with their references", async () => {
    const csv = [
      "Title,N,Yes,Json,Ref",
      '007,"1.50",true,"{""a"":[1]}",first',
      ",,,,",
      "plain,,FALSE,,",
      ",12,,[],third",
    ].join("\r\n");
    const dataset = {
      asset_path: await stored("rows.csv", csv),
      mapping: ALL,
      client_reference_column: "Ref",
    };
    const id = await batches.create({ workflow: typed, dataset });
    expect(await batches.ended(id)).toMatchObject({ status: "completed", total_items: 3 });
    const items = (await batches.get(`/${id}/items`)).json.data;
    expect(items.map((item: { client_reference: unknown }) => item.client_reference)).toEqual([
      "first",
      null,
      "third",
    ]);
    expect(await outputsOf(id)).toMatchObject([
      { said: "007", count: 1.5, flag: true, data: { a: [1] } },
      { said: "plain", count: undefined, flag: false, data: undefined },
      { said: "none", count: 12, flag: undefined, data: [] },
    ]);
    const { text } = await call("GET", `/api/v1/executions/${items[0].execution}/result`, {
      token: batches.caller.token,
    });
    expect(text).toContain("1.50");
  });

  test("convert by the locale, and a cell that does not is its item's failure", async () => {
    const csv = "Title;N\na;1.234,5\nb;1,234.5\nc;2\n";
    const dataset = {
      asset_path: await stored("german.csv", csv),
      mapping: { topic: "Title", count: "N" },
      locale: "de-DE",
      client_reference_column: "Title",
    };
    const id = await batches.create({ workflow: typed, dataset });
    expect(await batches.ended(id)).toMatchObject({ completed: 2, failed: 1 });
    const { data } = (await batches.get(`/${id}/items?status=failed`)).json;
    expect(data).toMatchObject([
      {
        index: 1,
        client_reference: "b",
        error_code: "validation_error",
        execution: null,
        credits_used: 0,
      },
    ]);
    expect(data[0].error_message).toContain('"1,234.5" is not a number in the locale de-DE');
    expect((await outputsOf(id))[0]).toMatchObject({ said: "a", count: 1234.5 });
    expect(await refusal(dataset, { on_invalid_item: "refuse" })).toEqual([
      400,
      "validation_error",
      ["dataset.rows[1].count"],
    ]);
  });

  test("of JSON keep their values, of a workbook its numbers, and files are paths or addresses", async () => {
    const json = `[
      { "Title": 12345678901.50, "N": 2, "Yes": true, "Json": { "deep": [null, "x"] } },
      { "Title": "", "N": null, "Json": null }
    ]`;
    const first = await batches.create({
      workflow: typed,
      dataset: { asset_path: await stored("rows.json", json), mapping: ALL },
    });
    await batches.ended(first);
    expect(await outputsOf(first)).toMatchObject([
      { said: "12345678901.50", count: 2, flag: true, data: { deep: [null, "x"] } },
      { said: "", count: undefined },
    ]);
    const paper = await stored("paper.txt", "words on paper");
    const cell = (at: string, value: string) =>
      `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`;
    const rows = `<row r="1">${cell("A1", "N")}${cell("B1", "File")}</row>
      <row r="2"><c r="A2"><v>7</v></c>${cell("B2", paper)}</row>`;
    const second = await batches.create({
      workflow: typed,
      dataset: {
        asset_path: await stored("rows.xlsx", makeWorkbook({ rows })),
        mapping: { count: "N", doc: "File" },
      },
    });
    // The runner, which is not here, reads a document: its node waits, and would be skipped if the cell were not its value.
    const states = async () => {
      const { token } = batches.caller;
      const [item] = (await batches.get(`/${second}/items`)).json.data;
      if (item.execution === null) {
        return {};
      }
      const { json } = await call("GET", `/api/v1/executions/${item.execution}/trace`, { token });
      return Object.fromEntries(
        json.nodes.map((node: { node_id: string; state: string }) => [node.node_id, node.state]),
      );
    };
    await expect.poll(states).toMatchObject({ d: "running", count: "completed", b: "skipped" });
    expect(await outputsOf(second)).toMatchObject([{ count: 7 }]);
    await batches.post(`/${second}/cancel`, {});
    const bad = `File\nassets/none/x.txt\nhttps://10.0.0.1/a.txt\n`;
    const dataset = { asset_path: await stored("files.csv", bad), mapping: { doc: "File" } };
    expect(await refusal(dataset, { on_invalid_item: "refuse" })).toEqual([
      400,
      "validation_error",
      ["dataset.rows[0].doc.asset_path", "dataset.rows[1].doc.value"],
    ]);
  });

  test("override the common inputs only with cells that are not empty", async () => {
    const dataset = {
      asset_path: await stored("c.csv", "Title,x\nown,1\n,2\n"),
      mapping: { topic: "Title" },
    };
    const common = { topic: { value: '"common"' } };
    const id = await batches.create({ workflow: typed, dataset, common_inputs: common });
    await batches.ended(id);
    expect(await outputsOf(id)).toMatchObject([{ said: "own" }, { said: "common" }]);
  });

  test("stay those of the creation when the file is deleted or replaced before the start", async () => {
    const { token } = batches.caller;
    const made = async (path: string) => {
      const dataset = { asset_path: path, mapping: { topic: "Title" } };
      return await batches.create({ workflow: typed, dataset, start: false });
    };
    const gone = await stored("gone.csv", "Title\nkept\n");
    const replaced = await stored("gone.csv", "Title\nkept too\n");
    const [first, second] = [await made(gone), await made(replaced)];
    const removed = await call("DELETE", `/api/v1/assets?path=${encodeURIComponent(gone)}`, {
      token,
    });
    expect(removed.status).toBe(204);
    // No call does this: a file of the same name has another path, also after a deletion.
    await env.FILES.put(await keyOf(replaced), "Title\nother\nand more\n");
    const again = await stored("gone.csv", "Title\nother\n");
    expect(new Set([gone, replaced, again]).size).toBe(3);
    for (const [id, said] of [
      [first, "kept"],
      [second, "kept too"],
    ] as const) {
      await batches.post(`/${id}/start`);
      expect(await batches.ended(id)).toMatchObject({ status: "completed", total_items: 1 });
      expect(await outputsOf(id)).toMatchObject([{ said }]);
    }
    const refused = await batches.post("", {
      workflow: typed,
      dataset: { asset_path: gone, mapping: { topic: "Title" } },
    });
    expect([refused.status, refused.json.code]).toEqual([404, "not_found"]);
  });

  test("of a file in Windows-1252, which shows only far behind its start, are read once", async () => {
    const rows = Array.from({ length: 3_000 }, (_, at) => `row ${String(at)},0`).join("\n");
    const text = new TextEncoder().encode(`Title,N\n${rows}\ncaf`);
    const bytes = new Uint8Array([...text, 0xe9, 0x2c, 0x31, 0x0a]);
    const dataset = { asset_path: await stored("old.csv", bytes), mapping: { by: "N" } };
    const body = { workflow: quotient, dataset, start: false, client_reference: "old" };
    const { status, json } = await batches.post("", body);
    expect([status, json.total_items]).toEqual([202, 3_001]);
  });
});

describe("a dataset is refused", () => {
  test("with the code of its fault, and nothing is made", async () => {
    const path = await stored("ok.csv", "Title,N\na,1\n");
    const other = new BatchFixture(await newCaller());
    const foreign = String((await upload(other.caller, "f.csv", "Title\na\n")).json.path);
    const mapping = { topic: "Title" };
    const cases = [
      [{ asset_path: "assets/none/x.csv" }, 404, "not_found"],
      [{ asset_path: foreign }, 403, "forbidden"],
      [{ asset_path: await stored("twice.csv", "a,A\n1,2\n") }, 422, "duplicate_column"],
      [{ asset_path: await stored("two.json", '{"a":[{}],"b":[{}]}') }, 422, "ambiguous_table"],
      [{ asset_path: path, format: "xlsx" }, 422, "invalid_data"],
      [{ asset_path: path, locale: "not a locale" }, 400, "validation_error"],
      [{ asset_path: path, sample_rows: 1 }, 400, "validation_error"],
      [{ asset_path: await stored("none.csv", "Title\n") }, 400, "validation_error"],
      [
        { asset_path: await stored("a.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>') },
        415,
        "unsupported_format",
      ],
      [{ mapping }, 400, "validation_error"],
    ] as const;
    const refusedByBoth = async (dataset: object, status: number, code: string) => {
      for (const route of ["", "/estimate"]) {
        const { json, ...reply } = await batches.post(route, {
          workflow: typed,
          dataset: { mapping, ...dataset },
        });
        expect([reply.status, json.code], JSON.stringify([route, dataset])).toEqual([status, code]);
      }
    };
    for (const [dataset, status, code] of cases) {
      await refusedByBoth(dataset, status, code);
    }
    const large = await stored("large.csv", "Title\n1\n");
    const key = await keyOf(large);
    // It begins as an archive does; its size is in its row.
    const put = await env.FILES.put(key, "PK\u0003\u0004 and so on");
    await HOME_DB.prepare("UPDATE assets SET size_bytes = ?2, etag = ?3 WHERE path = ?1")
      .bind(large, 64 * 1024 * 1024 + 1, put!.etag)
      .run();
    await refusedByBoth({ asset_path: large, format: "xlsx" }, 413, "file_too_large");
    const swapped = await stored("swapped.csv", "Title\na\n");
    await env.FILES.put(await keyOf(swapped), "Title\nb\n");
    await refusedByBoth({ asset_path: swapped }, 409, "source_changed");
    // Of 4 MB, of which no more is read than shows that it is too long.
    const long = await stored("long.csv", `by\n${"1\n".repeat(2_000_000)}`);
    const { files, read } = countedFiles();
    for (const route of ["", "/estimate"]) {
      const { status, json } = await call("POST", BATCHES + route, {
        token: batches.caller.token,
        json: { workflow: quotient, dataset: { asset_path: long, mapping: { by: "by" } } },
        env: { FILES: files },
      });
      expect([status, json.code]).toEqual([422, "row_limit_exceeded"]);
    }
    expect(read.bytes).toBeGreaterThan(2 * 20_000);
    expect(read.bytes).toBeLessThan(2 * 600_000);
    expect((await other.get("")).json.total_count).toBe(0);
  });

  test("for columns and inputs that are not there, all at once", async () => {
    const asset_path = await stored("columns.csv", "Title,__proto__\na,1\n");
    const own = JSON.parse('{"topic": "Titel", "none": "Title", "__proto__": "Title"}');
    expect(await refusal({ asset_path, mapping: own, client_reference_column: "Ref" })).toEqual([
      400,
      "validation_error",
      expect.arrayContaining([
        "dataset.mapping.topic",
        "dataset.mapping.none",
        "dataset.mapping.__proto__",
        "dataset.client_reference_column",
      ]),
    ]);
    // A column may have any name.
    const id = await batches.create({
      workflow: typed,
      dataset: { asset_path, mapping: { topic: "__proto__" } },
    });
    await batches.ended(id);
    expect(await outputsOf(id)).toMatchObject([{ said: "1" }]);
  });

  test("together with items, and without either", async () => {
    const dataset = { asset_path: await stored("both.csv", "Title\na\n") };
    expect(await refusal(dataset, { items: [{}] })).toEqual([400, "validation_error", ["dataset"]]);
    const { status, json } = await batches.post("", { workflow: typed });
    expect([status, json.errors[0].field]).toEqual([400, "items"]);
  });

  test("of which no row is valid, and with a reference that is not one", async () => {
    const bad = await stored("bad.csv", `N,Ref\nx,r\n1,${"r".repeat(256)}\n`);
    const mapping = { count: "N" };
    const dataset = { asset_path: bad, mapping, client_reference_column: "Ref" };
    expect(await refusal(dataset)).toEqual([400, "validation_error", ["dataset"]]);
    expect(await refusal(dataset, { on_invalid_item: "refuse" })).toEqual([
      400,
      "validation_error",
      ["dataset.rows[0].count", "dataset.rows[1].client_reference"],
    ]);
    const many = await stored("many.csv", `N\n${"x\n".repeat(300)}`);
    const all = await refusal({ asset_path: many, mapping }, { on_invalid_item: "refuse" });
    expect(all[2]).toEqual(Array.from({ length: 100 }, (_, at) => `dataset.rows[${at}].count`));
  });

  test("only for columns that it lacks, not for ten thousand others", async () => {
    const names = Array.from({ length: 10_000 }, (_, at) => `c${String(at)}`).join(",");
    const wide = await stored("wide.csv", `${names}\n${"1,".repeat(9_999)}1\n`);
    const id = await batches.create({
      workflow: typed,
      dataset: { asset_path: wide, mapping: { count: "c9999" } },
    });
    await batches.ended(id);
    expect(await outputsOf(id)).toMatchObject([{ count: 1 }]);
  });
});
