import type * as z from "zod";
import type {
  CreateTemplateBody,
  DuplicateTemplateBody,
  PatchTemplateBody,
} from "../../src/contracts/templates/design-template.ts";
import type { UpgradeTemplatesBody } from "../../src/contracts/templates/template-revisions.ts";
import { type Command, fieldsOf } from "./command.ts";
import { renderTemplate } from "./render-template.ts";
import { get, PAGE_QUERY, post } from "./route-commands.ts";
import { IF_MATCH, TEMPLATES } from "./template-draft-commands.ts";

export const TEMPLATE_COMMANDS: readonly Command[] = [
  {
    words: "templates list",
    about: "List design templates",
    columns: ["id", "name", "status", "latest_revision", "page_count", "updated_at"],
    route: {
      operation: "listDesignTemplates",
      method: "GET",
      path: TEMPLATES,
      query: [...PAGE_QUERY, "name", "tag", "status"],
    },
  },
  {
    words: "templates create",
    args: "[FILE]",
    about: "Create a template, with the document in FILE or an empty page",
    route: {
      operation: "createDesignTemplate",
      method: "POST",
      path: TEMPLATES,
      needsKey: true,
      file: { field: "content", isOptional: true },
      fields: fieldsOf<z.input<typeof CreateTemplateBody>>()({
        name: ["name", "text"],
        description: ["description", "text"],
        tags: ["tags", "list"],
      }),
    },
  },
  get("templates get", "ID", "Show a template", "getDesignTemplate", `${TEMPLATES}/{id}`),
  {
    words: "templates update",
    args: "ID",
    about: "Change name, description or tags",
    route: {
      operation: "patchDesignTemplate",
      method: "PATCH",
      path: `${TEMPLATES}/{id}`,
      fields: fieldsOf<z.input<typeof PatchTemplateBody>>()({
        name: ["name", "text"],
        description: ["description", "text"],
        tags: ["tags", "list"],
      }),
    },
  },
  {
    words: "templates delete",
    args: "ID",
    about: "Delete a template that was never published",
    route: { operation: "deleteDesignTemplate", method: "DELETE", path: `${TEMPLATES}/{id}` },
  },
  post(
    "templates archive",
    "ID",
    "Archive a template",
    "archiveDesignTemplate",
    `${TEMPLATES}/{id}/archive`,
  ),
  post(
    "templates revert",
    "ID",
    "Make a published template a draft again",
    "revertDesignTemplate",
    `${TEMPLATES}/{id}/revert-to-draft`,
  ),
  {
    words: "templates duplicate",
    args: "ID",
    about: "Copy the draft, or a revision, to a new template",
    route: {
      operation: "duplicateDesignTemplate",
      method: "POST",
      path: `${TEMPLATES}/{id}/duplicate`,
      needsKey: true,
      fields: fieldsOf<z.input<typeof DuplicateTemplateBody>>()({
        name: ["name", "text"],
        revision: ["revision", "number"],
      }),
    },
  },
  {
    words: "templates versions",
    args: "ID",
    about: "List the published revisions",
    columns: ["revision", "id", "is_current", "page_count", "published_at"],
    route: {
      operation: "listDesignTemplateVersions",
      method: "GET",
      path: `${TEMPLATES}/{id}/versions`,
      query: PAGE_QUERY,
    },
  },
  get(
    "templates version",
    "ID REVISION",
    "Show a revision",
    "getDesignTemplateVersion",
    `${TEMPLATES}/{id}/versions/{revision}`,
  ),
  get(
    "templates version-content",
    "ID REVISION",
    "Print the document of a revision",
    "getDesignTemplateVersionContent",
    `${TEMPLATES}/{id}/versions/{revision}/content`,
  ),
  get(
    "templates contract",
    "ID REVISION",
    "Print the contract of a revision",
    "getDesignTemplateVersionContract",
    `${TEMPLATES}/{id}/versions/{revision}/contract`,
  ),
  get(
    "templates draft",
    "ID",
    "Print the document of the draft",
    "getDesignTemplateDraft",
    `${TEMPLATES}/{id}/draft/content`,
  ),
  {
    words: "templates define",
    args: "ID FILE",
    about: "Replace the document of the draft; --if-match is the ETag that was read",
    route: {
      operation: "putDesignTemplateDraft",
      method: "PUT",
      path: `${TEMPLATES}/{id}/draft/content`,
      needsKey: true,
      headers: IF_MATCH,
      file: "body",
    },
  },
  get(
    "workflows template-revisions",
    "ID",
    "Compare the template nodes with the latest revisions",
    "getWorkflowTemplateRevisions",
    "/api/v1/workflows/{id}/template-revisions",
  ),
  {
    words: "workflows upgrade-templates",
    args: "ID",
    about: "Move compatible template nodes to the latest revision",
    route: {
      operation: "upgradeWorkflowTemplateRevisions",
      method: "POST",
      path: "/api/v1/workflows/{id}/template-revisions/upgrade",
      headers: IF_MATCH,
      fields: fieldsOf<z.input<typeof UpgradeTemplatesBody>>()({ nodes: ["node_ids", "list"] }),
    },
  },
  {
    words: "templates publish",
    args: "ID",
    about: "Publish the draft as a new revision; --if-match is the ETag that was read",
    route: {
      operation: "publishDesignTemplate",
      method: "POST",
      path: `${TEMPLATES}/{id}/draft/publish`,
      needsKey: true,
      headers: IF_MATCH,
    },
  },
  {
    words: "templates render",
    args: "ID",
    about: "Print the draft, or a revision, as a PDF, or one page of it as a picture",
    operations: ["renderDesignTemplateDraft", "renderDesignTemplateVersion"],
    flags: {
      values: { type: "string", value: "FILE" },
      revision: { type: "string", value: "N" },
      page: { type: "string", value: "N" },
      "missing-policy": { type: "string", value: "TEXT" },
      "overflow-policy": { type: "string", value: "TEXT" },
      "color-profile": { type: "string", value: "GUID" },
      output: { type: "string", value: "FILE" },
    },
    run: renderTemplate,
  },
];
