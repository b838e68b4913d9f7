import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { call, type Caller, newCaller } from "../../support/api-caller.ts";
import { keysOf, upload } from "../../support/asset-form.ts";
import { makeWorkbook } from "../../support/datasets/make-workbook.ts";
import { HOME_DB } from "../../support/home-database.ts";

let caller: Caller;
beforeAll(async () => {
  caller = await newCaller();
});

const stored = async (name: string, content: string | Uint8Array) =>
  String((await upload(caller, name, content)).json.path);

const inspect = (json: Record<string, unknown>, token = caller.token) =>
  call("POST", "/api/v1/structured-data/inspect", { token, json });

describe("an inspection", () => {
  it("returns the exact count, types, a sample and warnings, with every digit", async () => {
    const asset_path = await stored(
      "prices.csv",
      "sku;price;when;big\n007;1,5;2024-01-31;12345678901234567890\n8;x;2024-02-01;1.50\n",
    );
    const { status, json, text } = await inspect({ asset_path });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      schema: "svc.dataset-profile/v1",
      format: "csv",
      encoding: "utf-8",
      delimiter: ";",
      row_count: 2,
      columns: [
        { name: "sku", type: "text", nullable: false, warnings: ["COLUMN_MIXED"] },
        { name: "price", type: "text", nullable: false, warnings: ["CSV_AMBIGUOUS_NUMBER"] },
        { name: "when", type: "date", nullable: false, warnings: [] },
        { name: "big", type: "number", nullable: false, warnings: [] },
      ],
      warnings: [
        {
          code: "COLUMN_MIXED",
          column: "sku",
          type: "number",
          others: 1,
          first_row: 1,
          example: "007",
        },
        { code: "CSV_AMBIGUOUS_NUMBER", column: "price" },
      ],
    });
    expect(text).toContain('"big":12345678901234567890');
    expect(text).toContain('"big":1.50');
  });

  it("rejects a file with the code of its fault, and stores nothing", async () => {
    const csv = await stored("rows.csv", "a,b\n1,2\n3,4\n");
    const before = await keysOf(caller.workspaceId);
    const cases = [
      [{ asset_path: csv, max_rows: 1 }, 422, "row_limit_exceeded"],
      [{ asset_path: csv, locale: "not a locale" }, 400, "validation_error"],
      [{ asset_path: csv, sample_rows: 101 }, 400, "validation_error"],
      [{ asset_path: csv, format: "parquet" }, 400, "validation_error"],
      [{ asset_path: csv, header_row: 9 }, 422, "invalid_data"],
      [{ asset_path: csv, format: "xlsx" }, 422, "invalid_data"],
      [{ asset_path: "assets/none/x.csv" }, 404, "not_found"],
      [{ asset_path: await stored("twice.csv", "a,A\n1,2\n") }, 422, "duplicate_column"],
      [{ asset_path: await stored("two.json", '{"a":[{}],"b":[{}]}') }, 422, "ambiguous_table"],
      [{}, 400, "validation_error"],
    ] as const;
    for (const [body, status, code] of cases) {
      const response = await inspect(body);
      expect([response.status, response.json.code], JSON.stringify(body)).toEqual([status, code]);
    }
    expect((await keysOf(caller.workspaceId)).length).toBe(before.length + 2);
  });

  it("reports the position of an error in a JSON file that is too long to be checked when it is stored", async () => {
    const rows = JSON.stringify(Array.from({ length: 5_000 }, (_, i) => ({ name: `row ${i}`, i })));
    for (const [content, message] of [
      [rows.slice(0, -40), /ends before it is complete/],
      [`${rows} extra`, /near byte|after the document|unexpected/i],
      [rows.replace('"row 4321"', "row"), /Element 4321 .* is not valid JSON/],
    ] as const) {
      const { status, json } = await inspect({
        asset_path: await stored("long.json", content),
        table: "$",
      });
      expect([status, json.code]).toEqual([422, "invalid_data"]);
      expect(json.detail).toMatch(message);
    }
  });

  it("rejects files that are not tables, and a workbook of more than 64 MB before it reads one", async () => {
    const picture = await inspect({
      asset_path: await stored("a.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>'),
    });
    expect([picture.status, picture.json.code]).toEqual([415, "unsupported_format"]);
    const path = await stored("large.csv", "a\n1\n");
    const row = await HOME_DB.prepare("SELECT key FROM assets WHERE path = ?")
      .bind(path)
      .first<{ key: string }>();
    // It begins as an archive does; its size is in its row.
    const put = await env.FILES.put(row!.key, "PK\u0003\u0004 and so on");
    await HOME_DB.prepare("UPDATE assets SET size_bytes = ?2, etag = ?3 WHERE path = ?1")
      .bind(path, 64 * 1024 * 1024 + 1, put!.etag)
      .run();
    const large = await inspect({ asset_path: path, format: "xlsx" });
    expect([large.status, large.json.code]).toEqual([413, "file_too_large"]);
  });

  it("reads text cells of a workbook by the locale as it reads those of CSV, and warns of ambiguous ones alike", async () => {
    const cell = (at: string, value: string) =>
      `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`;
    const rows = ["v", "1.234,50", "12", "7,5"].map(
      (value, i) => `<row r="${i + 1}">${cell(`A${i + 1}`, value)}${cell(`B${i + 1}`, "b")}</row>`,
    );
    const xlsx = await stored("prices.xlsx", makeWorkbook({ rows: rows.join("") }));
    const csv = await stored("prices-too.csv", "v;b\n1.234,50;b\n12;b\n7,5;b\n");
    for (const [locale, type, code] of [
      ["de-DE", "number", undefined],
      ["invariant", "text", "CSV_AMBIGUOUS_NUMBER"],
    ] as const) {
      const [ofXlsx, ofCsv] = [
        await inspect({ asset_path: xlsx, locale }),
        await inspect({ asset_path: csv, locale }),
      ];
      expect([ofXlsx.status, ofXlsx.json.format, ofXlsx.json.columns[0].type], locale).toEqual([
        200,
        "xlsx",
        type,
      ]);
      expect(ofXlsx.json.columns[0]).toEqual(ofCsv.json.columns[0]);
      expect(ofXlsx.json.warnings[0]?.code).toBe(code);
      expect(ofXlsx.json.sample.map(({ v }: { v: unknown }) => v)).toEqual(
        ofCsv.json.sample.map(({ v }: { v: unknown }) => v),
      );
    }
  });

  it("is limited to the caller's own workspace", async () => {
    const asset_path = await stored("own.csv", "a\n1\n");
    const other = await newCaller();
    const { status, json } = await inspect({ asset_path }, other.token);
    expect([status, json.code]).toEqual([403, "forbidden"]);
  });

  it("rejects bytes that differ from those that were validated", async () => {
    const asset_path = await stored("swapped.csv", "a\n1\n");
    const [key = ""] = (await keysOf(caller.workspaceId)).filter((name) =>
      name.endsWith("/swapped.csv"),
    );
    await env.FILES.put(key, "a\n2\n");
    const { status, json } = await inspect({ asset_path });
    expect([status, json.code]).toEqual([409, "source_changed"]);
  });
});
