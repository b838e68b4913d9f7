/** Writes to the draft of a design template: the order of refusals, writers at once, repeats (docs/contract/templates.md#edits). */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { LIMITS } from "../../../src/lib/limits/limits-table.ts";
import { newId } from "../../../src/platform/ids.ts";
import { call, newCaller, type Reply } from "../../support/api-caller.ts";
import {
  documentOf,
  fieldElement,
  newKey,
  TemplateApi,
  TEMPLATES,
} from "../../support/templates/template-api.ts";
import { HOME_DB } from "../../support/home-database.ts";

let api: TemplateApi;

beforeAll(async () => {
  api = new TemplateApi(await newCaller());
});

const code = ({ status, json }: Reply) => [status, json?.code];
const stub = (id: string) => env.TEMPLATE_DRAFT.get(env.TEMPLATE_DRAFT.idFromName(id));
const contentOf = async (id: string) => (await api.get(`${id}/draft/content`)).json;
/** Another document for each number. */
const numbered = (number: number) => documentOf(fieldElement(`f${number}`, 2));

describe("a write", () => {
  test("moves the ETag by one and returns the document; equal content keeps it", async () => {
    const { id, etag } = await api.made();
    const first = await api.put(id, etag, numbered(1));
    expect([first.status, first.json]).toEqual([200, numbered(1)]);
    const moved = first.headers.get("etag")!;
    expect(moved).toMatch(/^"dd-draft-r2-[0-9a-f]{16}"$/);
    // The same content in another order of keys.
    const { schemaVersion, pages } = numbered(1);
    const same = await api.put(id, moved, { pages, schemaVersion });
    expect([same.status, same.headers.get("etag")]).toEqual([200, moved]);
    const read = await api.get(`${id}/draft/content`);
    expect([read.json, read.headers.get("etag")]).toEqual([numbered(1), moved]);
    expect((await api.get(`${id}/draft/content`, { "if-none-match": moved })).status).toBe(304);
    expect(`"${(await api.get(id)).json.draft_etag}"`).toBe(moved);
  });

  test.each([
    ["a list of ETags", (etag: string) => `"another", ${etag}`],
    ["a weak ETag", (etag: string) => `W/${etag}`],
    ["any", () => "*"],
  ])("takes %s in If-Match", async (_what, header) => {
    const { id, etag } = await api.made();
    expect((await api.put(id, header(etag), numbered(1))).status).toBe(200);
  });

  test("of an invalid document names every problem and changes nothing", async () => {
    const { id, etag } = await api.made(numbered(1));
    const [page] = numbered(1).pages;
    const broken = { schemaVersion: "2.0", pages: [{ ...page, width: 1, tint: "red" }] };
    const refused = await api.put(id, etag, broken);
    expect(code(refused)).toEqual([422, "content_invalid"]);
    expect(
      refused.json.errors.map((error: { field: string; code: string }) => [
        error.field,
        error.code,
      ]),
    ).toEqual(
      expect.arrayContaining([
        ["pages[0].width", "out_of_range"],
        ["pages[0].tint", "unknown_property"],
      ]),
    );
    expect(await contentOf(id)).toEqual(numbered(1));
  });

  test("may have 16 MiB, and is refused beyond", async () => {
    const { id } = await api.made();
    const { status, json } = await api.send("PUT", `${id}/draft/content`, {
      body: "x",
      headers: {
        "content-type": "application/json",
        "content-length": String(LIMITS.document_body.value + 1),
        "if-match": "*",
      },
    });
    expect([status, json.code]).toEqual([413, "payload_too_large"]);
    expect(LIMITS.document_body.value).toBe(16 * 1024 * 1024);
  });

  test("of several megabytes is stored in pieces and read back whole", async () => {
    const { id } = await api.made();
    const large = {
      ...numbered(1),
      sampleSets: [
        {
          id: "0b1f4c52-6d1c-4d55-9a36-00000000000f",
          name: "Large",
          values: { f1: "ä".repeat(900_000) },
        },
      ],
    };
    expect((await api.put(id, "*", large)).status).toBe(200);
    await evictDurableObject(stub(id));
    expect(await contentOf(id)).toEqual(large);
    expect((await api.put(id, "*", numbered(2))).status).toBe(200);
    expect(await contentOf(id)).toEqual(numbered(2));
  });
});

describe("the order of refusals", () => {
  const other = numbered(9);

  /** Each step removes the cause of the refusal before it. */
  test("of a write is that of the contract", async () => {
    const { id, etag } = await api.made(numbered(1));
    const stranger = new TemplateApi(await newCaller());
    const foreign = (await stranger.made()).id;
    const gone = newId("template", Date.now());
    const reader = await newCaller({ scopes: ["templates:read"] });
    const used = newKey();
    await api.put(id, etag, numbered(1), used);
    const send = (
      path: string,
      key: string | undefined,
      body: string | undefined,
      ifMatch?: string,
      token = api.token,
    ) =>
      call("PUT", `${TEMPLATES}/${path}/draft/content`, {
        token,
        headers: {
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(key !== undefined && { "idempotency-key": key }),
          ...(ifMatch !== undefined && { "if-match": ifMatch }),
        },
        ...(body !== undefined && { body }),
      });
    const invalid = JSON.stringify({ pages: [] });
    const stale = '"dd-draft-r9-0000000000000000"';
    const steps: [Promise<Reply>, number, string][] = [
      [send("nonsense", undefined, "[]", undefined, "x.y.z"), 401, "unauthorized"],
      [send("nonsense", undefined, "[]", undefined, reader.token), 403, "insufficient_scope"],
      [send("nonsense", undefined, "["), 400, "invalid_id"],
      [send(gone, undefined, "["), 400, "missing_idempotency_key"],
      [send(gone, "short", "["), 400, "invalid_idempotency_key"],
      [send(gone, newKey(), "["), 400, "invalid_request"],
      [send(gone, newKey(), "[]"), 400, "invalid_request"],
      [send(gone, newKey(), undefined), 400, "invalid_request"],
      [send(gone, newKey(), invalid), 404, "not_found"],
      [send(foreign, newKey(), invalid), 403, "forbidden"],
      [send(id, used, invalid), 409, "idempotency_conflict"],
      [send(id, newKey(), invalid), 428, "precondition_required"],
      [send(id, newKey(), invalid, stale), 412, "precondition_failed"],
      [send(id, newKey(), invalid, etag), 422, "content_invalid"],
    ];
    for (const [index, [reply, status, expected]] of steps.entries()) {
      expect(code(await reply), `step ${index}`).toEqual([status, expected]);
    }
    await api.send("POST", `${id}/archive`);
    expect(code(await send(id, newKey(), invalid))).toEqual([409, "archived"]);
    // A repeat still succeeds.
    expect((await send(id, used, JSON.stringify(numbered(1)), stale)).status).toBe(200);
    expect(await contentOf(id)).toEqual(numbered(1));
  });

  test("412 carries the current ETag", async () => {
    const { id, etag } = await api.made();
    const refused = await api.put(id, '"old"', other);
    expect([code(refused), refused.headers.get("etag")]).toEqual([
      [412, "precondition_failed"],
      etag,
    ]);
  });
});

describe("writers at once", () => {
  test("with one ETag: exactly one wins", async () => {
    const { id, etag } = await api.made();
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, number) => api.put(id, etag, numbered(number))),
    );
    const won = replies.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 412)).toHaveLength(11);
    expect(await contentOf(id)).toEqual(won[0]!.json);
    expect(won[0]!.headers.get("etag")).toMatch(/^"dd-draft-r2-/);
  });

  test("with *: all win, one after the other", async () => {
    const { id } = await api.made();
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, number) => api.put(id, "*", numbered(number))),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect((await api.get(id)).json.draft_etag).toMatch(/^dd-draft-r7-/);
  });

  test("publications at once make one revision", async () => {
    const { id, etag } = await api.made(numbered(1));
    const replies = await Promise.all(Array.from({ length: 5 }, () => api.publish(id, etag)));
    const statuses = replies.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 201]);
    expect(new Set(replies.map(({ json }) => json.version.id)).size).toBe(1);
    expect((await api.get(`${id}/versions`)).json.total_count).toBe(1);
    // The files of the others are gone.
    const { objects } = await env.FILES.list();
    expect(objects.filter(({ key }) => key.includes(id))).toHaveLength(2);
  });
});

describe("a repeat", () => {
  test("succeeds with a stale ETag, returns the first response and changes nothing", async () => {
    const { id, etag } = await api.made();
    const key = newKey();
    const first = await api.put(id, etag, numbered(1), key);
    await api.put(id, "*", numbered(2));
    await evictDurableObject(stub(id));
    const again = await api.put(id, etag, numbered(1), key);
    expect([again.status, again.json, again.headers.get("etag")]).toEqual([
      200,
      first.json,
      first.headers.get("etag"),
    ]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await contentOf(id)).toEqual(numbered(2));
  });

  test("of a large body is known by its bytes; the same in other words is a repeat too, with the first response", async () => {
    const { id, etag } = await api.made();
    const [key, spaced] = [newKey(), newKey()];
    const large = documentOf(
      ...Array.from({ length: 9 }, (_, i) => ({
        ...fieldElement(`f${i}`, 2 + i),
        text: "x".repeat(9_000),
      })),
    );
    const first = await api.put(id, etag, large, key);
    expect(first.status).toBe(200);
    const send = (body: string, sent: string) =>
      api.send("PUT", `${id}/draft/content`, {
        body,
        headers: {
          "content-type": "application/json",
          "if-match": "*",
          "idempotency-key": sent,
        },
      });
    const inOtherWords = JSON.stringify(large, null, 2);
    // Its response is not its own bytes, so that it is read again.
    const other = await send(inOtherWords, spaced);
    await api.put(id, "*", numbered(2));
    for (const [body, sent] of [
      [JSON.stringify(large), key],
      [inOtherWords, key],
      [inOtherWords, spaced],
      [JSON.stringify(large), spaced],
    ] as const) {
      const again = await send(body, sent);
      const { status, text, headers } = sent === key ? first : other;
      expect([again.status, again.text, again.headers.get("etag")]).toEqual([
        status,
        text,
        headers.get("etag"),
      ]);
      expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"));
      expect(again.headers.get("idempotency-replayed")).toBe("true");
    }
    expect(code(await send(JSON.stringify({ ...large, more: 1 }), key))).toEqual([
      409,
      "idempotency_conflict",
    ]);
    expect(await contentOf(id)).toEqual(numbered(2));
    // Only the digest of the bytes is left to know it by.
    await runInDurableObject(stub(id), (_object, { storage }) => {
      storage.sql.exec("UPDATE idempotency SET fingerprint = 'another'");
    });
    expect((await send(JSON.stringify(large), key)).text).toBe(first.text);
    expect(code(await send(inOtherWords, key))).toEqual([409, "idempotency_conflict"]);
  });

  test("of a publication returns its revision, also after another one", async () => {
    const { id, etag } = await api.made(numbered(1));
    const key = newKey();
    const first = await api.publish(id, etag, key);
    await api.put(id, "*", numbered(2));
    await api.publish(id);
    const again = await api.publish(id, etag, key);
    expect([again.status, again.json.version]).toEqual([
      201,
      { ...first.json.version, is_current: false },
    ]);
    expect((await api.get(id)).json.latest_revision).toBe(2);
  });

  test("at the same time makes one change", async () => {
    const { id, etag } = await api.made();
    const key = newKey();
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => api.put(id, etag, numbered(1), key)),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await api.get(id)).json.draft_etag).toMatch(/^dd-draft-r2-/);
  });

  test("with the key of another address is a new request", async () => {
    const key = newKey();
    const [one, two] = [await api.made(), await api.made()];
    expect((await api.put(one.id, "*", numbered(1), key)).status).toBe(200);
    expect((await api.put(two.id, "*", numbered(2), key)).status).toBe(200);
    expect((await api.publish(one.id, "*", key)).status).toBe(201);
  });

  test("is forgotten after a day", async () => {
    const { id, etag } = await api.made();
    const key = newKey();
    await api.put(id, etag, numbered(1), key);
    await runInDurableObject(stub(id), (_object, { storage }) => {
      storage.sql.exec("UPDATE idempotency SET expires_at = 1");
    });
    await runDurableObjectAlarm(stub(id));
    await runInDurableObject(stub(id), (_object, { storage }) => {
      const owners = storage.sql.exec<{ owner: string }>("SELECT DISTINCT owner FROM piece");
      expect(owners.toArray()).toEqual([{ owner: "content" }]);
    });
    expect(code(await api.put(id, etag, numbered(1), key))).toEqual([412, "precondition_failed"]);
  });
});

describe("a crash", () => {
  test("before the row of a new template leaves nothing", async () => {
    const id = newId("template", Date.now());
    await stub(id).create({
      v: 1,
      id,
      workspace_id: "ws_1",
      name: "Lost",
      description: "",
      tags: [],
      source: null,
      content: new Uint8Array([123, 125]),
      content_hash: "0".repeat(64),
      page_count: 1,
      created_at_ms: 1,
    });
    await runDurableObjectAlarm(stub(id));
    expect(await stub(id).read({ v: 1, workspace_id: "ws_1" })).toBeNull();
    await runInDurableObject(stub(id), async (_object, { storage }) => {
      expect(await storage.getAlarm()).toBeNull();
    });
  });

  test("between a change and its row is repaired by the object's alarm", async () => {
    const { id } = await api.made();
    await api.publish(id);
    await HOME_DB.batch([
      HOME_DB.prepare(
        "UPDATE design_templates SET status = 'draft', latest_revision = 0, object_revision = 0 WHERE id = ?",
      ).bind(id),
      HOME_DB.prepare("DELETE FROM design_template_versions WHERE template_id = ?").bind(id),
    ]);
    await runInDurableObject(stub(id), (_object, { storage }) => {
      storage.sql.exec("UPDATE fact SET value = 0 WHERE name = 'listed_revision'");
      storage.sql.exec("UPDATE version SET is_listed = 0");
    });
    await evictDurableObject(stub(id));
    await runDurableObjectAlarm(stub(id));
    const { json } = await api.get(`${TEMPLATES}?status=published`);
    expect(json.data.map((row: { id: string }) => row.id)).toContain(id);
    expect((await api.get(`${id}/versions/1/content`)).status).toBe(200);
  });
});
