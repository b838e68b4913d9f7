/** What prevents publishing a draft, and what should be looked at before (docs/contract/templates.md#revisions). */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { PublishReadiness } from "../../../src/contracts/templates/design-template.ts";
import { newCaller } from "../../support/api-caller.ts";
import {
  documentOf,
  fieldElement,
  guid,
  TemplateApi,
} from "../../support/templates/template-api.ts";

let api: TemplateApi;
let workspaceId: string;

beforeAll(async () => {
  const caller = await newCaller();
  ({ workspaceId } = caller);
  api = new TemplateApi(caller);
});

/** Codes that some response had. */
const met = new Set<string>();

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
const IS_ADA = { field: "name", operator: "equals", value: "Ada" };
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

const readiness = async (id: string) => {
  const reply = await api.get(`${id}/draft/publish-readiness`);
  for (const { code } of (reply.json.checks ?? []) as readonly Check[]) {
    met.add(code);
  }
  return reply;
};
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
    [
      "no set gives a field",
      withSets(documentOf(NAME, fieldElement("price", 3)), { name: "Ada" }),
      { code: "field_not_exercised", field: "price", element_id: guid(3) },
    ],
    [
      "no set gives a required field, whose default prints",
      withSets(documentOf(fieldElement("name", 2, { required: true, defaultValue: "Ada" })), {}),
      { code: "required_field_not_exercised", field: "name", element_id: guid(2) },
    ],
    [
      "a condition is true in every set",
      withSets(documentOf(NAME, text({ condition: IS_ADA })), { name: "Ada" }),
      { code: "condition_not_exercised", element_id: guid(9), page_id: guid(1) },
    ],
    [
      "a condition is false in every set",
      withSets(documentOf(NAME, text({ condition: IS_ADA })), { name: "Grace" }),
      { code: "condition_not_exercised", element_id: guid(9), page_id: guid(1) },
    ],
    [
      "a list is never empty",
      withSets(documentOf(list(90)), { rows: [{}, {}] }),
      { code: "list_not_exercised", field: "rows" },
    ],
    [
      "a list never has more than one item",
      withSets(documentOf(list(90)), { rows: [{}] }, { rows: [] }),
      { code: "list_not_exercised", field: "rows" },
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

test("what sets exercise on both sides is not a problem", async () => {
  const document = documentOf(NAME, text({ condition: IS_ADA }), { ...list(90), id: guid(8) });
  const checks = await checksOf(
    withSets(document, { name: "Ada", rows: [] }, { name: "Grace", rows: [{}, {}] }),
  );
  expect(checks).toEqual([]);
});

test("a draft that breaks a rule, as an earlier release may have stored one, names its problems", async () => {
  const { id } = await api.made(documentOf(NAME));
  const broken = documentOf(text({ fontSize: 0 }), text({ id: guid(9), left: 1e9 }));
  const committed = await env.TEMPLATE_DRAFT.get(env.TEMPLATE_DRAFT.idFromName(id)).commit({
    v: 1,
    workspace_id: workspaceId,
    idempotency: { key: "an earlier release", fingerprint: "" },
    if_match: "*",
    base_revision: 1,
    change: {
      content: new TextEncoder().encode(JSON.stringify(broken)),
      content_hash: "0".repeat(64),
      page_count: 1,
    },
    status: 200,
    body: null,
  });
  expect(committed.ok).toBe(true);
  const { json } = await readiness(id);
  expect(json.can_publish).toBe(false);
  expect(json.checks).toEqual(
    ["elements[0].fontSize", "elements[1].left", "elements[1].id"].map((path) =>
      expect.objectContaining({
        code: "document_invalid",
        severity: "blocking",
        message: expect.stringContaining(`pages[0].${path}: `),
      }),
    ),
  );
  const refused = await api.publish(id);
  expect([refused.status, refused.json.code, refused.json.checks]).toEqual([
    422,
    "publish_not_ready",
    json.checks,
  ]);
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

test("the tests of this file have met every code", () => {
  const { code } = PublishReadiness.shape.checks.element.shape;
  expect([...met].toSorted()).toEqual(code.options.toSorted());
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
