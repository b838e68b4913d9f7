/** Edit commands of a draft over the API (docs/contract/templates.md#edits). */
import { beforeAll, describe, expect, test } from "vitest";
import { newCaller, type Reply } from "../../support/api-caller.ts";
import {
  documentOf,
  fieldElement,
  guid,
  newKey,
  TemplateApi,
} from "../../support/templates/template-api.ts";

let api: TemplateApi;

beforeAll(async () => {
  api = new TemplateApi(await newCaller());
});

const PAGE = guid(1);
const code = ({ status, json }: Reply) => [status, json?.code];
const contentOf = async (id: string) => (await api.get(`${id}/draft/content`)).json;
const edit = (method: string, path: string, json?: object, ifMatch = "*", key = newKey()) =>
  api.send(method, path, {
    headers: { "if-match": ifMatch, "idempotency-key": key },
    ...(json !== undefined && { json }),
  });

test("an edit is made to the draft as it stands, also after other writes", async () => {
  const { id } = await api.made(documentOf(fieldElement("a", 2)));
  const at = `${id}/draft/elements/${guid(2)}`;
  const change = async (text: string) => {
    expect((await edit("PATCH", at, { text })).status).toBe(200);
    const { schemaVersion, pages } = await contentOf(id);
    return [
      schemaVersion,
      pages.length,
      pages[0].elements.map((one: { text: string }) => one.text),
    ];
  };
  expect(await change("One")).toEqual(["2.0", 1, ["One"]]);
  expect(await change("Two")).toEqual(["2.0", 1, ["Two"]]);
  const other = documentOf(fieldElement("a", 2), fieldElement("b", 3));
  expect((await api.put(id, "*", other)).status).toBe(200);
  expect(await change("Three")).toEqual(["2.0", 1, ["Three", "Authored"]]);
  // A refused one leaves it as it is.
  expect((await edit("PATCH", at, { width: -1 })).status).toBe(422);
  // What this isolate had after the first edit, sent in another order of names: that order stays.
  const { schemaVersion, pages } = documentOf({ ...fieldElement("a", 2), text: "Two" });
  await api.put(id, "*", { pages, schemaVersion });
  expect(await change("Four")).toEqual(["2.0", 1, ["Four"]]);
  expect((await api.get(`${id}/draft/content`)).text).toMatch(/^\{"pages"/);
});

describe.each([
  ["pages", "page", { width: 99, height: 99 }, { name: "Back" }, "pages"],
  ["masters", "master", { width: 99, height: 99 }, { name: "Odd" }, "masterPages"],
  ["sample-sets", "sample_set", { name: "One", values: { a: 1 } }, { name: "Two" }, "sampleSets"],
  [
    "elements",
    "element",
    { page_id: PAGE, type: "text", width: 9, height: 9, font_size: 8 },
    { font_size: 9 },
    undefined,
  ],
] as const)("%s", (route, member, made, change, list) => {
  test("are added, changed and removed, each with a new ETag", async () => {
    const { id, etag } = await api.made(documentOf());
    const created = await edit("POST", `${id}/draft/${route}`, made, etag);
    expect([created.status, `"${created.json.draft_etag}"`]).toEqual([
      201,
      created.headers.get("etag"),
    ]);
    expect(created.json.draft_etag).toMatch(/^dd-draft-r2-/);
    const entry = created.json[member];
    const at = `${id}/draft/${route}/${entry.id}`;
    const changed = await edit("PATCH", at, change, created.headers.get("etag")!);
    expect([changed.status, changed.json.draft_etag.slice(0, 12)]).toEqual([200, "dd-draft-r3-"]);
    const content = await contentOf(id);
    const entries = list === undefined ? content.pages[0].elements : content[list];
    expect(entries.at(-1)).toEqual(changed.json[member]);
    const removed = await edit("DELETE", at);
    expect([removed.status, removed.text, removed.headers.get("etag")]).toEqual([
      204,
      "",
      expect.stringMatching(/^"dd-draft-r4-/),
    ]);
    expect(code(await edit("DELETE", at))).toEqual([
      404,
      {
        page: "page_not_found",
        master: "master_not_found",
        sample_set: "sample_set_not_found",
        element: "not_found",
      }[member],
    ]);
  });
});

test("a repeat returns the first response although the ETag is stale by then", async () => {
  const { id, etag } = await api.made(documentOf());
  const key = newKey();
  const body = { width: 50, height: 50 };
  const first = await edit("POST", `${id}/draft/pages`, body, etag, key);
  await edit("DELETE", `${id}/draft/pages/${first.json.page.id}`);
  const again = await edit("POST", `${id}/draft/pages`, body, etag, key);
  expect([again.status, again.json, again.headers.get("idempotency-replayed")]).toEqual([
    201,
    first.json,
    "true",
  ]);
  expect((await contentOf(id)).pages).toHaveLength(1);
});

test("sample sets are listed and read with their digits", async () => {
  const { id } = await api.made(documentOf(fieldElement("price", 2)));
  for (const name of ["One", "Two"]) {
    await api.send("POST", `${id}/draft/sample-sets`, {
      body: `{"name":"${name}","values":{"price":1.50}}`,
      headers: { "content-type": "application/json", "if-match": "*" },
    });
  }
  const { json, headers } = await api.get(`${id}/draft/sample-sets?limit=1`);
  expect([json.data[0].name, json.has_more, json.total_count]).toEqual(["One", true, 2]);
  expect(headers.get("etag")).toMatch(/^"dd-draft-r3-/);
  const next = await api.get(`${id}/draft/sample-sets?starting_after=${json.next_cursor}`);
  expect(next.json.data.map(({ name }: { name: string }) => name)).toEqual(["Two"]);
  const one = await api.get(`${id}/draft/sample-sets/${json.data[0].id}`);
  expect(one.text).toContain('"price":1.50');
  expect(code(await api.get(`${id}/draft/sample-sets/x`))).toEqual([400, "invalid_sample_set_id"]);
});

test("what an edit would break is refused by name, and nothing changes", async () => {
  const { id } = await api.made(documentOf(fieldElement("price", 2)));
  const before = await contentOf(id);
  const refused = await edit("PATCH", `${id}/draft/elements/${guid(2)}`, { font_size: 0 });
  expect(code(refused)).toEqual([422, "content_invalid"]);
  expect(refused.json.errors[0]).toMatchObject({ field: "pages[0].elements[0].fontSize" });
  const without = await edit("POST", `${id}/draft/elements`, { type: "text" });
  expect(code(without)).toEqual([400, "validation_error"]);
  const nowhere = await edit("POST", `${id}/draft/elements`, { page_id: guid(9), type: "text" });
  expect(code(nowhere)).toEqual([404, "page_not_found"]);
  const inText = { page_id: PAGE, parent_id: guid(2), type: "text", width: 1, height: 1 };
  expect(code(await edit("POST", `${id}/draft/elements`, inText))).toEqual([
    400,
    "validation_error",
  ]);
  expect(await contentOf(id)).toEqual(before);
});

test("parallel edits with one ETag: exactly one wins", async () => {
  const { id, etag } = await api.made(documentOf());
  const replies = await Promise.all(
    Array.from({ length: 6 }, () =>
      edit("POST", `${id}/draft/pages`, { width: 9.5, height: 50 }, etag),
    ),
  );
  // Pages of 9.5 points are too small: all that pass the ETag are refused, and none changes it.
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([422]));
  const valid = await Promise.all(
    Array.from({ length: 6 }, () =>
      edit("POST", `${id}/draft/pages`, { width: 50, height: 50 }, etag),
    ),
  );
  expect(valid.filter(({ status }) => status === 201)).toHaveLength(1);
  expect((await contentOf(id)).pages).toHaveLength(2);
});
