/**
 * Draft writes, publications and archives at the same time, with the renderer held in the middle of a publication
 * (docs/contract/templates.md#edits, #revisions).
 */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import type { RendererApi } from "../../../src/contracts/templates/renderer.ts";
import { newCaller, type Reply } from "../../support/api-caller.ts";
import { CONTENT, MASTER, PAGE, SET, TEXT } from "../../support/templates/draft-writes.ts";
import {
  documentOf,
  fieldElement,
  newKey,
  SMALL_DRAWING,
  TemplateApi,
  TEMPLATES,
} from "../../support/templates/template-api.ts";

let api: TemplateApi;

beforeAll(async () => {
  api = new TemplateApi(await newCaller());
});

const ONE = documentOf(fieldElement("one", 2));
const OTHER = documentOf(fieldElement("other", 2));
const code = ({ status, json }: Reply) => [status, json?.code];
const filesOf = async (id: string) =>
  (await env.FILES.list()).objects.filter(({ key }) => key.includes(id)).length;

/** A publication that has read the draft and waits for its checks while `meanwhile` runs. */
async function publishedDuring(
  id: string,
  ifMatch: string,
  meanwhile: () => Promise<void>,
): Promise<Reply> {
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const pass = async () => {
    held();
    await isReleased;
  };
  const RENDERER: Pick<RendererApi, "inspect" | "render"> = {
    inspect: async (request) => {
      await pass();
      return env.RENDERER.inspect(request);
    },
    render: async (request) => {
      await pass();
      return env.RENDERER.render(request);
    },
  };
  const publishing = api.send("POST", `${id}/draft/publish`, {
    headers: { "if-match": ifMatch },
    env: { RENDERER: RENDERER as RendererApi },
  });
  await isHeld;
  await meanwhile();
  release();
  return publishing;
}

describe("while a draft is being published", () => {
  const edit = (id: string) => async () => {
    expect((await api.put(id, "*", OTHER)).status).toBe(200);
  };

  test("an edit makes its ETag stale: nothing is published, and no file is left", async () => {
    const { id, etag } = await api.made(ONE);
    const refused = await publishedDuring(id, etag, edit(id));
    expect(code(refused)).toEqual([412, "precondition_failed"]);
    const { json, headers } = await api.get(id);
    expect(json).toMatchObject({ status: "draft", latest_revision: 0 });
    expect(refused.headers.get("etag")).toBe(headers.get("etag") ?? `"${json.draft_etag}"`);
    expect((await api.get(`${id}/draft/content`)).json).toEqual(OTHER);
    expect(await filesOf(id)).toBe(0);
  });

  test("an edit is published where any ETag is accepted, with its own contract", async () => {
    const { id } = await api.made(ONE);
    const made = await publishedDuring(id, "*", edit(id));
    expect([made.status, made.json.version.revision]).toEqual([201, 1]);
    expect((await api.get(`${id}/versions/1/content`)).json).toEqual(OTHER);
    const { fields } = (await api.get(`${id}/versions/1/contract`)).json;
    expect(fields.map((field: { code: string }) => field.code)).toEqual(["other"]);
    // The files of the first attempt are gone.
    expect(await filesOf(id)).toBe(2);
  });

  test("archiving wins: the publication is refused and leaves nothing", async () => {
    const { id, etag } = await api.made(ONE);
    const refused = await publishedDuring(id, etag, async () => {
      expect((await api.send("POST", `${id}/archive`)).status).toBe(200);
    });
    expect(code(refused)).toEqual([409, "archived"]);
    expect((await api.get(id)).json).toMatchObject({ status: "archived", latest_revision: 0 });
    expect(await filesOf(id)).toBe(0);
  });

  test("deleting wins: there is nothing to publish", async () => {
    const { id, etag } = await api.made(ONE);
    const refused = await publishedDuring(id, etag, async () => {
      expect((await api.send("DELETE", id)).status).toBe(204);
    });
    expect(code(refused)).toEqual([404, "not_found"]);
    expect(await filesOf(id)).toBe(0);
  });

  test("another publication of the same draft comes first, and both name its revision", async () => {
    const { id, etag } = await api.made(ONE);
    let first: Reply | undefined;
    const second = await publishedDuring(id, etag, async () => {
      first = await api.publish(id, etag);
    });
    expect([first?.status, second.status]).toEqual([201, 200]);
    expect(second.json.version).toEqual(first?.json.version);
    expect(await filesOf(id)).toBe(2);
  });
});

/** A write of each kind, all of which succeed by themselves. */
const WRITES: readonly (readonly [method: string, path: string, json: object])[] = [
  ["PUT", "draft/content", ONE],
  ["POST", "draft/pages", { width: 50, height: 50 }],
  ["PATCH", `draft/pages/${PAGE}`, { name: "First" }],
  ["PATCH", `draft/masters/${MASTER}`, { name: "Every" }],
  ["PATCH", `draft/elements/${TEXT}`, { left: 11 }],
  ["POST", "draft/sample-sets", { name: "Two", values: {} }],
  ["PATCH", `draft/sample-sets/${SET}`, { name: "First" }],
  ["POST", "draft/svg-imports", { page_id: PAGE, svg: SMALL_DRAWING }],
];

test("writes of every kind with one ETag at the same time: exactly one wins", async () => {
  const { id, etag } = await api.made(CONTENT);
  const replies = await Promise.all(
    WRITES.map(([method, path, json]) =>
      api.send(method, `${id}/${path}`, { json, headers: { "if-match": etag } }),
    ),
  );
  expect(replies.filter(({ status }) => status < 300)).toHaveLength(1);
  expect(replies.filter(({ status }) => status === 412)).toHaveLength(WRITES.length - 1);
  expect((await api.get(id)).json.draft_etag).toMatch(/^dd-draft-r2-/);
});

test("one key stands for another request on each route, and for the same on a repeat", async () => {
  const { id } = await api.made(CONTENT);
  const key = newKey();
  const headers = { "if-match": "*", "idempotency-key": key };
  // The whole document last, because it replaces what the others change.
  const sent: [string, string, object][] = [
    ...WRITES.slice(1).map(([method, path, json]): [string, string, object] => [
      method,
      `${id}/${path}`,
      json,
    ]),
    ["PUT", `${id}/draft/content`, ONE],
    ["POST", `${id}/draft/publish`, {}],
    ["POST", `${id}/duplicate`, {}],
    ["POST", TEMPLATES, { name: "New" }],
  ];
  const first: Reply[] = [];
  for (const [method, path, json] of sent) {
    first.push(await api.send(method, path, { json, headers }));
  }
  expect(first.map(({ status, text }) => (status < 300 ? "" : text))).toEqual(first.map(() => ""));
  expect(first.some((reply) => reply.headers.has("idempotency-replayed"))).toBe(false);
  for (const [at, [method, path, json]] of sent.entries()) {
    const again = await api.send(method, path, { json, headers });
    expect([
      again.headers.get("idempotency-replayed"),
      again.status,
      again.headers.get("etag"),
    ]).toEqual(["true", first[at]!.status, first[at]!.headers.get("etag")]);
  }
  expect((await api.get(`${id}/draft/content`)).json).toEqual(ONE);
});
