/** Fonts that a published revision prints with (docs/contract/templates.md#fonts). */
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { newCaller } from "../../support/api-caller.ts";
import { FontApi } from "../../support/fonts/font-api.ts";
import { documentOf, guid, TemplateApi } from "../../support/templates/template-api.ts";

let api: TemplateApi;
let fonts: FontApi;

beforeAll(async () => {
  const caller = await newCaller();
  api = new TemplateApi(caller);
  fonts = new FontApi(caller);
});

/** The one letter that the test's fonts draw. */
const document = (left: number, more: object = {}) =>
  documentOf({
    $type: "text",
    id: guid(2),
    left,
    width: 100,
    height: 50,
    text: "A",
    fontFamily: "test sans",
    ...more,
  });

const render = async (path: string) => {
  const { status, text } = await api.send("POST", `${path}/render`, { json: {} });
  expect(status, text.slice(0, 300)).toBe(200);
  return text;
};

test("a revision prints as it was published, whatever becomes of the family", async () => {
  const { familyGuid } = (await fonts.create({ files: [{ width: 300 }] })).json;
  const { id, etag } = await api.made(document(10));
  expect((await api.publish(id, etag)).status).toBe(201);
  const before = await render(`${id}/versions/1`);
  const draft = await render(`${id}/draft`);

  await fonts.revise(familyGuid, { files: [{ width: 900 }] });
  expect(await render(`${id}/versions/1`)).toBe(before);
  expect(await render(`${id}/draft`), "the draft follows").not.toBe(draft);

  // The next revision takes the family as it stands by then.
  const put = await api.put(id, etag, document(20));
  await api.publish(id, put.headers.get("etag")!);
  const pins = await env.DB.prepare(
    "SELECT font_pins FROM design_template_versions WHERE template_id = ? ORDER BY revision",
  )
    .bind(id)
    .all<{ font_pins: string }>();
  const [first, second] = pins.results.map(({ font_pins }) => JSON.parse(font_pins));
  expect(first).toEqual([
    {
      name: "test sans",
      family_guid: familyGuid,
      version_guid: expect.any(String),
      fallback_guid: null,
    },
  ]);
  expect(second[0].family_guid).toBe(familyGuid);
  expect(second[0].version_guid).not.toBe(first[0].version_guid);

  await fonts.archive(familyGuid);
  expect(await render(`${id}/versions/1`)).toBe(before);
  const { json } = await api.get(`${id}/draft/publish-readiness`);
  expect(json.checks[0]).toMatchObject({ code: "font_unavailable", element_id: guid(2) });
});

test("system families and fallbacks are pinned by name too", async () => {
  const { id, etag } = await api.made(
    document(10, { fontFamily: "Noto Sans", fallbackFonts: ["Noto Sans Thai"] }),
  );
  await api.publish(id, etag);
  const row = await env.DB.prepare(
    "SELECT font_pins FROM design_template_versions WHERE template_id = ?",
  )
    .bind(id)
    .first<{ font_pins: string }>();
  expect(JSON.parse(row!.font_pins).map(({ name }: { name: string }) => name)).toEqual([
    "Noto Sans",
    "Noto Sans Thai",
  ]);
  expect(await render(`${id}/versions/1`)).toMatch(/^%PDF/);
});
