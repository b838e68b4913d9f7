/** Fonts that a published revision prints with (docs/contract/templates.md#fonts). */
import { beforeAll, describe, expect, test } from "vitest";
import { newCaller } from "../../support/api-caller.ts";
import { FontApi } from "../../support/fonts/font-api.ts";
import { fontNames } from "../../support/pdf/font-names.ts";
import { documentOf, guid, TemplateApi } from "../../support/templates/template-api.ts";
import { HOME_DB } from "../../support/home-database.ts";

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
  const pins = await HOME_DB.prepare(
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
  const row = await HOME_DB.prepare(
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

describe("characters that a family does not have", () => {
  const fallbackTo = (systemFallbackFamilyGuid: string, displayName: string) => ({
    fields: { displayName, systemFallbackFamilyGuid },
  });
  const fontsOf = async (path: string) => {
    const { status, bytes, text } = await api.send("POST", `${path}/render`, { json: {} });
    expect(status, text.slice(0, 300)).toBe(200);
    return await fontNames(bytes);
  };
  const family = async (displayName: string) =>
    (await fonts.own()).find((one) => one.displayName === displayName);
  let serif: string;
  let oswald: string;

  beforeAll(async () => {
    const { data } = (await fonts.get("/api/v1/fonts?scope=system&limit=100")).json;
    const guidOf = (name: string) =>
      data.find(({ displayName }: { displayName: string }) => displayName === name).familyGuid;
    [serif, oswald] = [guidOf("Noto Serif"), guidOf("Oswald")];
  });

  // "B" is in every system family for Latin; the first of them in the list is Caveat.
  test.each<[string, (file: object) => object]>([
    ["it is named", () => ({ fontFamily: "Named" })],
    ["a file of it is named", (file) => ({ font: file })],
  ])("print in the fallback that it has chosen, where %s", async (how, naming) => {
    const displayName = how.startsWith("it") ? "Named" : "Filed";
    const made = await fonts.create(fallbackTo(serif, displayName));
    expect(made.status, made.text).toBe(201);
    const { files } = await family(displayName);
    const text = { text: "AB", fontFamily: "Noto Sans", ...naming(files[0].reference) };
    const { id } = await api.made(document(10, text));
    expect(await fontsOf(`${id}/draft`)).toEqual(["NotoSerif-Regular", "TestSans-400"]);
    expect((await api.publish(id)).status).toBe(201);

    // The draft follows the family; the revision does not.
    await fonts.revise(made.json.familyGuid, fallbackTo(oswald, displayName));
    expect(await fontsOf(`${id}/draft`)).toEqual(["Oswald-Regular", "TestSans-400"]);
    await fonts.revise(made.json.familyGuid, fallbackTo("", displayName));
    expect(await fontsOf(`${id}/draft`)).toEqual(["Caveat-Regular", "TestSans-400"]);
    expect(await fontsOf(`${id}/versions/1`)).toEqual(["NotoSerif-Regular", "TestSans-400"]);
  });

  test("print in the fallback of each file's own family, also where two families have the same file", async () => {
    const pairs = [
      ["One", serif],
      ["Two", oswald],
    ] as const;
    for (const [name, fallback] of pairs) {
      await fonts.create({ ...fallbackTo(fallback, name), files: [{ width: 444 }] });
    }
    const references = await Promise.all(
      pairs.map(async ([name]) => (await family(name)).files[0].reference),
    );
    expect(references[0].sha256).toBe(references[1].sha256);
    const [one, two] = references.map((font, index) => ({
      ...document(10, { text: "AB", font, id: guid(20 + index), top: 40 * index }).pages[0]!
        .elements[0],
    }));
    const { id } = await api.made(documentOf(one!, two!));
    const expected = ["NotoSerif-Regular", "Oswald-Regular", "TestSans-400"];
    expect(await fontsOf(`${id}/draft`)).toEqual(expected);
    await api.publish(id);
    expect(await fontsOf(`${id}/versions/1`)).toEqual(expected);
  });

  test("print in a fallback of the element before that of the family", async () => {
    await fonts.create(fallbackTo(serif, "Second"));
    const text = { text: "AB", fontFamily: "Second", fallbackFonts: ["Oswald"] };
    const { id } = await api.made(document(10, text));
    expect(await fontsOf(`${id}/draft`)).toEqual(["Oswald-Regular", "TestSans-400"]);
  });
});
