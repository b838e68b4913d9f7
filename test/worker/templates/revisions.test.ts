/** How workflows refer to revisions of templates: pins, references, review and upgrade (docs/contract/templates.md#nodes, #compatibility). */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import type { ReferencedTemplate } from "../../../src/contracts/templates/template-reference.ts";
import { resolverOf } from "../../../src/domain/references/resolve-references.ts";
import { type Caller, newCaller } from "../../support/api-caller.ts";
import {
  documentOf,
  fieldElement,
  guid,
  TemplateApi,
} from "../../support/templates/template-api.ts";
import { HOME_DB } from "../../support/home-database.ts";

let caller: Caller;
let api: TemplateApi;

beforeAll(async () => {
  caller = await newCaller();
  api = new TemplateApi(caller);
});

const ONE = documentOf(fieldElement("price", 2, { required: true }));
const NAME = fieldElement("name", 3);
const MOVED = documentOf({ ...fieldElement("price", 2, { required: true }), left: 20 });
const MORE = documentOf(
  fieldElement("price", 2, { required: true }),
  fieldElement("name", 3, { required: true }),
);

/** A template with one revision of each document. */
async function published(...documents: readonly object[]): Promise<string> {
  const { id } = await api.made(documents[0]);
  await api.publish(id);
  for (const document of documents.slice(1)) {
    await api.put(id, "*", document);
    await api.publish(id);
  }
  return id;
}

const node = (id: string, template: string, parameters: object = {}) => ({
  id,
  type: "design/template_render",
  parameters: { template_id: template, ...parameters },
});

async function saved(...nodes: readonly object[]): Promise<string> {
  const made = await api.send("POST", "/api/v1/workflows", {
    json: { name: "Prints", definition: { nodes } },
  });
  return made.json.id;
}

const definitionOf = async (id: string) =>
  (await api.get(`/api/v1/workflows/${id}/definition`)).json;
const pinsOf = async (id: string) =>
  (await definitionOf(id)).nodes.map(
    ({ parameters }: { parameters: { template_revision?: number } }) =>
      parameters.template_revision,
  );
const save = (id: string, nodes: readonly object[]) =>
  api.send("PUT", `/api/v1/workflows/${id}/definition`, {
    json: { nodes },
    headers: { "if-match": "*" },
  });

describe("saving a definition", () => {
  test("pins a template's current revision, and keeps the pin that the node had", async () => {
    const template = await published(ONE);
    const workflow = await saved(node("a", template));
    expect(await pinsOf(workflow)).toEqual([1]);
    await api.put(template, "*", MOVED);
    await api.publish(template);
    const stored = await save(workflow, [node("a", template), node("b", template)]);
    expect(stored.json.nodes.map((one: { parameters: object }) => one.parameters)).toEqual([
      { template_id: template, template_revision: 1 },
      { template_id: template, template_revision: 2 },
    ]);
    expect(await pinsOf(workflow)).toEqual([1, 2]);
  });

  test("leaves other nodes, given pins and templates without a revision as they are", async () => {
    const template = await published(ONE, MOVED);
    const draft = (await api.made(ONE)).id;
    const other = { id: "pdf", type: "document/pdf", parameters: { template_id: template } };
    const nodes = [node("a", template, { template_revision: 1 }), node("d", draft), other];
    const workflow = await saved(...nodes);
    expect((await definitionOf(workflow)).nodes).toEqual(nodes);
  });
});

describe("a reference to a template", () => {
  const resolve = async (id: string, revision: string | null) => {
    const found = await resolverOf({
      env,
      principal: { workspaceId: caller.workspaceId } as never,
      nowMs: () => Date.now(),
      waitUntil: () => undefined,
    })([{ kind: "template", id, revision }]);
    return found[0] as { version: string; content: unknown } | undefined;
  };
  const contentOf = async (id: string, revision: string | null) =>
    (await resolve(id, revision))?.content as ReferencedTemplate | undefined;

  test("is a revision with its fields and the key of its document", async () => {
    const id = await published(ONE, MORE);
    const content = (await contentOf(id, "1"))!;
    expect(content).toMatchObject({
      template_id: id,
      status: "published",
      revision: 1,
      fields: [{ code: "price", type: "text", required: true, has_default: false }],
    });
    const document = await env.FILES.get(content.document_key);
    expect(await document!.json()).toEqual(ONE);
    expect((await contentOf(id, "2"))!.fields.map(({ code }) => code)).toEqual(["price", "name"]);
    expect(await contentOf(id, "3")).toBeUndefined();
  });

  test("without a revision is the draft as it stands, which stays readable when it changes", async () => {
    const { id } = await api.made(ONE);
    const before = (await resolve(id, null))!;
    await api.put(id, "*", MORE);
    const after = (await resolve(id, null))!;
    expect(after.version).not.toBe(before.version);
    const { document_key, revision } = before.content as ReferencedTemplate;
    expect(revision).toBeNull();
    expect(await (await env.FILES.get(document_key))!.json()).toEqual(ONE);
  });

  test("that follows compatible revisions takes the highest, while the template is published", async () => {
    const id = await published(ONE, MORE, MOVED, MORE);
    expect((await contentOf(id, "1+"))!.revision).toBe(3);
    expect((await contentOf(id, "2+"))!.revision).toBe(4);
    await api.send("POST", `${id}/revert-to-draft`);
    expect((await contentOf(id, "1+"))!.revision).toBe(1);
  });

  test("is the current revision while the template is published; `any` says that there is one", async () => {
    const id = await published(ONE, MORE);
    expect((await contentOf(id, "current"))!.revision).toBe(2);
    await api.send("POST", `${id}/revert-to-draft`);
    expect(await contentOf(id, "current")).toBeUndefined();
    expect(await resolve(id, "any")).toMatchObject({ content: { template_id: id } });
    expect(await resolve(`tpl_${"0".repeat(32)}`, "any")).toBeUndefined();
  });

  test("that a definition cannot use is named by its code, with the way to its parameter", async () => {
    const { id: draft } = await api.made(ONE);
    const issuesOf = async (template: string, parameters: object = {}) => {
      const definition = { nodes: [node("print", template, parameters)], connections: [] };
      const { json } = await api.send("POST", "/api/v1/workflows/validate", {
        json: { definition },
      });
      return json.errors.map(({ code: found, path }: { code: string; path: string }) => [
        found,
        path.replace("nodes[0].parameters.", ""),
      ]);
    };
    expect(await issuesOf(draft)).toEqual([["template_not_found", "template_id"]]);
    const id = await published(ONE);
    expect(await issuesOf(id)).toEqual([]);
    expect(await issuesOf(id, { template_revision: 2 })).toEqual([
      ["template_revision_not_found", "template_revision"],
    ]);
  });

  test("does not reach another workspace's template", async () => {
    const other = new TemplateApi(await newCaller());
    const { id } = await other.made(ONE);
    await other.publish(id);
    expect(await resolve(id, "1")).toBeUndefined();
    expect(await resolve(id, null)).toBeUndefined();
  });
});

describe("the review of a workflow", () => {
  const review = async (id: string) =>
    (await api.get(`/api/v1/workflows/${id}/template-revisions`)).json;

  test("names changes, and a request that an incompatible one breaks", async () => {
    const template = await published(ONE, MORE);
    const workflow = await saved(node("a", template, { template_revision: 1 }));
    const { nodes, definition_etag, workflow: named } = await review(workflow);
    expect([named, definition_etag]).toEqual([workflow, "rev-1"]);
    expect(nodes).toEqual([
      {
        node_id: "a",
        node_type: "design/template_render",
        template_id: template,
        template_name: "A template",
        template_status: "published",
        template_version_policy: "pinned",
        saved_revision: 1,
        latest_revision: 2,
        is_current: false,
        changed_fields: { added: [], removed: [], retyped: [], required: ["name"] },
        compatible: false,
        changes: [
          { code: "required_added", path: "name", from: null, to: "text", compatible: false },
        ],
        counterexample: { values: { price: "Text" }, reason: expect.stringContaining("name") },
      },
    ]);
  });

  test("a restyled revision is compatible; a missing template has no name", async () => {
    const template = await published(ONE, MOVED);
    const workflow = await saved(
      node("a", template, { template_revision: 1 }),
      node("gone", "tpl_00000000000070008000000000000000", { template_revision: 1 }),
      { id: "pdf", type: "document/pdf", parameters: { template_id: template } },
    );
    const { nodes } = await review(workflow);
    expect(nodes[0]).toMatchObject({
      compatible: true,
      changes: [{ code: "restyled" }],
      counterexample: null,
    });
    expect(nodes[1]).toMatchObject({ template_name: null, template_status: null });
    expect(nodes[2]).toMatchObject({ saved_revision: null });
  });

  const counterexampleOf = async (from: object, to: object) => {
    const template = await published(from, to);
    const workflow = await saved(node("a", template, { template_revision: 1 }));
    const [reviewed] = (await review(workflow)).nodes;
    expect(reviewed.compatible).toBe(false);
    return { template, example: reviewed.counterexample };
  };
  const picture = {
    $type: "image",
    id: guid(7),
    width: 10,
    height: 10,
    placeholder: {
      id: guid(0x700),
      name: "logo",
      code: "logo",
      placeholderType: "image",
      required: true,
    },
  };
  const rows = (maxItems: number) => ({
    $type: "repeat_region",
    id: guid(8),
    width: 100,
    height: 90,
    itemHeight: 20,
    maxItems,
    placeholder: { id: guid(0x800), name: "rows", code: "rows", placeholderType: "list" },
    children: [],
  });

  test.each<[string, object, object, object]>([
    [
      "a removed field beside a required picture",
      documentOf(picture, NAME),
      documentOf(picture),
      {},
    ],
    [
      "a field of another type",
      documentOf(NAME),
      documentOf(fieldElement("name", 3, { placeholderType: "number" })),
      {},
    ],
    ["a shorter list", documentOf(rows(3)), documentOf(rows(2)), { overflow_policy: "fail" }],
  ])("%s has a counterexample that renders with the first only", async (_what, from, to, more) => {
    const { template, example } = await counterexampleOf(from, to);
    const render = (revision: number) =>
      api.send("POST", `${template}/versions/${revision}/render`, {
        json: { values: example.values, ...more },
      });
    expect((await render(1)).status).toBe(200);
    expect([400, 422]).toContain((await render(2)).status);
  });

  test("another page has a selection that means it", async () => {
    const one = documentOf(NAME);
    const two = {
      ...one,
      pages: [{ id: guid(0x20), width: 50, height: 50, elements: [] }, ...one.pages],
    };
    expect((await counterexampleOf(one, two)).example).toMatchObject({ page_selection: "1" });
    const added = { ...one, pages: [...one.pages, two.pages[0]] };
    expect((await counterexampleOf(one, added)).example).toMatchObject({ page_selection: "all" });
  });

  test("what did not render with the pinned revision does not stand as a counterexample", async () => {
    const overfull = { ...fieldElement("name", 3), height: 1, overflowMode: "fail", text: "" };
    const { example } = await counterexampleOf(documentOf(overfull), documentOf());
    expect(example).toBeNull();
  });

  test("an upgrade moves what is behind and compatible, and says why it leaves the rest", async () => {
    const compatible = await published(ONE, MOVED);
    const incompatible = await published(ONE, MORE);
    const workflow = await saved(
      node("moves", compatible, { template_revision: 1, output: "pdf" }),
      node("breaks", incompatible, { template_revision: 1 }),
      node("current", compatible, { template_revision: 2 }),
      { id: "draft", type: "document/pdf", parameters: { template_id: compatible } },
      node("gone", "tpl_00000000000070008000000000000000", { template_revision: 1 }),
    );
    const path = `/api/v1/workflows/${workflow}/template-revisions/upgrade`;
    const unknown = await api.send("POST", path, { json: { node_ids: ["nobody"] } });
    expect([unknown.status, unknown.json.code]).toEqual([400, "validation_error"]);
    expect(unknown.json.detail).toContain("nobody");
    const stale = await api.send("POST", path, { json: {}, headers: { "if-match": '"rev-9"' } });
    expect(stale.json.code).toBe("precondition_failed");
    const before = await definitionOf(workflow);
    const { json } = await api.send("POST", path, { headers: { "if-match": '"rev-1"' } });
    expect(json).toEqual({
      upgraded: [{ node_id: "moves", from: 1, to: 2 }],
      skipped: [
        { node_id: "breaks", reason: "incompatible" },
        { node_id: "current", reason: "current" },
        { node_id: "draft", reason: "unpinned" },
        { node_id: "gone", reason: "unavailable" },
      ],
      definition_etag: "rev-2",
    });
    const after = await definitionOf(workflow);
    before.nodes[0].parameters.template_revision = 2;
    expect(after).toEqual(before);
    const again = await api.send("POST", path, { json: { node_ids: ["moves"] } });
    expect(again.json).toMatchObject({ upgraded: [], definition_etag: "rev-2" });
  });

  test("an upgrade leaves what is not a pin, and a pin that cannot be compared", async () => {
    // Contracts are kept by their document, so these are of their own.
    const own = (left: number) => documentOf({ ...fieldElement("price", 0x77), left });
    const template = await published(own(1), own(2));
    const lost = await published(own(3), own(4));
    const row = await HOME_DB.prepare(
      "SELECT folder FROM design_template_versions WHERE template_id = ?1 AND revision = 2",
    )
      .bind(lost)
      .first<{ folder: string }>();
    const { objects } = await env.FILES.list({ prefix: row!.folder });
    await env.FILES.delete(objects.map(({ key }) => key));
    const workflow = await saved(
      node("zero", template, { template_revision: 0 }),
      node("text", template, { template_revision: "1" }),
      node("later", template, { template_revision: 9 }),
      node("lost", lost, { template_revision: 1 }),
    );
    const before = await definitionOf(workflow);
    const reviewed = (await review(workflow)).nodes;
    const facts = reviewed.map(
      ({ saved_revision: at, compatible }: { saved_revision: number; compatible: boolean }) => [
        at,
        compatible,
      ],
    );
    expect(facts).toEqual([
      [null, true],
      [null, true],
      [9, false],
      [1, false],
    ]);
    const path = `/api/v1/workflows/${workflow}/template-revisions/upgrade`;
    const { json } = await api.send("POST", path, { json: {} });
    expect([json.upgraded, json.skipped]).toEqual([
      [],
      [
        { node_id: "zero", reason: "unpinned" },
        { node_id: "text", reason: "unpinned" },
        { node_id: "later", reason: "unavailable" },
        { node_id: "lost", reason: "unavailable" },
      ],
    ]);
    expect(await definitionOf(workflow)).toEqual(before);
  });

  test("an upgrade leaves the pins of a template that is archived", async () => {
    const template = await published(ONE, MOVED);
    const workflow = await saved(node("kept", template, { template_revision: 1, output: "pdf" }));
    const archived = await api.send("POST", `/api/v1/design-templates/${template}/archive`);
    expect(archived.status).toBe(200);
    const before = await definitionOf(workflow);
    const path = `/api/v1/workflows/${workflow}/template-revisions/upgrade`;
    const { json } = await api.send("POST", path, { json: {} });
    expect(json).toMatchObject({
      upgraded: [],
      skipped: [{ node_id: "kept", reason: "unavailable" }],
    });
    expect(await definitionOf(workflow)).toEqual(before);
  });
});
