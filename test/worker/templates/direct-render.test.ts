/** Direct renders (docs/contract/templates.md#rendering); test/e2e/documents.test.ts reads their text. */
import { beforeAll, expect, test } from "vitest";
import { LIMITS } from "../../../src/lib/limits/limits-table.ts";
import { newCaller } from "../../support/api-caller.ts";
import {
  documentOf,
  fieldElement,
  guid,
  TemplateApi,
} from "../../support/templates/template-api.ts";

let api: TemplateApi;
let id: string;
let etag: string;

beforeAll(async () => {
  api = new TemplateApi(await newCaller());
  ({ id, etag } = await api.made(documentOf(fieldElement("price", 2, { required: true }))));
});

const render = (json: object) => api.send("POST", `${id}/draft/render`, { json });

test("a draft is rendered as a PDF or an image by itself", async () => {
  const pdf = await render({ values: { price: 1.5 } });
  expect(pdf.status, pdf.text).toBe(200);
  expect(pdf.text).toMatch(/^%PDF-1\.7/);
  expect(Object.fromEntries(pdf.headers)).toMatchObject({
    "content-type": "application/pdf",
    "design-layout-status": "ok",
    "design-page-count": "1",
    etag,
  });
  const image = await render({ values: { price: "€ 2" }, output: "image", max_page_dimension: 64 });
  expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/png"]);
});

test("the report and several files are parts of one body", async () => {
  const { status, headers, text } = await render({
    values: { price: 1 },
    output: "both",
    include_report: true,
  });
  expect(status).toBe(200);
  const boundary = /^multipart\/mixed; boundary=(\S+)$/.exec(
    headers.get("content-type") ?? "",
  )?.[1];
  const parts = text.split(`--${boundary}`);
  expect(parts.at(-1)).toBe("--\r\n");
  expect(parts.slice(1, -1).map((part) => /name="([^"]+)"/.exec(part)?.[1])).toEqual([
    "layout_report",
    "pdf",
    "page-1",
  ]);
  const report = JSON.parse(parts[1]!.slice(parts[1]!.indexOf("\r\n\r\n")));
  expect(report).toMatchObject({ status: "ok", revision: null, template_id: id });
});

test("characters without a glyph are counted and named, in authored texts as in values", async () => {
  const authored = { ...fieldElement("other", 3), top: 50, text: "\u{e123}b" };
  const { id: glyphs } = await api.made(documentOf(fieldElement("price", 2), authored));
  const { status, headers, text } = await api.send("POST", `${glyphs}/draft/render`, {
    json: {
      // A sequence of emoji, of which no family of the service has a character; joiners need no glyph.
      values: { price: "a\u{e123}\u{f0000} \u{1f469}\u200d\u{1f467}" },
      include_report: true,
    },
  });
  expect([status, headers.get("design-layout-status")]).toEqual([200, "warnings"]);
  const report = JSON.parse(/\{"schema.*\}/.exec(text)![0]);
  expect(report).toMatchObject({
    status: "warnings",
    missing_glyphs: 5,
    glyphs: [
      { character: "U+E123", count: 2 },
      { character: "U+1F467", count: 1 },
      { character: "U+1F469", count: 1 },
      { character: "U+F0000", count: 1 },
    ],
    // They print as `.notdef`, and are not cut.
    characters_cut: 0,
    texts_cut: 0,
  });
});

test.each<[string, object, number, string, string | undefined]>([
  ["a property that there is not", { value: {} }, 400, "invalid_argument", undefined],
  ["an output that there is not", { output: "svg" }, 400, "invalid_argument", "output"],
  ["an unknown field", { values: { prize: 1 } }, 400, "invalid_argument", "values.prize"],
  ["a value of another type", { values: { price: {} } }, 400, "invalid_argument", "values.price"],
  [
    "half of a surrogate pair",
    { values: { price: "a\ud800" } },
    400,
    "invalid_argument",
    "values.price",
  ],
  [
    "a key of every object",
    { values: { constructor: "x" } },
    400,
    "invalid_argument",
    "values.constructor",
  ],
  [
    "values of more than 4 MiB",
    { values: { price: "x".repeat(4 * 1024 * 1024) } },
    413,
    "payload_too_large",
    undefined,
  ],
  [
    "a text of more characters than it may have",
    { values: { price: "x".repeat(LIMITS.render_text.value + 1) } },
    413,
    "render_too_large",
    undefined,
  ],
  [
    "pages of another form",
    { values: { price: 1 }, page_selection: "0" },
    400,
    "design_page_selection_invalid",
    undefined,
  ],
  [
    "a page that is not there",
    { values: { price: 1 }, page_selection: "2" },
    400,
    "design_page_selection_invalid",
    undefined,
  ],
  ["a required field that is not given", {}, 422, "render_failed", "values.price"],
  [
    "PDF/X-4 without a color profile",
    { pdf_export_mode: "pdfx4" },
    400,
    "invalid_argument",
    "color_profile_guid",
  ],
])("%s is refused with its code", async (_what, body, status, code, field) => {
  const refused = await render(body);
  expect([refused.status, refused.json.code]).toEqual([status, code]);
  if (field !== undefined) {
    expect(refused.json.errors[0].field).toBe(field);
  }
});

test("texts that one page prints may not have more characters than it may have, and the next render is made", async () => {
  const count = Math.floor(LIMITS.render_page_text.value / LIMITS.render_text.value) + 1;
  // Line feeds print at once, and count.
  const values = { price: "\n".repeat(LIMITS.render_text.value) };
  const texts = Array.from({ length: count }, (_, i) =>
    fieldElement("price", i + 2, { id: guid(0x2000) }),
  );
  const { id: large } = await api.made(
    documentOf(...texts.map((text) => ({ ...text, overflowMode: "visible" }))),
  );
  const refused = await api.send("POST", `${large}/draft/render`, { json: { values } });
  expect([refused.status, refused.json.code]).toEqual([413, "render_too_large"]);
  expect(refused.text).toContain(String(LIMITS.render_page_text.value));
  expect((await render({ values: { price: 1 } })).status).toBe(200);
});

test("a revision that is not there, and a template of another workspace, are not rendered", async () => {
  const missing = await api.send("POST", `${id}/versions/3/render`, { json: {} });
  expect([missing.status, missing.json.code]).toEqual([404, "not_found"]);
  const other = new TemplateApi(await newCaller());
  const foreign = await other.send("POST", `${id}/draft/render`, { json: {} });
  expect([foreign.status, foreign.json.code]).toEqual([403, "forbidden"]);
});
