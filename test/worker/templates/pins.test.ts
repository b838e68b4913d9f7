/** What a workflow freezes of the templates that it names (docs/contract/templates.md#pins). */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import type { ReferencedTemplate } from "../../../src/contracts/templates/template-reference.ts";
import { loadVersion } from "../../../src/domain/workflows/versions/load-version.ts";
import { outlineOf } from "../../../src/engine/plan/outline.ts";
import { type Caller, newCaller } from "../../support/api-caller.ts";
import { FontApi } from "../../support/fonts/font-api.ts";
import { documentOf, fieldElement, TemplateApi } from "../../support/templates/template-api.ts";
import { HOME_DB } from "../../support/home-database.ts";

let caller: Caller;
let api: TemplateApi;

beforeAll(async () => {
  caller = await newCaller();
  api = new TemplateApi(caller);
});

const ONE = documentOf(fieldElement("price", 2));
const MOVED = documentOf({ ...fieldElement("price", 2), left: 20 });
const OTHER = documentOf(fieldElement("name", 3));

async function published(...documents: readonly object[]): Promise<string> {
  const { id } = await api.made(documents[0]);
  await api.publish(id);
  for (const document of documents.slice(1)) {
    await api.put(id, "*", document);
    await api.publish(id);
  }
  return id;
}

const parts = (type: string, template: string, parameters: object = {}) => {
  const out = type === "design/template_render" ? "pdf" : "document";
  return {
    nodes: [
      { id: "text", type: "input/text" },
      { id: "print", type, parameters: { template_id: template, ...parameters } },
      { id: "out", type: "output/document" },
    ],
    connections: [
      { from: { node: "text", port: "text" }, to: { node: "print", port: "price" } },
      { from: { node: "print", port: out }, to: { node: "out", port: "document" } },
    ],
  };
};
const renders = (template: string, parameters?: object) =>
  parts("design/template_render", template, parameters);

async function saved(definition: object): Promise<string> {
  const { json, text } = await api.send("POST", "/api/v1/workflows", {
    json: { name: "Prints", definition },
  });
  expect(json?.id, text).toMatch(/^wf_/);
  return json.id;
}

const path = (id: string, action: string) => `/api/v1/workflows/${id}/${action}`;
const put = (id: string, definition: object) =>
  api.send("PUT", path(id, "definition"), { json: definition, headers: { "if-match": "*" } });
const problems = ({ json }: { json: { errors?: { code: string; path: string }[] } }) =>
  (json.errors ?? []).map((issue) => `${issue.code} ${issue.path}`);
const validated = async (id: string) => problems(await api.send("POST", path(id, "validate")));
const publish = (id: string) => api.send("POST", path(id, "publish"));
const archive = (template: string) => api.send("POST", `${template}/archive`);

async function publishedWorkflow(definition: object): Promise<string> {
  const id = await saved(definition);
  const { status, text } = await publish(id);
  expect(status, text).toBe(200);
  return id;
}

/** What a run of the workflow's first version would print. */
async function printed(id: string, version = 1): Promise<ReferencedTemplate> {
  const ctx = {
    env,
    principal: { workspaceId: caller.workspaceId } as never,
    nowMs: () => Date.now(),
    waitUntil: () => undefined,
  };
  const { plan } = await loadVersion(ctx, id, version);
  const node = plan.nodes.find((one) => one.id === "print");
  const found = node?.references?.find((one) => one.path === "template_revision");
  return found?.content as unknown as ReferencedTemplate;
}

const AT_ID = "nodes[1].parameters.template_id";
const AT_REVISION = "nodes[1].parameters.template_revision";

describe("a revision of a template that is not published", () => {
  test("is refused as a bare number, and kept by the workflow that pinned it before", async () => {
    const template = await published(ONE, MOVED);
    const pinned = await saved(renders(template));
    const cloned = await api.send("POST", path(pinned, "clone"), { json: {} });
    await archive(template);

    const bare = [`template_not_found ${AT_ID}`];
    expect(await validated(await saved(renders(template, { template_revision: 2 })))).toEqual(bare);
    expect(await validated(await saved(renders(template)))).toEqual(bare);
    for (const type of ["document/pdf", "aggregate/pdf"]) {
      const pdf = (template_revision: number) =>
        saved(parts(type, template, { template_revision }));
      expect(await validated(await pdf(1)), type).toEqual(bare);
      expect(await validated(await pdf(3)), type).toEqual([
        `template_revision_not_found ${AT_REVISION}`,
      ]);
    }

    expect(await validated(pinned)).toEqual([]);
    expect(await validated(cloned.json.id)).toEqual([]);
    // Another edit keeps the pin; another revision is a bare number.
    await put(pinned, { ...renders(template), settings: { a: 1 } });
    expect(await validated(pinned)).toEqual([]);
    await put(pinned, renders(template, { template_revision: 1 }));
    expect(await validated(pinned)).toEqual(bare);
    await put(pinned, renders(template, { template_revision: 2 }));
    expect(await validated(pinned)).toEqual(bare);
  });

  test("is kept if an earlier version of the workflow had it", async () => {
    const template = await published(ONE);
    const workflow = await publishedWorkflow(renders(template));
    await put(workflow, { nodes: [], connections: [] });
    await archive(template);
    await put(workflow, renders(template, { template_revision: 1 }));
    expect(await validated(workflow)).toEqual([]);
    await put(workflow, renders(template, { template_revision: 2 }));
    expect(await validated(workflow)).toEqual([`template_not_found ${AT_ID}`]);
    await api.send("POST", path(workflow, "revert"), { json: { to_version: 1 } });
    expect(problems(await publish(workflow))).toEqual([]);
  });

  test("prints in runs of what was published with it", async () => {
    const template = await published(ONE);
    const workflow = await publishedWorkflow(renders(template));
    await archive(template);
    expect(await printed(workflow)).toMatchObject({ revision: 1, status: "archived" });
    expect((await printed(workflow)).unavailable).toBeUndefined();
  });

  test.each(["document/pdf", "aggregate/pdf"])(
    "is kept in %s if it was saved while the template was published",
    async (type) => {
      const template = await published(ONE, MOVED);
      const pinned = await saved(parts(type, template, { template_revision: 1 }));
      await archive(template);
      await put(pinned, parts(type, template, { template_revision: 1, file_name: "a.pdf" }));
      expect(await validated(pinned)).toEqual([]);
      expect((await publish(pinned)).status).toBe(200);
      expect(await printed(pinned)).toMatchObject({ revision: 1, status: "archived" });
      await put(pinned, parts(type, template, { template_revision: 2 }));
      expect(await validated(pinned)).toEqual([`template_not_found ${AT_ID}`]);
      // Without a revision the draft prints, whatever the state.
      await put(pinned, parts(type, template));
      expect(await validated(pinned)).toEqual([]);
    },
  );

  test("has never existed for a template that was never published", async () => {
    const { id } = await api.made(ONE);
    const issues = await validated(await saved(renders(id, { template_revision: 1 })));
    expect(issues).toEqual([`template_not_found ${AT_ID}`]);
  });
});

describe("a revision that is not the one that was pinned", () => {
  const tamper = (template: string, column: string) =>
    HOME_DB.prepare(
      `UPDATE design_template_versions SET ${column} = ${column} || '0' WHERE template_id = ?1`,
    )
      .bind(template)
      .run();

  test.each(["id", "content_hash", "contract_hash"])(
    "by its %s is not published, and not printed by what was published",
    async (column) => {
      const template = await published(ONE);
      const workflow = await publishedWorkflow(renders(template));
      const pdf = await publishedWorkflow(
        parts("document/pdf", template, { template_revision: 1 }),
      );
      const draft = await saved(renders(template));
      await tamper(template, column);
      const failed = [`template_pin_failed ${AT_REVISION}`];
      expect(await validated(draft)).toEqual(failed);
      const refused = await publish(draft);
      expect([refused.status, refused.json.code]).toEqual([422, "validation_error"]);
      expect(problems(refused)).toEqual(failed);
      expect((await printed(workflow)).unavailable).toContain("Revision 1");
      expect((await printed(pdf)).unavailable).toContain("Revision 1");
    },
  );

  test("or whose contract cannot be read, fails the pin", async () => {
    // Contracts are kept by their document, so this one is of its own.
    const template = await published(documentOf(fieldElement("price", 99)));
    const row = await HOME_DB.prepare(
      "SELECT folder FROM design_template_versions WHERE template_id = ?1",
    )
      .bind(template)
      .first<{ folder: string }>();
    const { objects } = await env.FILES.list({ prefix: row!.folder });
    await env.FILES.delete(objects.map(({ key }) => key));
    const draft = await saved(renders(template, { template_revision: 1 }));
    expect(await validated(draft)).toEqual([`template_pin_failed ${AT_REVISION}`]);
  });
});

describe("a published workflow that prints a draft", () => {
  test("keeps its ports, and names fields that the draft has lost", async () => {
    const { id: template } = await api.made(ONE);
    const workflow = await publishedWorkflow(parts("document/pdf", template));
    expect(await printed(workflow)).toMatchObject({ revision: null, lost_fields: [] });
    const { changed_at_ms } = await printed(workflow);
    await api.send("PATCH", template, { json: { name: "Renamed" } });
    expect(await printed(workflow)).toMatchObject({ changed_at_ms });
    await api.put(template, "*", OTHER);
    expect(await printed(workflow)).toMatchObject({
      fields: [{ code: "price", type: "text" }],
      lost_fields: ["price"],
    });
    const required = documentOf(
      fieldElement("price", 2, { placeholderType: "number" }),
      fieldElement("name", 3, { required: true }),
    );
    await api.put(template, "*", required);
    expect(await printed(workflow)).toMatchObject({ lost_fields: [], fields: [{ type: "text" }] });
    // The working definition is held to the draft as it is now.
    expect(await validated(workflow)).not.toEqual([]);
  });

  test("has the workspace's fonts that it names, as they stand at the submit", async () => {
    const fonts = new FontApi(caller);
    const called = (displayName: string) => ({ fields: { displayName } });
    const [named, fallback, unnamed] = await Promise.all(
      ["Named", "Fallback", "Unnamed"].map(async (name) => (await fonts.create(called(name))).json),
    );
    const [filed] = (await fonts.own()).filter(({ displayName }) => displayName === "Unnamed");
    const price = fieldElement("price", 2);
    const { id: template } = await api.made(
      documentOf({ ...price, fontFamily: "NAMED", fallbackFonts: ["fallback"] }),
    );
    const workflow = await publishedWorkflow(parts("document/pdf", template));
    const pin = (name: string, { familyGuid, versionGuid }: Record<string, string>) => ({
      name,
      family_guid: familyGuid,
      version_guid: versionGuid,
      fallback_guid: null,
    });
    expect((await printed(workflow)).font_pins).toEqual([
      pin("NAMED", named),
      pin("fallback", fallback),
    ]);
    const again = (
      await fonts.revise(named.familyGuid, { ...called("Named"), files: [{ width: 7 }] })
    ).json;
    expect(again.versionGuid).not.toBe(named.versionGuid);
    expect((await printed(workflow)).font_pins[0]).toEqual(pin("NAMED", again));
    // A file is named by itself, and only the fallback of its family counts. Text without a family is in Noto Sans.
    const own = (await fonts.create(called("Noto Sans"))).json;
    const { reference } = filed.files[0];
    await api.put(template, "*", documentOf({ ...price, font: reference }));
    expect((await printed(workflow)).font_pins).toEqual([pin("Noto Sans", own), pin("", unnamed)]);
    await fonts.archive(own.familyGuid);
    expect((await printed(workflow)).font_pins).toEqual([pin("", unnamed)]);
  });

  test("runs into TEMPLATE_NOT_AVAILABLE when the template is deleted", async () => {
    const { id: template } = await api.made(ONE);
    const workflow = await publishedWorkflow(parts("aggregate/pdf", template));
    expect((await api.send("DELETE", template)).status).toBe(204);
    expect((await printed(workflow)).unavailable).toContain("does not exist any more");
    expect(await validated(workflow)).toEqual([`template_not_found ${AT_ID}`]);
  });
});

describe("the revision of a published workflow", () => {
  test("is the current one of its publication where the definition names none", async () => {
    const { id: template } = await api.made(ONE);
    const workflow = await saved(renders(template));
    await api.publish(template);
    expect((await publish(workflow)).status).toBe(200);
    await api.put(template, "*", MOVED);
    await api.publish(template);
    expect(await printed(workflow)).toMatchObject({ revision: 1 });
  });

  test("follows compatible revisions at each submit, and the run keeps the one that it got", async () => {
    const template = await published(ONE);
    const follows = { template_revision: 1, template_version_policy: "latest_compatible" };
    const workflow = await publishedWorkflow(renders(template, follows));
    expect(await printed(workflow)).toMatchObject({ revision: 1 });
    await api.put(template, "*", MOVED);
    const second = (await api.publish(template)).json.version.id;
    await api.put(template, "*", OTHER);
    await api.publish(template);
    expect(await printed(workflow)).toMatchObject({ revision: 2, version_id: second });
    const ctx = {
      env,
      principal: { workspaceId: caller.workspaceId } as never,
      nowMs: () => Date.now(),
      waitUntil: () => undefined,
    };
    const { plan } = await loadVersion(ctx, workflow, 1);
    const kept = outlineOf(plan).nodes.find(({ id }) => id === "print")?.references;
    expect(kept?.map(({ version }) => version).join()).toContain(second);
    await archive(template);
    expect(await printed(workflow)).toMatchObject({ revision: 1 });
  });
});
