/** Share links and imports (docs/contract/templates.md#sharing). */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { importTemplate } from "../../../src/domain/templates/share/import-template.ts";
import type { CallerContext } from "../../../src/platform/context.ts";
import { createContext } from "../../../src/platform/create-context.ts";
import { call, type Caller, newCaller, type Reply } from "../../support/api-caller.ts";
import {
  documentOf,
  fieldElement,
  newKey,
  TemplateApi,
  TEMPLATES,
} from "../../support/templates/template-api.ts";
import { HOME_DB, withHome } from "../../support/home-database.ts";

let owner: TemplateApi;
let ownerCaller: Caller;
let other: TemplateApi;
let otherCaller: Caller;

beforeAll(async () => {
  [ownerCaller, otherCaller] = await Promise.all([newCaller(), newCaller()]);
  owner = new TemplateApi(ownerCaller);
  other = new TemplateApi(otherCaller);
});

const code = ({ status, json }: Reply) => [status, json?.code];
const CONTENT = documentOf(fieldElement("name", 2, { required: true }), fieldElement("town", 3));

async function published(content: object = CONTENT): Promise<string> {
  const { id } = await owner.made(content);
  await owner.publish(id);
  return id;
}

const share = (id: string, json: object = {}) => owner.send("POST", `${id}/share-links`, { json });
const shared = (token: string, bearer?: string) =>
  call("GET", `/api/v1/shared-templates/${token}`, {
    ...(bearer !== undefined && { token: bearer }),
  });
const importOf = (token: string, more: object = {}, key = newKey()) =>
  other.send("POST", `${TEMPLATES}/import`, {
    json: { share_token: token, ...more },
    headers: { "idempotency-key": key },
  });

describe("a share link", () => {
  test("shows its token once, and only its hash is stored", async () => {
    const id = await published();
    const made = await share(id, { max_imports: 3, expires_at: "2100-01-01T00:00:00+01:00" });
    expect([made.status, made.json]).toEqual([
      201,
      {
        id: expect.stringMatching(/^tsl_[0-9a-f]{32}$/),
        revision: 1,
        token: expect.stringMatching(/^[\w-]{43}$/),
        url: `http://svc.test/share/${made.json.token}`,
        require_sign_in: true,
        max_imports: 3,
        import_count: 0,
        expires_at: "2099-12-31T23:00:00.000Z",
        revoked_at: null,
        created_at: expect.any(String),
      },
    ]);
    const { json: list } = await owner.get(`${id}/share-links`);
    expect(list).toEqual({
      data: [{ ...made.json, token: null, url: null }],
      has_more: false,
      next_cursor: null,
      total_count: 1,
    });
    const { results } = await HOME_DB.prepare("SELECT * FROM design_template_share_links").all();
    expect(JSON.stringify(results)).not.toContain(made.json.token);
  });

  test("is listed with the others by pages, newest first", async () => {
    const id = await published();
    const ids: string[] = [];
    for (let made = 0; made < 3; made += 1) {
      ids.unshift((await share(id)).json.id);
    }
    const first = (await owner.get(`${id}/share-links?limit=2`)).json;
    expect(first.data.map((link: { id: string }) => link.id)).toEqual(ids.slice(0, 2));
    const next = await owner.get(`${id}/share-links?starting_after=${first.next_cursor}`);
    expect(next.json.data.map((link: { id: string }) => link.id)).toEqual(ids.slice(2));
    expect(code(await owner.get(`${id}/share-links?starting_after=tsl_x`))).toEqual([
      400,
      "invalid_request",
    ]);
  });

  test("needs a published template and a revision of it", async () => {
    const { id } = await owner.made(CONTENT);
    expect(code(await share(id))).toEqual([422, "invalid_state"]);
    await owner.publish(id);
    expect(code(await share(id, { revision: 2 }))).toEqual([404, "not_found"]);
    expect(code(await share(id, { revision: 0 }))).toEqual([400, "invalid_revision"]);
    expect(code(await share(id, { expires_at: "2020-01-01T00:00:00Z" }))).toEqual([
      400,
      "validation_error",
    ]);
    expect(code(await share(id, { max_imports: 0 }))).toEqual([400, "validation_error"]);
    const list = await owner.send("POST", `${id}/share-links`, { json: [] });
    expect(code(list)).toEqual([400, "invalid_request"]);
    await owner.send("POST", `${id}/archive`);
    expect(code(await share(id))).toEqual([409, "archived"]);
  });

  test("is revoked once, also of an archived template", async () => {
    const id = await published();
    const { json: link } = await share(id);
    await owner.send("POST", `${id}/archive`);
    const revoke = () => owner.send("DELETE", `${id}/share-links/${link.id}`);
    expect((await revoke()).status).toBe(204);
    const [row] = (await owner.get(`${id}/share-links`)).json.data;
    expect((await revoke()).status).toBe(204);
    expect((await owner.get(`${id}/share-links`)).json.data).toEqual([row]);
    const none = await owner.send("DELETE", `${id}/share-links/tsl_${"0".repeat(32)}`);
    expect(code(none)).toEqual([404, "not_found"]);
    expect(code(await owner.send("DELETE", `${id}/share-links/x`))).toEqual([400, "invalid_id"]);
  });
});

describe("a shared template", () => {
  test("is shown to everybody, or to those with a token", async () => {
    const id = await published();
    const open = (await share(id, { require_sign_in: false, max_imports: 5 })).json.token;
    const { status, json } = await shared(open);
    expect([status, json]).toEqual([
      200,
      {
        name: "A template",
        description: "",
        page_count: 1,
        fields: [
          expect.objectContaining({ code: "name", type: "text", required: true }),
          expect.objectContaining({ code: "town", default: "Authored" }),
        ],
        imports_left: 5,
        expires_at: null,
      },
    ]);
    const closed = (await share(id)).json.token;
    expect(code(await shared(closed))).toEqual([401, "unauthorized"]);
    expect(code(await shared(closed, "no.token.here"))).toEqual([401, "unauthorized"]);
    expect((await shared(closed, otherCaller.token)).json.imports_left).toBeNull();
    expect(code(await shared("x".repeat(43)))).toEqual([404, "not_found"]);
    expect(code(await shared("x"))).toEqual([404, "not_found"]);
  });

  test("has a page that names its fields and how to import it", async () => {
    const name = "<b>Tags & more</b>";
    const made = await owner.create({ name, content: CONTENT });
    await owner.publish(made.json.id);
    const links = await Promise.all([
      share(made.json.id, { require_sign_in: false }),
      share(made.json.id),
    ]);
    const [open, closed] = links.map(({ json }) => `/share/${json.token}`);
    const page = await call("GET", open!);
    expect([page.status, page.headers.get("cache-control")]).toEqual([200, "no-store"]);
    for (const part of [
      "&lt;b&gt;Tags &amp; more",
      "<code>town</code>",
      "/import",
      "share_token",
    ]) {
      expect(page.text).toContain(part);
    }
    const unsigned = await call("GET", closed!);
    expect([unsigned.status, unsigned.text.includes("Tags")]).toEqual([401, false]);
    const signed = await call("GET", closed!, { token: otherCaller.token });
    expect([signed.status, signed.text.includes("Tags")]).toEqual([200, true]);
    expect((await call("GET", "/share/nothing")).status).toBe(404);
  });
});

describe("an import", () => {
  test("is a draft with the shared revision's document, once for each key", async () => {
    const id = await published();
    const { token } = (await share(id)).json;
    await owner.put(id, "*", documentOf());
    await owner.publish(id);
    const key = newKey();
    const made = await importOf(token, { name: "Ours" }, key);
    expect([made.status, made.json]).toMatchObject([
      201,
      { name: "Ours", status: "draft", source: { kind: "share", revision: 1 }, latest_revision: 0 },
    ]);
    const again = await importOf(token, { name: "Ours" }, key);
    expect([again.json.id, again.headers.get("idempotency-replayed")]).toEqual([
      made.json.id,
      "true",
    ]);
    expect(code(await importOf(token, { name: "Else" }, key))).toEqual([
      409,
      "idempotency_conflict",
    ]);
    expect((await other.get(`${made.json.id}/draft/content`)).json).toEqual(CONTENT);
    expect((await owner.get(`${id}/share-links`)).json.data[0].import_count).toBe(1);
    expect((await other.publish(made.json.id)).status).toBe(201);
  });

  test("is refused once the link is revoked, expired, used up, or its template archived", async () => {
    const id = await published();
    const links = await Promise.all([
      share(id),
      share(id, { expires_at: "2100-01-01T00:00:00Z" }),
      share(id, { max_imports: 1 }),
    ]);
    const [revoked, expired, used] = links.map(({ json }) => json);
    await owner.send("DELETE", `${id}/share-links/${revoked.id}`);
    await HOME_DB.prepare("UPDATE design_template_share_links SET expires_at_ms = 1 WHERE id = ?")
      .bind(expired.id)
      .run();
    expect((await importOf(used.token)).status).toBe(201);
    const archived = await published();
    const last = (await share(archived)).json;
    await owner.send("POST", `${archived}/archive`);
    for (const { token } of [revoked, expired, used, last]) {
      expect(code(await importOf(token))).toEqual([410, "share_link_closed"]);
      expect(code(await shared(token, otherCaller.token))).toEqual([410, "share_link_closed"]);
      expect((await call("GET", `/share/${token}`, { token: otherCaller.token })).status).toBe(410);
    }
    expect(code(await importOf("x".repeat(43)))).toEqual([404, "not_found"]);
    expect(code(await importOf(""))).toEqual([400, "validation_error"]);
  });

  test("is never made more often than the link allows, by several workspaces at the same time", async () => {
    const importers = await Promise.all(
      Array.from({ length: 3 }, async () => new TemplateApi(await newCaller())),
    );
    const id = await published();
    const { token } = (await share(id, { max_imports: 4 })).json;
    const replies = await Promise.all(
      Array.from({ length: 24 }, (_, at) =>
        importers[at % 3]!.send("POST", `${TEMPLATES}/import`, { json: { share_token: token } }),
      ),
    );
    const made = replies.filter(({ status }) => status === 201);
    expect(made).toHaveLength(4);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201, 410]));
    expect((await owner.get(`${id}/share-links`)).json.data[0].import_count).toBe(4);
    const listed = await Promise.all(importers.map((one) => one.get(TEMPLATES + "?status=all")));
    expect(listed.reduce((sum, { json }) => sum + json.total_count, 0)).toBe(4);
  });

  test.each([
    ["as many as the link allows", (sql: string) => sql, 2],
    [
      "too many if the transaction does not look at their number",
      (sql: string) =>
        sql.includes("INSERT INTO design_templates")
          ? sql.replace("l.import_count < l.max_imports", "TRUE")
          : sql,
      8,
    ],
  ])("at the same time as others makes %s", async (_what, change, count) => {
    const { workspaceId } = await newCaller();
    const { token } = (await share(await published(), { max_imports: 2 })).json;
    const ctx = {
      ...createContext(env, "test", "", () => undefined),
      env: { ...env, ...withHome(withSql(HOME_DB, change)) },
      principal: { workspaceId } as CallerContext["principal"],
    };
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => importTemplate(ctx, { share_token: token }, undefined)),
    );
    ctx.memory.release();
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(count);
  });
});

/** The database, with other statements. */
function withSql(db: D1Database, change: (sql: string) => string): D1Database {
  return {
    prepare: (sql: string) => db.prepare(change(sql)),
    batch: (statements: D1PreparedStatement[]) => db.batch(statements),
  } as unknown as D1Database;
}
