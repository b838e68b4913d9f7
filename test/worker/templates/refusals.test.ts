/** Every refusal that the routes of drafts, revisions and direct renders declare (docs/contract/templates.md#edits, #rendering). */
import { beforeAll, describe, expect, test } from "vitest";
import type { RendererApi } from "../../../src/contracts/templates/renderer.ts";
import { newCaller, type Reply } from "../../support/api-caller.ts";
import {
  ABSENT,
  ART,
  CONTENT,
  type EditRequest,
  EDITS,
  PAGE,
  SET,
  TEXT,
} from "../../support/templates/draft-writes.ts";
import {
  artworkElement,
  documentOf,
  fieldElement,
  guid,
  newKey,
  SMALL_DRAWING as DRAWING,
  TemplateApi,
} from "../../support/templates/template-api.ts";

let api: TemplateApi;

beforeAll(async () => {
  api = new TemplateApi(await newCaller());
});

const code = ({ status, json }: Reply) => [status, json?.code];
const edit = (
  id: string,
  { method, path, json }: EditRequest,
  { ifMatch = "*", key = newKey() }: { ifMatch?: string | null; key?: string } = {},
) =>
  api.send(method, `${id}/draft/${path}`, {
    headers: { "idempotency-key": key, ...(ifMatch !== null && { "if-match": ifMatch }) },
    ...(json !== undefined && { json }),
  });

describe.each(EDITS)("$operation", (one) => {
  const { valid, invalid, missing = [], content = CONTENT, another } = one;
  const { refusal = [422, "content_invalid"] } = one;
  test("refuses a stale or no ETag, a key that was used for something else, and what breaks a rule", async () => {
    const { id } = await api.made(CONTENT);
    const other = await api.made(CONTENT);
    expect(code(await edit(id, valid, { ifMatch: null }))).toEqual([428, "precondition_required"]);
    const stale = '"dd-draft-r9-0000000000000000"';
    expect(code(await edit(id, valid, { ifMatch: stale }))).toEqual([412, "precondition_failed"]);
    expect(code(await edit(`tpl_${"0".repeat(32)}`, valid))).toEqual([404, "not_found"]);
    for (const { code: expected, status = 404, path, json } of missing) {
      const request = { ...valid, ...(path && { path }), ...(json && { json }) };
      expect(code(await edit(id, request))).toEqual([status, expected]);
    }
    if (invalid !== undefined) {
      const broken = await api.made(content);
      expect(code(await edit(broken.id, invalid))).toEqual(refusal);
      expect((await api.get(`${broken.id}/draft/content`)).json).toEqual(content);
    }
    await edit(id, { method: "POST", path: "pages", json: { width: 50, height: 50 } });
    const key = newKey();
    expect((await edit(id, valid, { key })).status).toBeLessThan(300);
    if (valid.json !== undefined) {
      const changed = { ...valid, json: another ?? { ...valid.json, name: "Another" } };
      expect(code(await edit(id, changed, { key }))).toEqual([409, "idempotency_conflict"]);
    }
    await api.publish(other.id);
    await api.send("POST", `${other.id}/archive`);
    expect(code(await edit(other.id, valid))).toEqual([409, "archived"]);
  });
});

test("an element that moves to a page that is not there, and malformed ids of sample sets", async () => {
  const { id } = await api.made(CONTENT);
  const moved = await edit(id, {
    method: "PATCH",
    path: `elements/${TEXT}`,
    json: { page_id: ABSENT },
  });
  expect(code(moved)).toEqual([404, "page_not_found"]);
  for (const method of ["PATCH", "DELETE"] as const) {
    const json = method === "PATCH" ? { name: "x" } : undefined;
    const refused = await edit(id, { method, path: "sample-sets/x", ...(json && { json }) });
    expect(code(refused)).toEqual([400, "invalid_sample_set_id"]);
  }
  const unknown = await api.get(`${id}/draft/sample-sets/${ABSENT}`);
  expect(code(unknown)).toEqual([404, "sample_set_not_found"]);
});

test("an archived workflow keeps its pins", async () => {
  const { id } = await api.made(documentOf(fieldElement("a", 2)));
  await api.publish(id);
  const nodes = [{ id: "print", type: "design/template_render", parameters: { template_id: id } }];
  const made = await api.send("POST", "/api/v1/workflows", {
    json: { name: "Prints", definition: { nodes } },
  });
  await api.put(id, "*", documentOf({ ...fieldElement("a", 2), left: 20 }));
  await api.publish(id);
  const workflow = `/api/v1/workflows/${made.json.id}`;
  expect((await api.send("POST", `${workflow}/archive`)).status).toBe(200);
  const refused = await api.send("POST", `${workflow}/template-revisions/upgrade`);
  expect(code(refused)).toEqual([422, "invalid_state"]);
});

/** A workflow whose pin is a revision of one element; the next revision is the given document. */
async function pinnedBefore(element: object, next: object): Promise<string> {
  const { id } = await api.made(documentOf(element));
  await api.publish(id);
  const nodes = [{ id: "print", type: "design/template_render", parameters: { template_id: id } }];
  const made = await api.send("POST", "/api/v1/workflows", {
    json: { name: "Prints", definition: { nodes } },
  });
  await api.put(id, "*", next);
  expect((await api.publish(id)).status).toBe(201);
  return made.json.id;
}

test("a draft is published with its ETag only", async () => {
  const { id } = await api.made(CONTENT);
  const refused = await api.send("POST", `${id}/draft/publish`);
  expect(code(refused)).toEqual([428, "precondition_required"]);
  const stale = await api.publish(id, '"dd-draft-r9-0000000000000000"');
  expect(code(stale)).toEqual([412, "precondition_failed"]);
});

test("a contract is not sent again to a caller that has it", async () => {
  const { id } = await api.made(CONTENT);
  await api.publish(id);
  const contract = await api.get(`${id}/versions/1/contract`);
  const etag = contract.headers.get("etag")!;
  const again = await api.get(`${id}/versions/1/contract`, { "if-none-match": etag });
  expect([again.status, again.text]).toEqual([304, ""]);
});

test("a document of more than 16 MiB is refused before it is parsed", async () => {
  const note = "x".repeat(17 * 1024 * 1024);
  expect(code(await api.create({ content: { note } }))).toEqual([413, "payload_too_large"]);
});

describe("a direct render", () => {
  /** Three lists of 100 items that print one to a page. */
  const LONG = {
    schemaVersion: "2.0",
    pages: [1, 2, 3].map((list) => ({
      id: guid(list * 16),
      width: 200,
      height: 100,
      elements: [
        {
          $type: "repeat_region",
          id: guid(list * 16 + 1),
          width: 200,
          height: 90,
          itemHeight: 80,
          overflowMode: "continue",
          children: [{ ...fieldElement("k", list * 16 + 2), top: 0 }],
          placeholder: {
            id: guid(list * 16 + 3),
            name: `rows ${list}`,
            code: `rows_${list}`,
            placeholderType: "list",
          },
        },
      ],
    })),
  };
  const rows = Array.from({ length: 100 }, (_, k) => ({ k: String(k) }));
  const values = { rows_1: rows, rows_2: rows, rows_3: rows };

  test("refuses output of more than 200 pages, of the draft and of a revision", async () => {
    const { id } = await api.made(LONG);
    await api.publish(id);
    for (const source of ["draft", "versions/1"]) {
      const refused = await api.send("POST", `${id}/${source}/render`, { json: { values } });
      expect(code(refused), source).toEqual([413, "render_too_large"]);
    }
  });

  test("of a revision refuses bad selections, revisions and missing values", async () => {
    const { id } = await api.made(documentOf(fieldElement("name", 2, { required: true })));
    await api.publish(id);
    const render = (revision: string, json: object) =>
      api.send("POST", `${id}/versions/${revision}/render`, { json });
    expect(code(await render("1", { values: { name: "A" }, page_selection: "2" }))).toEqual([
      400,
      "design_page_selection_invalid",
    ]);
    expect(code(await render("0", {}))).toEqual([400, "invalid_revision"]);
    expect(code(await render("1", {}))).toEqual([422, "render_failed"]);
  });
});

describe("a renderer that cannot be reached", () => {
  const failing = (error: Error) => {
    const fail = () => Promise.reject(error);
    const RENDERER = { inspect: fail, render: fail, importSvg: fail, readSvgPalette: fail };
    return { RENDERER: RENDERER as unknown as RendererApi };
  };

  test("is named by every route that needs it, and nothing is changed", async () => {
    const { id, etag } = await api.made({
      ...documentOf(artworkElement(6)),
      sampleSets: [{ id: SET, name: "One", values: {} }],
    });
    await api.publish(id);
    const edited = (await api.put(id, etag, CONTENT)).headers.get("etag");
    const required = documentOf(fieldElement("name", 2, { required: true }));
    const workflow = await pinnedBefore(fieldElement("name", 2), required);
    const without = { env: failing(new Error("Network connection lost.")) };
    const edits = { "if-match": "*" };
    const json = { page_id: PAGE, svg: DRAWING };
    const replies = await Promise.all([
      api.send("POST", `${id}/draft/publish`, { headers: edits, ...without }),
      api.send("POST", `${id}/draft/svg-imports`, { headers: edits, json, ...without }),
      api.send("POST", `${id}/draft/render`, { json: {}, ...without }),
      api.send("POST", `${id}/versions/1/render`, { json: {}, ...without }),
      ...[
        `${id}/draft/publish-readiness`,
        `${id}/draft/sample-sets/${SET}/exact-preview`,
        `${id}/draft/elements/${ART}/palette`,
        `/api/v1/workflows/${workflow}/template-revisions`,
      ].map((path) => api.send("GET", path, without)),
    ]);
    expect(replies.map(code)).toEqual(replies.map(() => [503, "service_unavailable"]));
    for (const { json: problem, headers } of replies) {
      expect(problem.detail).toMatch(/^The renderer is unavailable/);
      expect(headers.get("retry-after")).toBe("5");
    }
    const { headers, json: content } = await api.get(`${id}/draft/content`);
    expect([headers.get("etag"), content]).toEqual([edited, CONTENT]);
  });

  test("is not blamed for a store that it could not reach itself", async () => {
    const { id } = await api.made();
    const relayed = Object.assign(new Error("D1_ERROR: DB is overloaded"), { remote: true });
    const reply = await api.send("POST", `${id}/draft/render`, { json: {}, env: failing(relayed) });
    expect(code(reply)).toEqual([503, "service_unavailable"]);
    expect(reply.json.detail).toMatch(/^Storage is unavailable/);
  });
});
