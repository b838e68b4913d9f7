/**
 * Requests with several faults: which one is refused first (docs/contract/templates.md#edits). Each request has the fault
 * that is expected and all that come after it.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { call, newCaller, type Reply } from "../../support/api-caller.ts";
import { CONTENT, type EditCase, EDITS } from "../../support/templates/draft-writes.ts";
import {
  documentOf,
  guid,
  newKey,
  TemplateApi,
  TEMPLATES,
} from "../../support/templates/template-api.ts";

/** The writes that take a whole document, or nothing. */
const WHOLE: readonly EditCase[] = [
  {
    operation: "putDesignTemplateDraft",
    valid: { method: "PUT", path: "content", json: CONTENT },
    invalid: { method: "PUT", path: "content", json: { pages: [] } },
    another: { ...CONTENT, metadata: { title: "Another" } },
  },
  {
    operation: "publishDesignTemplate",
    valid: { method: "POST", path: "publish" },
    invalid: { method: "POST", path: "publish" },
    refusal: [422, "publish_not_ready"],
    content: documentOf({
      $type: "text",
      id: guid(2),
      width: 9,
      height: 9,
      text: "A",
      fontFamily: "No Such Family",
    }) as unknown as typeof CONTENT,
  },
];

const STALE = '"dd-draft-r9-0000000000000000"';
const GONE = newId("template", Date.now());
const ENTRY = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

let api: TemplateApi;
let readerToken: string;
let foreign: string;
let archived: string;

beforeAll(async () => {
  api = new TemplateApi(await newCaller());
  readerToken = (await newCaller({ scopes: ["templates:read"] })).token;
  foreign = (await new TemplateApi(await newCaller()).made(CONTENT)).id;
  archived = (await api.made(CONTENT)).id;
  await api.send("POST", `${archived}/archive`);
});

interface Sent {
  readonly path: string;
  readonly token?: string;
  readonly key?: string;
  readonly body?: string | undefined;
  readonly ifMatch?: string;
}

const send = (method: string, { path, token = api.token, key, body, ifMatch }: Sent) =>
  call(method, `${TEMPLATES}/${path}`, {
    token,
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(key !== undefined && { "idempotency-key": key }),
      ...(ifMatch !== undefined && { "if-match": ifMatch }),
    },
    ...(body !== undefined && { body }),
  });

type Step = readonly [what: string, sent: Sent, status: number, code: string];

async function inOrder(method: string, steps: readonly Step[]): Promise<void> {
  for (const [what, sent, status, code] of steps) {
    const reply: Reply = await send(method, sent);
    expect([what, reply.status, reply.json?.code]).toEqual([what, status, code]);
  }
}

describe.each([...EDITS, ...WHOLE])("$operation", (one) => {
  const { valid, invalid = valid, missing = [], envelope, another } = one;
  const { method } = valid;
  const text = (json: object | undefined) => json && JSON.stringify(json);
  const body = text(invalid.json);
  const at = (id: string, path = invalid.path) => `${id}/draft/${path}`;

  test("refuses the first of several faults", async () => {
    const malformed = invalid.path.replace(ENTRY, "x");
    const noEntry = malformed.startsWith("sample-sets") ? "invalid_sample_set_id" : "invalid_id";
    const garbage = body === undefined ? undefined : "[";
    const hasBody = body !== undefined;
    const key = () => newKey();
    const path = at(GONE);
    await inOrder(method, [
      ["token", { path: at("x"), token: "x.y.z", body: garbage }, 401, "unauthorized"],
      ["scope", { path: at("x"), token: readerToken, body: garbage }, 403, "insufficient_scope"],
      ["id", { path: at("x"), body: garbage }, 400, "invalid_id"],
      ...(malformed === invalid.path
        ? []
        : [["entry's id", { path: at(GONE, malformed), body: garbage }, 400, noEntry] as const]),
      ["no key", { path, body: garbage }, 400, "missing_idempotency_key"],
      ["key", { path, key: "short", body: garbage }, 400, "invalid_idempotency_key"],
      ...(hasBody
        ? ([
            ["no JSON", { path, key: key(), body: garbage }, 400, "invalid_request"],
            ["no object", { path, key: key(), body: "[]" }, 400, "invalid_request"],
          ] as const)
        : []),
      ...(envelope === undefined
        ? []
        : [
            [
              "envelope",
              { path, key: key(), body: text(envelope) },
              400,
              "validation_error",
            ] as const,
          ]),
      ["template", { path, key: key(), body }, 404, "not_found"],
      ["workspace", { path: at(foreign), key: key(), body }, 403, "forbidden"],
      ["archived", { path: at(archived), key: key(), body }, 409, "archived"],
    ]);
    const { id } = await api.made(one.content ?? CONTENT);
    const lost = missing.map((entry) => ({
      ...entry,
      path: at(id, entry.path ?? invalid.path),
      body: text(entry.json) ?? body,
    }));
    const found = { path: at(id), body, ...lost[0] };
    const [status, code] = one.refusal ?? [422, "content_invalid"];
    await inOrder(method, [
      ["no ETag", { ...found, key: key() }, 428, "precondition_required"],
      ["ETag", { ...found, key: key(), ifMatch: STALE }, 412, "precondition_failed"],
      ...lost.map((entry): Step => [
        `entry ${(entry.body ?? "").slice(0, 200)}`,
        { ...entry, key: key(), ifMatch: "*" },
        entry.status ?? 404,
        entry.code,
      ]),
      ...(one.invalid === undefined
        ? []
        : [["rule", { path: at(id), body, key: key(), ifMatch: "*" }, status, code] as const]),
    ]);
  });

  test("repeats its first response before it looks at the state and the ETag", async () => {
    // With a second page, so that the first can be removed.
    const back = { id: guid(9), width: 50, height: 50, elements: [] };
    const { id, etag } = await api.made({ ...CONTENT, pages: [...CONTENT.pages, back] });
    const path = at(id, valid.path);
    const sent = { path, key: newKey(), body: text(valid.json), ifMatch: etag };
    const first = await send(method, sent);
    expect(first.status, first.text).toBeLessThan(300);
    await api.send("POST", `${id}/archive`);
    const again = await send(method, { ...sent, ifMatch: STALE });
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([
      first.status,
      "true",
    ]);
    if (valid.json !== undefined) {
      const changed = text(another ?? { ...valid.json, name: "Another" });
      await inOrder(method, [
        ["conflict", { ...sent, body: changed, ifMatch: STALE }, 409, "idempotency_conflict"],
      ]);
    }
  });
});

test("duplicating refuses the first of several faults, and takes an archived template", async () => {
  const at = (id: string) => `${id}/duplicate`;
  const path = at(GONE);
  const json = JSON.stringify({ revision: 7 });
  const key = newKey();
  const made = await send("POST", { path: at(archived), key, body: '{"name":"One"}' });
  expect(made.status, made.text).toBe(201);
  await inOrder("POST", [
    ["token", { path: at("x"), token: "x.y.z", body: "[" }, 401, "unauthorized"],
    ["scope", { path: at("x"), token: readerToken, body: "[" }, 403, "insufficient_scope"],
    ["id", { path: at("x"), body: "[" }, 400, "invalid_id"],
    ["no key", { path, body: "[" }, 400, "missing_idempotency_key"],
    ["key", { path, key: "short", body: "[" }, 400, "invalid_idempotency_key"],
    ["no JSON", { path, key: newKey(), body: "[" }, 400, "invalid_request"],
    ["no object", { path, key: newKey(), body: "[]" }, 400, "invalid_request"],
    ["envelope", { path, key: newKey(), body: '{"name":5}' }, 400, "validation_error"],
    ["revision", { path, key: newKey(), body: '{"revision":0}' }, 400, "invalid_revision"],
    ["template", { path, key: newKey(), body: json }, 404, "not_found"],
    ["workspace", { path: at(foreign), key: newKey(), body: json }, 403, "forbidden"],
    ["conflict", { path: at(archived), key, body: json }, 409, "idempotency_conflict"],
    ["no revision", { path: at(archived), key: newKey(), body: json }, 404, "not_found"],
  ]);
});
