import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { call, newCaller } from "../../support/api-caller.ts";
import { greeting, greetingWith } from "../../support/sample-definitions.ts";
import { HOME_DB } from "../../support/home-database.ts";

const { token, workspaceId } = await newCaller();
const api = (method: string, path: string, json?: unknown, headers?: Record<string, string>) =>
  call(method, `/api/v1${path}`, {
    token,
    ...(json === undefined ? {} : { json }),
    ...(headers === undefined ? {} : { headers }),
  });
const raw = (method: string, path: string, body: string, headers: Record<string, string> = {}) =>
  call(method, `/api/v1${path}`, {
    token,
    body,
    headers: { "content-type": "application/json", ...headers },
  });

async function created(definition: unknown = greeting): Promise<string> {
  const response = await api("POST", "/workflows", { name: "Greeting", definition });
  expect(response.status, response.text).toBe(201);
  return response.json.id;
}

const objectsOf = async (id: string) =>
  (await env.FILES.list({ prefix: `workspaces/${workspaceId}/workflows/${id}/` })).objects;
/** Without the copies of versions that isolates share, which refer to these. */
const textsOf = async (id: string) =>
  (await objectsOf(id)).filter(({ key }) => !key.includes("/version-"));

describe("the ETag", () => {
  test("is required, checked, and changes with every PUT", async () => {
    const id = await created();
    const path = `/workflows/${id}/definition`;
    const first = await api("GET", path);
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[^"]+"$/);
    const without = await api("PUT", path, greeting);
    expect([without.status, without.json.code]).toEqual([428, "precondition_required"]);
    const put = await api("PUT", path, greetingWith({ label: "X" }), { "if-match": etag });
    expect(put.status).toBe(200);
    const next = put.headers.get("etag") ?? "";
    expect(next).not.toBe(etag);
    const stale = await api("PUT", path, greeting, { "if-match": etag });
    expect([stale.status, stale.json.code]).toEqual([412, "precondition_failed"]);
    expect(stale.headers.get("etag")).toBe(next);
    const now = await api("GET", path);
    expect(now.json).toEqual(greetingWith({ label: "X" }));
    expect(now.headers.get("etag")).toBe(next);
  });

  test.each(["*", 'W/"rev-1"', '"other", "rev-1"'])(
    "If-Match %s identifies the revision",
    async (ifMatch) => {
      const id = await created();
      const response = await api("PUT", `/workflows/${id}/definition`, greeting, {
        "if-match": ifMatch,
      });
      expect(response.status).toBe(200);
    },
  );

  test("If-None-Match returns 304", async () => {
    const id = await created();
    const { headers } = await api("GET", `/workflows/${id}/definition`);
    const known = { "if-none-match": headers.get("etag") ?? "" };
    const response = await api("GET", `/workflows/${id}/definition`, undefined, known);
    expect([response.status, response.text]).toEqual([304, ""]);
  });

  test("of ten writers with the same one, exactly one succeeds", async () => {
    const id = await created();
    const { headers } = await api("GET", `/workflows/${id}/definition`);
    const match = { "if-match": headers.get("etag") ?? "" };
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        api("PUT", `/workflows/${id}/definition`, greetingWith({ label: `W${index}` }), match),
      ),
    );
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(9);
    const { json } = await api("GET", `/workflows/${id}/definition`);
    expect(json).toEqual(winners[0]?.json);
  });
});

describe("the stored definition", () => {
  test("is the text that was sent, including number tokens and unknown parameters", async () => {
    const id = await created();
    const text = JSON.stringify(greeting).replace(
      '"parameters":{}',
      '"parameters":{"default":1.50,"big":12345678901234567890.10,"__proto__":{"x":1}},"position":{"x":10.0,"y":-0.50}',
    );
    const put = await raw("PUT", `/workflows/${id}/definition`, text, { "if-match": "*" });
    expect(put.status).toBe(200);
    const got = await api("GET", `/workflows/${id}/definition`);
    for (const token of [
      "1.50",
      "12345678901234567890.10",
      '"__proto__":{"x":1}',
      "10.0",
      "-0.50",
    ]) {
      expect(got.text).toContain(token);
    }
    expect(put.text).toBe(got.text);
  });

  test("a position or a bound written 10.0 is a valid number", async () => {
    const text = JSON.stringify({ definition: greeting }).replace(
      '"parameters":{}',
      '"parameters":{"max_length":80.0},"position":{"x":10.0,"y":1e2}',
    );
    const { json } = await raw("POST", "/workflows/validate", text);
    expect(json.errors).toEqual([]);
    expect(json.valid).toBe(true);
  });

  test("interfaces get permanent ids, and an edit without the id restores it by name", async () => {
    const custom = (name: string) => ({
      name,
      fields: [{ key: "who", type: "text", bind: { node: "name" } }],
      outputs: [{ key: "out", node: "message" }],
    });
    const id = await created({ ...greeting, interfaces: [custom("A"), custom("B")] });
    const { json, headers } = await api("GET", `/workflows/${id}/definition`);
    const [a, b] = json.interfaces.map((entry: { id: string }) => entry.id);
    expect(a).toMatch(/^int_[0-9a-f]{32}$/);
    expect(b).not.toBe(a);
    const edited = {
      ...greeting,
      interfaces: [custom("C"), { ...json.interfaces[1], name: "B2" }, custom("A")],
    };
    const put = await api("PUT", `/workflows/${id}/definition`, edited, {
      "if-match": headers.get("etag") ?? "",
    });
    const [c, b2, a2] = put.json.interfaces.map((entry: { id: string }) => entry.id);
    expect([b2, a2]).toEqual([b, a]);
    expect(c).toMatch(/^int_[0-9a-f]{32}$/);
    expect(new Set([a, b, c]).size).toBe(3);
  });

  test("a definition over 512 KiB is stored in R2, versions share it, and nothing is left behind", async () => {
    const large = (mark: string) =>
      greetingWith({ parameters: { default: mark.repeat(600 * 1024) } });
    const id = await created(large("a"));
    expect(await textsOf(id)).toHaveLength(1);
    expect((await api("POST", `/workflows/${id}/publish`)).json.version).toBe(1);
    expect((await api("GET", `/workflows/${id}/definition`)).json).toEqual(large("a"));
    const write = (definition: unknown) =>
      api("PUT", `/workflows/${id}/definition`, definition, { "if-match": "*" });
    await write(large("b"));
    expect(await textsOf(id)).toHaveLength(2);
    await write(large("c"));
    expect(await textsOf(id)).toHaveLength(2);
    await write(greeting);
    expect(await textsOf(id)).toHaveLength(1);
    await api("POST", `/workflows/${id}/revert`, { to_version: 1 });
    expect((await api("GET", `/workflows/${id}/definition`)).json).toEqual(large("a"));
    expect((await api("DELETE", `/workflows/${id}`)).status).toBe(204);
    await expect.poll(() => objectsOf(id)).toHaveLength(0);
  });

  test("a definition over 1 MiB is 413 and changes nothing", async () => {
    const id = await created();
    const huge = greetingWith({ parameters: { default: "a".repeat(1024 * 1024) } });
    const put = await api("PUT", `/workflows/${id}/definition`, huge, { "if-match": "*" });
    expect([put.status, put.json.code]).toEqual([413, "payload_too_large"]);
    expect((await api("GET", `/workflows/${id}/definition`)).json).toEqual(greeting);
  });

  test("a version whose definition is missing is 404 version_not_available, and the workflow stays readable", async () => {
    const id = await created();
    await api("POST", `/workflows/${id}/publish`);
    await api("PUT", `/workflows/${id}/definition`, greetingWith({ label: "Whom" }), {
      "if-match": "*",
    });
    await api("POST", `/workflows/${id}/publish`);
    // As if lost: this isolate has not read it, so it is not cached.
    const fresh = await created();
    await api("POST", `/workflows/${fresh}/publish`);
    await HOME_DB.prepare(
      "UPDATE workflow_versions SET version = 3, workflow_id = ?1 WHERE workflow_id = ?2",
    )
      .bind(id, fresh)
      .run();
    await HOME_DB.prepare(
      "UPDATE workflow_versions SET definition = NULL WHERE workflow_id = ?1 AND version = 3",
    )
      .bind(id)
      .run();
    await HOME_DB.prepare("UPDATE workflows SET version = 3 WHERE id = ?1").bind(id).run();
    const lost = await api("GET", `/workflows/${id}?version=3`);
    expect([lost.status, lost.json.code]).toEqual([404, "version_not_available"]);
    const detail = await api("GET", `/workflows/${id}`);
    expect(detail.json).toMatchObject({ version: 3, execution_contract: null });
    const revert = await api("POST", `/workflows/${id}/revert`, { to_version: 3 });
    expect([revert.status, revert.json.code]).toEqual([404, "version_not_available"]);
  });
});

describe("an invalid definition body", () => {
  test.each([
    ["no nodes", {}, "nodes"],
    ["nodes that are not a list", { nodes: {} }, "nodes"],
    ["an entry that is not an object", { nodes: [null] }, "nodes[0]"],
    ["a definition in a definition", { definition: greeting }, "nodes"],
    [
      "10,000 nodes",
      { nodes: Array.from({ length: 10_000 }, (_, i) => ({ id: `n${i}`, type: "input/text" })) },
      "nodes",
    ],
    [
      "2,001 connections",
      { nodes: [], connections: Array.from({ length: 2001 }, () => ({})) },
      "connections",
    ],
  ])("%s is 400 and changes nothing", async (_name, definition, field) => {
    const id = await created();
    const put = await api("PUT", `/workflows/${id}/definition`, definition, { "if-match": "*" });
    expect([put.status, put.json.code]).toEqual([400, "validation_error"]);
    expect(put.json.errors).toMatchObject([{ field, path: field }]);
    expect((await api("GET", `/workflows/${id}/definition`)).json).toEqual(greeting);
    const create = await api("POST", "/workflows", { name: "X", definition });
    expect(create.status).toBe(400);
  });

  test("deep nesting and malformed JSON are 400", async () => {
    const id = await created();
    const deep = `{"nodes":[{"id":"a","type":"input/text","parameters":{"x":${"[".repeat(5000)}${"]".repeat(5000)}}}]}`;
    for (const body of [deep, '{"nodes":[', "[]", '"x"']) {
      const put = await raw("PUT", `/workflows/${id}/definition`, body, { "if-match": "*" });
      expect([body.slice(0, 20), put.status, put.json.code]).toEqual([
        body.slice(0, 20),
        400,
        "invalid_request",
      ]);
    }
    expect((await api("GET", `/workflows/${id}/definition`)).json).toEqual(greeting);
  });
});
