/** Exact previews of sample sets (docs/contract/templates.md#rendering). */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { ExactPreview } from "../../../src/contracts/templates/design-template.ts";
import { sweepPreviews } from "../../../src/domain/templates/sweep-previews.ts";
import { createContext } from "../../../src/platform/create-context.ts";
import { call, newCaller, ORIGIN } from "../../support/api-caller.ts";
import {
  documentOf,
  fieldElement,
  guid,
  TemplateApi,
} from "../../support/templates/template-api.ts";

const HOUR_MS = 60 * 60 * 1000;
const SETS = [
  { id: guid(0x500), name: "Short", values: { name: "Ada" } },
  { id: guid(0x501), name: "Long", values: { name: "Long ".repeat(100), more: 1 } },
  { id: guid(0x502), name: "Nothing", values: {} },
  { id: guid(0x503), name: "Wrong", values: { name: [] } },
];

let api: TemplateApi;
let id: string;
let etag: string;

beforeAll(async () => {
  api = new TemplateApi(await newCaller());
  const document = documentOf(fieldElement("name", 2, { required: true }));
  ({ id, etag } = await api.made({ ...document, sampleSets: SETS }));
});

const preview = (set: string, query = "") =>
  api.get(`${id}/draft/sample-sets/${set}/exact-preview${query}`);
const pathOf = (url: string) => url.replace(ORIGIN, "");

test("shows each page as an image that needs no token", async () => {
  const { status, json, headers, text } = await preview(guid(0x500), "?max_page_dimension=64");
  expect(status, text).toBe(200);
  expect(headers.get("etag")).toBe(etag);
  expect(json).toEqual({
    draft_etag: etag.slice(1, -1),
    sample_set_id: guid(0x500),
    page_count: 1,
    pages: [
      {
        page_number: 1,
        page_id: guid(1),
        width: 64,
        height: 32,
        width_pt: 200,
        height_pt: 100,
        image_url: expect.stringMatching(/\/files\/ws_[0-9a-f]{32}\/previews\/\d+\//),
      },
    ],
    layout_report: expect.objectContaining({ status: "ok", characters_printed: 3, revision: null }),
    readability_checks: [],
    duration_ms: expect.any(Number),
  });
  const image = await call("GET", pathOf(json.pages[0].image_url));
  expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/png"]);
  expect(image.text.slice(1, 4)).toBe("PNG");
});

test("names sets, pages and elements in the document's own letter case", async () => {
  const upper = (number: number) => guid(number).toUpperCase();
  const cut = { ...fieldElement("name", 2), id: upper(2), text: "Long ".repeat(100) };
  const sets = [0xa0a, 0xb0b].map((number) => ({
    id: upper(number),
    name: String(number),
    values: {},
  }));
  const pages = [{ id: upper(1), width: 200, height: 100, elements: [cut] }];
  const made = await api.made({ schemaVersion: "2.0", pages, sampleSets: sets });
  const { json } = await api.get(
    `${made.id}/draft/sample-sets/${guid(0xa0a)}/exact-preview?max_page_dimension=64`,
  );
  expect([json.sample_set_id, json.pages[0].page_id, json.readability_checks]).toEqual([
    upper(0xa0a),
    upper(1),
    [expect.objectContaining({ code: "text_cut", element_id: upper(2) })],
  ]);
  const list = await api.get(`${made.id}/draft/sample-sets?limit=1`);
  expect([list.json.data[0].id, list.json.next_cursor]).toEqual([upper(0xa0a), upper(0xa0a)]);
  const next = await api.get(`${made.id}/draft/sample-sets?starting_after=${guid(0xa0a)}`);
  expect(next.json.data.map((set: { id: string }) => set.id)).toEqual([upper(0xb0b)]);
});

test("is 1,600 pixels on the longest side by default", async () => {
  const { json } = await preview(guid(0x500));
  expect([json.pages[0].width, json.pages[0].height]).toEqual([1_600, 800]);
});

test("prints what is missing as the template has it, and says what does not fit", async () => {
  const nothing = await preview(guid(0x502));
  expect([nothing.status, nothing.json.layout_report.status]).toEqual([200, "ok"]);
  const { json } = await preview(guid(0x501));
  expect(json.readability_checks).toEqual([
    expect.objectContaining({ code: "text_cut", element_id: guid(2), page_number: 1 }),
  ]);
  expect(json.layout_report.values_ignored).toEqual(["more"]);
});

describe("a readability check says that", () => {
  const met = new Set<string>();
  const box = { id: guid(9), left: 10, top: 10, width: 100, height: 20 };
  const text = (more: object) => ({ $type: "text", ...box, text: "Plain", ...more });
  const NO_PICTURE = `data:image/png;base64,${btoa("no picture")}`;
  const LIST = {
    $type: "repeat_region",
    ...box,
    itemHeight: 20,
    placeholder: { id: guid(0x900), name: "Rows", code: "rows", placeholderType: "list" },
    children: [],
  };
  const at = { element_id: guid(9), page_number: 1 };

  test.each<[string, object, object, object, string]>([
    [
      "a text is cut",
      text({ text: "Long ".repeat(100) }),
      {},
      { severity: "error", ...at },
      "text_cut",
    ],
    [
      "a text is printed smaller",
      text({ text: "Some words", width: 40, overflowMode: "shrink" }),
      {},
      { severity: "info", ...at },
      "text_shrunk",
    ],
    [
      "a text prints outside its box",
      text({ text: "Some words", width: 40, overflowMode: "visible" }),
      {},
      { severity: "warning", ...at },
      "text_overflowed",
    ],
    [
      "rows of a list are left out",
      LIST,
      { rows: [{}, {}] },
      { severity: "error", element_id: guid(9) },
      "list_overflowed",
    ],
    [
      "a picture failed",
      { $type: "image", ...box, src: NO_PICTURE },
      {},
      { severity: "error", ...at },
      "image_failed",
    ],
    [
      "no font has a character",
      text({ text: "a\u{e123}b\u{e123}\u{f0000}" }),
      {},
      {
        severity: "warning",
        message: expect.stringContaining("3 of the characters: U+E123, U+F0000"),
      },
      "missing_glyphs",
    ],
    [
      "there is no such font family",
      text({ fontFamily: "No Such Family" }),
      {},
      { severity: "warning", message: expect.stringContaining("No Such Family") },
      "font_substituted",
    ],
    ["a text is small", text({ fontSize: 4.9 }), {}, { severity: "warning", ...at }, "text_small"],
    [
      "an element prints outside the page",
      text({ left: 150 }),
      {},
      { severity: "warning", ...at },
      "outside_page",
    ],
  ])("%s", async (_what, element, values, expected, code) => {
    const sampleSets = [{ id: guid(0x500), name: "Only", values }];
    const made = await api.made({ ...documentOf(element), sampleSets });
    const { status, json } = await api.get(
      `${made.id}/draft/sample-sets/${guid(0x500)}/exact-preview?max_page_dimension=64`,
    );
    expect(status).toBe(200);
    const message = expect.stringMatching(/\.$/);
    expect(json.readability_checks).toEqual([{ code, message, ...expected }]);
    met.add(json.readability_checks[0].code);
  });

  test("and the tests above have met every code", () => {
    const { code } = ExactPreview.shape.readability_checks.element.shape;
    expect([...met].toSorted()).toEqual(code.options.toSorted());
  });

  test("nothing of a text of 5 pt that fits", async () => {
    const sampleSets = [{ id: guid(0x500), name: "Only", values: {} }];
    const made = await api.made({ ...documentOf(text({ fontSize: 5 })), sampleSets });
    const { json } = await api.get(`${made.id}/draft/sample-sets/${guid(0x500)}/exact-preview`);
    expect(json.readability_checks).toEqual([]);
  });
});

test.each([
  [guid(0x503), "", 422, "preview_failed"],
  [guid(0x5ff), "", 404, "sample_set_not_found"],
  ["nothing", "", 400, "invalid_sample_set_id"],
  [guid(0x500), "?max_page_dimension=63", 400, "invalid_argument"],
  [guid(0x500), "?max_page_dimension=4097", 400, "invalid_argument"],
  [guid(0x500), "?max_page_dimension=wide", 400, "invalid_argument"],
])("of set %s%s is refused with %i %s", async (set, query, status, code) => {
  const { json, ...refused } = await preview(set, query);
  expect([refused.status, json.code]).toEqual([status, code]);
});

test("a failed preview names the field", async () => {
  const { json } = await preview(guid(0x503));
  expect(json.errors[0].field).toBe("values.name");
});

test("an image is gone after its hour, and the sweep deletes its file", async () => {
  const { json } = await preview(guid(0x500));
  const path = pathOf(json.pages[0].image_url);
  const [, , workspaceId = "", , seconds = "", token = ""] = path.split("/");
  const endsMs = Number(seconds) * 1000;
  expect(Math.abs(endsMs - Date.now() - HOUR_MS)).toBeLessThan(60_000);
  // The end is part of the address: another end is another file.
  const longer = path.replace(seconds, String(Number(seconds) + 60));
  expect((await call("GET", longer)).status).toBe(404);
  const past = String(Math.floor(Date.now() / 1000) - 1);
  const folder = `${workspaceId}/previews/${past}/${token}/`;
  await env.FILES.put(`${folder}page-1.png`, "x");
  expect((await call("GET", `/files/${folder}page-1.png`)).status).toBe(404);

  const ctx = createContext(env, "test", "", () => undefined);
  const key = path.slice("/files/".length).split("?")[0]!;
  await sweepPreviews({ ...ctx, nowMs: () => endsMs - 5_000 });
  expect(await env.FILES.head(key)).not.toBeNull();
  await sweepPreviews({ ...ctx, nowMs: () => endsMs + 1_000 });
  expect(await env.FILES.head(key)).toBeNull();
  expect(await sweepPreviews({ ...ctx, nowMs: () => endsMs + 1_000 })).toBe(0);
});
