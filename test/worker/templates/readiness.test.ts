/** What prevents publishing a draft, and what should be looked at before (docs/contract/templates.md#revisions). */
import { beforeAll, describe, expect, test } from "vitest";
import { newCaller } from "../../support/api-caller.ts";
import {
  documentOf,
  fieldElement,
  guid,
  TemplateApi,
} from "../../support/templates/template-api.ts";

let api: TemplateApi;

beforeAll(async () => {
  api = new TemplateApi(await newCaller());
});

interface Check {
  readonly code: string;
  readonly severity: string;
}

const NAME = fieldElement("name", 2, { required: true });
const text = (more: object) => ({
  $type: "text",
  id: guid(9),
  left: 10,
  top: 50,
  width: 100,
  height: 20,
  text: "Plain",
  ...more,
});
const image = (more: object) => ({
  $type: "image",
  id: guid(9),
  width: 20,
  height: 20,
  ...more,
});
const withSets = (document: object, ...values: readonly object[]) => ({
  ...document,
  sampleSets: values.map((one, index) => ({
    id: guid(0x500 + index),
    name: `Set ${index}`,
    values: one,
  })),
});

const readiness = (id: string) => api.get(`${id}/draft/publish-readiness`);
const checksOf = async (document: object): Promise<Check[]> => {
  const { id } = await api.made(document);
  return (await readiness(id)).json.checks;
};

test("a draft without sample sets can be published, and is told so", async () => {
  const { id, etag } = await api.made(documentOf(NAME));
  const { status, json, headers } = await readiness(id);
  expect([status, headers.get("etag"), `"${json.draft_etag}"`]).toEqual([200, etag, etag]);
  expect(json).toMatchObject({
    can_publish: true,
    checks: [{ code: "no_sample_sets", severity: "warning" }],
  });
});

test("a draft whose sample sets exercise everything has no problems", async () => {
  expect(await checksOf(withSets(documentOf(NAME), { name: "Ada" }))).toEqual([]);
});

describe("publishing is blocked, and nothing is published, for", () => {
  test.each<[string, object, object]>([
    [
      "a font family that is not there",
      documentOf(text({ fontFamily: "No Such Family" })),
      { code: "font_unavailable", element_id: guid(9), page_id: guid(1) },
    ],
    [
      "a fallback font that is not there",
      documentOf(text({ fallbackFonts: ["No Such Family"] })),
      { code: "font_unavailable", element_id: guid(9) },
    ],
    [
      "a font of an element that no sample set shows",
      withSets(
        documentOf(
          NAME,
          text({
            fontFamily: "No Such Family",
            condition: { field: "name", operator: "equals", value: "Grace" },
          }),
        ),
        { name: "Ada" },
      ),
      { code: "font_unavailable", element_id: guid(9) },
    ],
    [
      "a stored picture that is gone",
      documentOf(image({ src: "storage://assets/gone.png" })),
      { code: "image_unavailable", element_id: guid(9) },
    ],
    [
      "a sample set without a required value",
      withSets(documentOf(NAME), { name: "Ada" }, {}),
      { code: "sample_set_failed", field: "name", sample_set_id: guid(0x501) },
    ],
    [
      "a document that does not print by itself",
      documentOf(text({ text: "Long ".repeat(100), overflowMode: "fail" })),
      { code: "render_failed" },
    ],
  ])("%s", async (_what, document, expected) => {
    const { id, etag } = await api.made(document);
    const { json } = await readiness(id);
    expect(json.can_publish).toBe(false);
    expect(json.checks[0]).toMatchObject({ severity: "blocking", ...expected });
    const refused = await api.publish(id, etag);
    expect([refused.status, refused.json.code, refused.json.checks]).toEqual([
      422,
      "publish_not_ready",
      json.checks,
    ]);
    expect((await api.get(id)).json).toMatchObject({ status: "draft", latest_revision: 0 });
    const put = await api.put(id, etag, documentOf(NAME));
    expect((await api.publish(id, put.headers.get("etag")!)).status).toBe(201);
  });
});

describe("a warning, which does not block, says that", () => {
  test.each<[string, object, object]>([
    [
      "a text is cut in a sample set",
      withSets(documentOf(NAME), { name: "Long ".repeat(100) }),
      { code: "text_cut", element_id: guid(2), page_id: guid(1), sample_set_id: guid(0x500) },
    ],
    [
      "no font has a character",
      withSets(documentOf(NAME), { name: "\u{e123}" }),
      { code: "missing_glyphs", sample_set_id: guid(0x500) },
    ],
    [
      "an element lies outside the page",
      documentOf(text({ left: 500 })),
      { code: "outside_page", element_id: guid(9), page_id: guid(1) },
    ],
    [
      "a picture is damaged",
      documentOf(image({ src: `data:image/png;base64,${btoa("no picture")}` })),
      { code: "image_failed", element_id: guid(9) },
    ],
    [
      "a list has no room",
      withSets(documentOf(list(10)), { rows: [{}, {}, {}] }),
      { code: "list_overflowed", element_id: guid(9), sample_set_id: guid(0x500) },
    ],
    [
      "a value has no field",
      withSets(documentOf(NAME), { name: "Ada", more: 1 }),
      { code: "sample_value_unknown", field: "more", sample_set_id: guid(0x500) },
    ],
  ])("%s", async (_what, document, expected) => {
    const checks = await checksOf(document);
    expect(checks).toContainEqual(expect.objectContaining({ severity: "warning", ...expected }));
    expect(checks.filter(({ severity }) => severity === "blocking")).toEqual([]);
  });

  test("a field of the latest revision is gone", async () => {
    const { id, etag } = await api.made(documentOf(NAME, fieldElement("price", 3)));
    await api.publish(id, etag);
    await api.put(id, etag, documentOf(NAME));
    const { json } = await readiness(id);
    expect(json.can_publish).toBe(true);
    expect(json.checks).toContainEqual(
      expect.objectContaining({ code: "incompatible_with_previous", field: "price" }),
    );
  });
});

test("a cut text stands once, however many sample sets show it", async () => {
  const long = { name: "Long ".repeat(100) };
  const checks = await checksOf(withSets(documentOf(NAME), long, long, long));
  expect(checks.filter(({ code }) => code === "text_cut")).toHaveLength(1);
});

test("another workspace's draft is not checked", async () => {
  const { id } = await api.made(documentOf(NAME));
  const other = new TemplateApi(await newCaller());
  const { status, json } = await other.get(`${id}/draft/publish-readiness`);
  expect([status, json.code]).toEqual([403, "forbidden"]);
});

/** A list whose rows are 20 points high. */
function list(height: number) {
  return {
    $type: "repeat_region",
    id: guid(9),
    width: 100,
    height,
    itemHeight: 20,
    placeholder: { id: guid(0x900), name: "Rows", code: "rows", placeholderType: "list" },
    children: [],
  };
}
