/** Design templates from their creation to the archive (docs/contract/templates.md#revisions). */
import { beforeAll, describe, expect, test } from "vitest";
import { newCaller } from "../../support/api-caller.ts";
import {
  documentOf,
  fieldElement,
  newKey,
  TemplateApi,
  TEMPLATES,
} from "../../support/templates/template-api.ts";

let api: TemplateApi;

beforeAll(async () => {
  api = new TemplateApi(await newCaller());
});

const PRICE = documentOf(fieldElement("price", 2, { required: true }));
const code = ({ status, json }: { status: number; json: { code: string } }) => [status, json?.code];

describe("a new template", () => {
  test("is a draft with one empty A4 page if no content is given", async () => {
    const { status, json, headers } = await api.create({ description: "For shops", tags: ["a"] });
    expect([status, headers.get("etag")]).toEqual([201, `"${json.draft_etag}"`]);
    expect(json).toEqual({
      id: expect.stringMatching(/^tpl_[0-9a-f]{32}$/),
      name: "A template",
      description: "For shops",
      tags: ["a"],
      status: "draft",
      latest_revision: 0,
      latest_version_id: null,
      page_count: 1,
      draft_etag: expect.stringMatching(/^dd-draft-r1-[0-9a-f]{16}$/),
      has_unpublished_changes: true,
      source: null,
      created_at: expect.any(String),
      updated_at: json.created_at,
    });
    expect((await api.get(json.id)).json).toEqual(json);
    const content = await api.get(`${json.id}/draft/content`);
    expect(content.json.pages).toMatchObject([{ width: 595, height: 842 }]);
  });

  test("has the content that was sent, with its digits", async () => {
    const text = JSON.stringify({ name: "Digits", content: PRICE }).replace(
      '"width":200',
      '"width":200.50',
    );
    const { json } = await api.send("POST", TEMPLATES, {
      body: text,
      headers: { "content-type": "application/json" },
    });
    const content = await api.get(`${json.id}/draft/content`);
    expect(content.text).toContain('"width":200.50');
    expect(content.headers.get("etag")).toBe(`"${json.draft_etag}"`);
  });

  test("is not made if its content is not valid", async () => {
    const total = async () => (await api.get(`${TEMPLATES}?status=all`)).json.total_count;
    const before = await total();
    const refused = await api.create({ content: { ...PRICE, extra: 1 } });
    expect(code(refused)).toEqual([422, "content_invalid"]);
    expect(code(await api.create({ content: [] }))).toEqual([422, "content_invalid"]);
    expect(await total()).toBe(before);
  });

  test("needs a key, and is made once for each key", async () => {
    const key = { "idempotency-key": newKey() };
    const sent = () =>
      api.send("POST", TEMPLATES, { json: { name: "Once", content: PRICE }, headers: key });
    const [first, second] = await Promise.all([sent(), sent()]);
    expect([first!.status, second!.status, second!.json.id]).toEqual([201, 201, first!.json.id]);
    const other = await api.send("POST", TEMPLATES, { json: { name: "Other" }, headers: key });
    expect(code(other)).toEqual([409, "idempotency_conflict"]);
  });
});

describe("publishing", () => {
  test("freezes revisions, which never change, and keeps the draft's ETag", async () => {
    const { id, etag } = await api.made(PRICE);
    const first = await api.publish(id, etag);
    expect([first.status, first.headers.get("etag")]).toEqual([201, etag]);
    expect(first.json.version).toMatchObject({
      id: expect.stringMatching(/^tplv_[0-9a-f]{32}$/),
      template_id: id,
      revision: 1,
      is_current: true,
      content_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      page_count: 1,
    });
    expect(first.json.template).toMatchObject({
      status: "published",
      latest_revision: 1,
      latest_version_id: first.json.version.id,
      has_unpublished_changes: false,
    });
    const put = await api.put(id, etag, documentOf(fieldElement("cost", 2)));
    expect((await api.get(id)).json.has_unpublished_changes).toBe(true);
    const second = await api.publish(id, put.headers.get("etag")!);
    expect([second.status, second.json.version.revision]).toEqual([201, 2]);
    const old = await api.get(`${id}/versions/1/content`);
    expect([old.json, old.headers.get("cache-control")]).toEqual([
      PRICE,
      "private, max-age=31536000, immutable",
    ]);
    const again = await api.get(`${id}/versions/1/content`, {
      "if-none-match": old.headers.get("etag")!,
    });
    expect(again.status).toBe(304);
    const { json: list } = await api.get(`${id}/versions`);
    expect(
      list.data.map((one: { revision: number; is_current: boolean }) => [
        one.revision,
        one.is_current,
      ]),
    ).toEqual([
      [2, true],
      [1, false],
    ]);
    expect((await api.get(`${id}/versions/1`)).json).toEqual({
      ...first.json.version,
      is_current: false,
    });
  });

  test("equal content publishes the latest revision again", async () => {
    const { id, etag } = await api.made(PRICE);
    const first = await api.publish(id, etag);
    await api.send("POST", `${id}/revert-to-draft`);
    const again = await api.publish(id, etag);
    expect([again.status, again.json.version, again.json.template.status]).toEqual([
      200,
      first.json.version,
      "published",
    ]);
  });

  test("the contract of a revision has its pages and fields", async () => {
    const { id, etag } = await api.made(PRICE);
    const { json } = await api.publish(id, etag);
    const contract = await api.get(`${id}/versions/1/contract`);
    expect(contract.json).toEqual({
      template_id: id,
      revision: 1,
      version_id: json.version.id,
      contract_hash: json.version.contract_hash,
      page_count: 1,
      pages: [
        { id: PRICE.pages[0]!.id, name: "Front", width: 200, height: 100, fit_height: false },
      ],
      fields: [
        expect.objectContaining({
          code: "price",
          name: "price",
          type: "text",
          required: true,
          default: null,
          description: "",
        }),
      ],
    });
  });

  test.each([
    ["0", 400, "invalid_revision"],
    ["x", 400, "invalid_revision"],
    ["2", 404, "not_found"],
  ])(
    "revision %s of a template with one is refused with %i %s",
    async (revision, status, expected) => {
      const { id, etag } = await api.made(PRICE);
      await api.publish(id, etag);
      for (const path of ["", "/content", "/contract"]) {
        expect(code(await api.get(`${id}/versions/${revision}${path}`))).toEqual([
          status,
          expected,
        ]);
      }
    },
  );
});

describe("the state of a template", () => {
  test("an unpublished one is deleted, a published one is not", async () => {
    const { id } = await api.made();
    expect((await api.send("DELETE", id)).status).toBe(204);
    expect(code(await api.get(id))).toEqual([404, "not_found"]);
    expect(code(await api.send("DELETE", id))).toEqual([404, "not_found"]);
    const published = await api.made();
    await api.publish(published.id);
    expect(code(await api.send("DELETE", published.id))).toEqual([422, "invalid_state"]);
  });

  test("an archived one refuses every change but archive and duplicate, and stays readable", async () => {
    const { id, etag } = await api.made(PRICE);
    await api.publish(id, etag);
    expect((await api.send("POST", `${id}/archive`)).json.status).toBe("archived");
    expect((await api.send("POST", `${id}/archive`)).json.status).toBe("archived");
    expect(code(await api.send("POST", `${id}/revert-to-draft`))).toEqual([409, "archived"]);
    expect(code(await api.send("PATCH", id, { json: { name: "New" } }))).toEqual([409, "archived"]);
    expect(code(await api.put(id, etag, PRICE))).toEqual([409, "archived"]);
    expect(code(await api.publish(id, etag))).toEqual([409, "archived"]);
    expect((await api.get(`${id}/versions/1/content`)).json).toEqual(PRICE);
    const copy = await api.send("POST", `${id}/duplicate`, { json: {} });
    expect([copy.status, copy.json.status, copy.json.name]).toEqual([
      201,
      "draft",
      "A template (copy)",
    ]);
    expect(copy.json.source).toEqual({ kind: "duplicate", revision: null });
  });

  test("a draft cannot be reverted", async () => {
    const { id } = await api.made();
    expect(code(await api.send("POST", `${id}/revert-to-draft`))).toEqual([422, "invalid_state"]);
  });

  test("a revision can be duplicated after the draft has changed", async () => {
    const { id, etag } = await api.made(PRICE);
    await api.publish(id, etag);
    await api.put(id, "*", documentOf());
    const copy = await api.send("POST", `${id}/duplicate`, { json: { revision: 1, name: "Copy" } });
    expect(copy.json).toMatchObject({ name: "Copy", source: { kind: "duplicate", revision: 1 } });
    expect((await api.get(`${copy.json.id}/draft/content`)).json).toEqual(PRICE);
    const missing = await api.send("POST", `${id}/duplicate`, { json: { revision: 9 } });
    expect(code(missing)).toEqual([404, "not_found"]);
    const bad = await api.send("POST", `${id}/duplicate`, { json: { revision: 0 } });
    expect(code(bad)).toEqual([400, "invalid_revision"]);
  });

  test("name, description and tags change without a new ETag", async () => {
    const { id, etag } = await api.made();
    const { json } = await api.send("PATCH", id, { json: { name: "Renamed", tags: ["b"] } });
    expect([json.name, json.tags, `"${json.draft_etag}"`]).toEqual(["Renamed", ["b"], etag]);
    expect((await api.get(id)).json).toEqual(json);
  });
});

test("lists show published templates, filtered by status, name and tag, in pages", async () => {
  const own = new TemplateApi(await newCaller());
  const ids: string[] = [];
  for (const [name, tags] of [
    ["Ärger", ["x"]],
    ["Menu", ["y"]],
    ["Menukarte", ["x"]],
  ] as const) {
    ids.push((await own.create({ name, tags })).json.id);
  }
  await own.publish(ids[1]!);
  await own.send("POST", `${ids[2]!}/archive`);
  const listed = async (query: string) =>
    (await own.get(`${TEMPLATES}?${query}`)).json.data.map(({ id }: { id: string }) =>
      ids.indexOf(id),
    );
  expect(await listed("")).toEqual([1]);
  expect(await listed("status=all")).toEqual([2, 1, 0]);
  expect(await listed("status=archived")).toEqual([2]);
  expect(await listed("status=draft&name=%C3%A4RG")).toEqual([0]);
  expect(await listed("status=all&tag=x")).toEqual([2, 0]);
  expect(await listed(`status=all&limit=1&starting_after=${ids[2]!}`)).toEqual([1]);
  expect(code(await own.get(`${TEMPLATES}?status=gone`))).toEqual([400, "invalid_status"]);
  const { json: row } = await own.get(`${TEMPLATES}?status=published`);
  expect(row.data[0]).toEqual((await own.get(ids[1]!)).json);
});
