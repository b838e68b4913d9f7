/** The examples of the routes of design templates. */
import type { ExampleRecorder } from "./example-recorder.ts";

const TEMPLATES = "/api/v1/design-templates";
const ANY = { "if-match": "*" };

/** The document of the examples, with one field. */
const PRICE_TAG = {
  schemaVersion: "2.0",
  pages: [
    {
      id: "0b1f4c52-6d1c-4d55-9a36-1f0f5f3f6a01",
      name: "Tag",
      width: 200,
      height: 100,
      elements: [
        {
          $type: "text",
          id: "0b1f4c52-6d1c-4d55-9a36-1f0f5f3f6a02",
          left: 10,
          top: 10,
          width: 180,
          height: 30,
          text: "Price",
          placeholder: {
            id: "0b1f4c52-6d1c-4d55-9a36-1f0f5f3f6a03",
            name: "Price",
            code: "price",
            placeholderType: "text",
            required: true,
          },
        },
      ],
    },
  ],
};

/** Calls each route of design templates once. */
export async function templateTour(call: ExampleRecorder["call"]): Promise<void> {
  const { id } = await call("createDesignTemplate", "POST", TEMPLATES, {
    json: { name: "Price tag", tags: ["shop"], content: PRICE_TAG },
  });
  const path = `${TEMPLATES}/${id}`;
  await call("getDesignTemplate", "GET", path);
  await call("patchDesignTemplate", "PATCH", path, { json: { description: "For shelves" } });
  await call("getDesignTemplateDraft", "GET", `${path}/draft/content`);
  await call("putDesignTemplateDraft", "PUT", `${path}/draft/content`, {
    json: PRICE_TAG,
    headers: ANY,
  });
  const draft = `${path}/draft`;
  const edit = async (operation: string, method: string, at: string, json?: object) =>
    await call(operation, method, `${draft}/${at}`, {
      headers: ANY,
      ...(json !== undefined && { json }),
    });
  const { page } = await edit("createDesignPage", "POST", "pages", { width: 200, height: 100 });
  await edit("patchDesignPage", "PATCH", `pages/${page.id}`, { name: "Back" });
  const { element } = await edit("createDesignElement", "POST", "elements", {
    page_id: page.id,
    type: "text",
    left: 10,
    top: 10,
    width: 180,
    height: 30,
    text: "Thank you",
    font_size: 14,
  });
  await edit("patchDesignElement", "PATCH", `elements/${element.id}`, { fill: "#336699" });
  await edit("deleteDesignElement", "DELETE", `elements/${element.id}`);
  await edit("deleteDesignPage", "DELETE", `pages/${page.id}`);
  const size = { width: 200, height: 100 };
  const { master } = await edit("createDesignMaster", "POST", "masters", size);
  await edit("patchDesignMaster", "PATCH", `masters/${master.id}`, { automatic_rule: "odd" });
  await edit("deleteDesignMaster", "DELETE", `masters/${master.id}`);
  const { sample_set: set } = await edit("createDesignSampleSet", "POST", "sample-sets", {
    name: "Cheap",
    values: { price: "1.99" },
  });
  await edit("patchDesignSampleSet", "PATCH", `sample-sets/${set.id}`, {
    values: { price: "2.99" },
  });
  await call("listDesignSampleSets", "GET", `${draft}/sample-sets`);
  await call("getDesignSampleSet", "GET", `${draft}/sample-sets/${set.id}`);
  await call("getDesignTemplatePreview", "GET", `${draft}/sample-sets/${set.id}/exact-preview`);
  await call("getDesignTemplatePublishReadiness", "GET", `${draft}/publish-readiness`);
  await edit("deleteDesignSampleSet", "DELETE", `sample-sets/${set.id}`);
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><title>Flag</title>' +
    '<rect width="40" height="20" fill="navy"/><circle cx="20" cy="10" r="6" fill="gold"/></svg>';
  const imported = await edit("importDesignSvg", "POST", "svg-imports", {
    page_id: PRICE_TAG.pages[0]?.id,
    svg,
    mode: "preserved",
    left: 120,
    top: 50,
    width: 60,
  });
  const artwork = `elements/${imported.element.id}`;
  await call("getDesignPalette", "GET", `${draft}/${artwork}/palette`);
  await edit("replaceDesignPaletteColor", "POST", `${artwork}/palette-replacements`, {
    source_color: "#000080",
    target_color: "#7a1f3d",
  });
  await call("publishDesignTemplate", "POST", `${path}/draft/publish`, { headers: ANY });
  await call("listDesignTemplates", "GET", `${TEMPLATES}?tag=shop`);
  await call("listDesignTemplateVersions", "GET", `${path}/versions`);
  await call("getDesignTemplateVersion", "GET", `${path}/versions/1`);
  await call("getDesignTemplateVersionContent", "GET", `${path}/versions/1/content`);
  await call("getDesignTemplateVersionContract", "GET", `${path}/versions/1/contract`);
  await call("duplicateDesignTemplate", "POST", `${path}/duplicate`, { json: { revision: 1 } });
  const links = `${path}/share-links`;
  const link = await call("createDesignTemplateShareLink", "POST", links, {
    json: { max_imports: 10, require_sign_in: false },
  });
  await call("listDesignTemplateShareLinks", "GET", links);
  await call("getSharedDesignTemplate", "GET", `/api/v1/shared-templates/${link.token}`);
  await call("importDesignTemplate", "POST", `${TEMPLATES}/import`, {
    json: { share_token: link.token, name: "Our price tag" },
  });
  await call("revokeDesignTemplateShareLink", "DELETE", `${links}/${link.id}`);
  await workflowTour(call, id as string);
  await call("revertDesignTemplate", "POST", `${path}/revert-to-draft`);
  await call("archiveDesignTemplate", "POST", `${path}/archive`);
}

/** A workflow that prints the template's first revision, when there is a second one. */
async function workflowTour(call: ExampleRecorder["call"], template: string): Promise<void> {
  const definition = {
    nodes: [
      { id: "price", type: "input/text" },
      { id: "tag", type: "design/template_render", parameters: { template_id: template } },
      { id: "out", type: "output/document" },
    ],
    connections: [
      { from: { node: "price", port: "text" }, to: { node: "tag", port: "price" } },
      { from: { node: "tag", port: "pdf" }, to: { node: "out", port: "document" } },
    ],
  };
  const { id } = await call(null, "POST", "/api/v1/workflows", {
    json: { name: "Price tags", definition },
  });
  const draft = `${TEMPLATES}/${template}/draft`;
  await call(null, "POST", `${draft}/elements`, {
    headers: ANY,
    json: {
      page_id: PRICE_TAG.pages[0]?.id,
      type: "text",
      left: 10,
      top: 50,
      width: 90,
      height: 20,
      placeholder: {
        id: "0b1f4c52-6d1c-4d55-9a36-1f0f5f3f6a04",
        name: "Old price",
        code: "old_price",
        placeholder_type: "text",
      },
    },
  });
  await call(null, "POST", `${draft}/publish`, { headers: ANY });
  const revisions = `/api/v1/workflows/${String(id)}/template-revisions`;
  await call("getWorkflowTemplateRevisions", "GET", revisions);
  await call("upgradeWorkflowTemplateRevisions", "POST", `${revisions}/upgrade`, {
    json: { node_ids: ["tag"] },
  });
  await call(null, "DELETE", `/api/v1/workflows/${String(id)}`);
}
