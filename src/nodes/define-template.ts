/** What the nodes that print design templates share: parameters, references, ports, checks. */
import * as z from "zod";
import type { ReferencedColorProfile } from "../contracts/templates/color-profile.ts";
import type { IssueCode } from "../contracts/workflows/definition-issue.ts";
import { fileNameParameter, integerField } from "../contracts/workflows/node-parameters.ts";
import type { PortType } from "../contracts/workflows/port-type.ts";
import { contentAt, type StoredReferences } from "../contracts/references.ts";
import type { RenderOptions } from "../contracts/templates/renderer.ts";
import type {
  ReferencedField,
  ReferencedTemplate,
} from "../contracts/templates/template-reference.ts";
import type { JsonValue } from "../lib/json/exact-json.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";
import { NodeError } from "../lib/errors/node-error.ts";
import type { ConnectedPort, InputPort, NamedReference, ParameterIssue } from "./define-ports.ts";

/** Path of the reference whose content is the document; the other only says whether the template exists. */
const DOCUMENT_PATH = "template_revision";
const PROFILE_PATH = "color_profile_guid";

/** What only the service knows about a pin; an author does not set it. */
const INTERNAL: ReadonlySet<PropertyKey> = new Set([
  "documentId",
  "documentVersionId",
  "templateContract",
  "contentHash",
  "contractHash",
  "templateVersionId",
]);

const REVISION_MAX = 999_999_999;
/** Longest side of page images in pixels, unless a node says otherwise. */
export const PAGE_IMAGE_SIDE = 1_600;

/** Parameters of every node that prints a template. */
export const templateParameters = {
  template_id: z
    .string()
    .regex(/^tpl_[0-9a-f]{32}$/, { error: "Must be the id of a template, tpl_…" })
    .meta({ title: "Template", description: "The design template, `tpl_…`." }),
  template_revision: integerField(1, REVISION_MAX).optional().meta({
    title: "Revision",
    description: "The published revision that is printed.",
  }),
  template_version_policy: z.enum(["pinned", "latest_compatible"]).default("pinned").meta({
    title: "Newer revisions",
    description:
      "Print the revision that is named, or in new runs the highest one that is compatible with it.",
  }),
  missing_policy: z.enum(["fail_required", "use_template_default"]).default("fail_required").meta({
    title: "Missing values",
    description: "Fail if a required field has no value, or print what the template shows.",
  }),
  overflow_policy: z.enum(["template", "fail", "fit", "clip"]).default("template").meta({
    title: "Texts that do not fit",
    description:
      "Follow the template, fail if anything is cut or left out, shrink all texts, or cut them.",
  }),
  max_repeat: integerField(1, LIMITS.max_repeat.value).optional().meta({
    title: "Rows of each list",
    description: "The most rows of each list that are printed; the template's limit if left out.",
    advanced: true,
  }),
  pdf_export_mode: z.enum(["standard", "pdfx4"]).default("standard").meta({
    title: "Kind of PDF",
    description: "A PDF for screens, or PDF/X-4 for print.",
    advanced: true,
  }),
  color_profile_guid: z.guid().optional().meta({
    title: "Color profile",
    description: "The workspace's profile that a PDF/X-4 is made for.",
    advanced: true,
  }),
  file_name: fileNameParameter("document.pdf"),
};

interface TemplateParams {
  readonly template_id: string;
  readonly template_revision?: number | undefined;
  readonly template_version_policy: "pinned" | "latest_compatible";
  readonly missing_policy: RenderOptions["missing_policy"];
  readonly overflow_policy: RenderOptions["overflow_policy"];
  readonly max_repeat?: number | undefined;
  readonly pdf_export_mode: RenderOptions["pdf_export_mode"];
  readonly color_profile_guid?: string | undefined;
}

/** What a node prints if it names no revision: the current published one, or the draft. */
type Unpinned = "current" | "draft";

/** The references of a template node: whether it may name the template, the document that is printed, and its profile. */
export function templateReferences(params: TemplateParams, unpinned: Unpinned): NamedReference[] {
  const guid = params.pdf_export_mode === "pdfx4" ? params.color_profile_guid : undefined;
  return [
    ...documentReferences(params, unpinned),
    ...(guid === undefined
      ? []
      : [
          {
            kind: "color_profile",
            id: guid,
            revision: null,
            path: PROFILE_PATH,
            missingCode: "INVALID_PARAMETER" as const,
            missingMessage: `This workspace has no color profile "${guid}" (color_profile_guid). It may have been deleted.`,
          },
        ]),
  ];
}

function documentReferences(params: TemplateParams, unpinned: Unpinned): NamedReference[] {
  const { template_id: id, template_revision: revision, template_version_policy: policy } = params;
  const follows = policy === "latest_compatible" ? "+" : "";
  const pinned = revision === undefined ? undefined : `${revision}${follows}`;
  const isCurrent = unpinned === "current";
  const existence =
    revision === undefined
      ? isCurrent
        ? "current"
        : "any"
      : `${isCurrent ? "published" : "pinned"}:${revision}`;
  return [
    {
      kind: "template",
      id,
      revision: existence,
      path: "template_id",
      missingCode: "template_not_found",
    },
    {
      kind: "template",
      id,
      revision: pinned ?? (isCurrent ? "current" : null),
      path: DOCUMENT_PATH,
      missingCode: "template_revision_not_found",
      within: "template_id",
    },
  ];
}

/** The code of a problem of a parameter that has one of its own (docs/contract/templates.md#nodes). */
export function templateParameterIssue(
  name: PropertyKey | undefined,
  given: JsonValue | undefined,
): IssueCode | undefined {
  if (name === "template_id") {
    return given === undefined || given === null || given === ""
      ? "missing_template_id"
      : "invalid_template_id";
  }
  if (name === "template_revision") {
    return "invalid_template_revision";
  }
  return name !== undefined && INTERNAL.has(name) ? "internal_template_parameter" : undefined;
}

/** The template that a node prints. Throws for a node whose references were not fetched. */
export function templateIn(stored: StoredReferences): ReferencedTemplate {
  const found = contentAt<ReferencedTemplate>(stored, DOCUMENT_PATH);
  if (found === undefined) {
    throw new Error("The template of the node was not fetched.");
  }
  return found;
}

/** The template that a run prints. Throws NodeError `TEMPLATE_NOT_AVAILABLE`. */
export function templateToPrint(stored: StoredReferences): ReferencedTemplate {
  const template = templateIn(stored);
  if (template.unavailable !== undefined) {
    throw new NodeError("TEMPLATE_NOT_AVAILABLE", template.unavailable);
  }
  return template;
}

const PORT_TYPES: Readonly<Record<ReferencedField["type"], PortType>> = {
  text: "text",
  date: "text",
  color: "text",
  number: "number",
  boolean: "boolean",
  url: "url",
  image: "image",
  list: "json",
};

/**
 * A port for each field. The value of a field that must be given keeps the node from running while it is absent;
 * elements of an aggregate are kept without it.
 */
export function fieldPorts(
  stored: StoredReferences,
  { isAggregate = false } = {},
): readonly InputPort[] {
  return templateIn(stored).fields.map((field) => ({
    name: field.code,
    type: PORT_TYPES[field.type],
    label: field.code,
    required: mustBeGiven(field) && !isAggregate ? ("if_connected" as const) : false,
    ...(field.type === "text" ? { accepts: ["number", "boolean"] as const } : {}),
  }));
}

function mustBeGiven({ required, has_default: hasDefault }: ReferencedField): boolean {
  return required && !hasDefault;
}

/** PDF/X-4 needs a color profile. */
export function printIssues(params: TemplateParams): ParameterIssue[] {
  return params.pdf_export_mode === "pdfx4" && params.color_profile_guid === undefined
    ? [
        {
          code: "INVALID_PARAMETER",
          path: PROFILE_PATH,
          message:
            "PDF/X-4 needs a color profile. Name one of the workspace in color_profile_guid, or leave pdf_export_mode out.",
        },
      ]
    : [];
}

/** Pages that are copied from other PDFs are not PDF/X-4: their fonts and colors are as they are. */
export function copiedPdfIssues(
  params: TemplateParams,
  connected: readonly ConnectedPort[],
): ParameterIssue[] {
  const copied = connected.find(({ port }) => port === "introPdf" || port === "outroPdf");
  return params.pdf_export_mode === "pdfx4" && copied !== undefined
    ? [
        {
          code: "INVALID_PARAMETER",
          path: "pdf_export_mode",
          message: `A PDF/X-4 cannot contain the pages of another PDF. Disconnect ${copied.port}, or leave pdf_export_mode out.`,
        },
      ]
    : [];
}

/** Fields that must be given and are not connected, for nodes whose values come from ports only. */
export function unconnectedFields(
  connected: readonly ConnectedPort[],
  stored: StoredReferences,
): ParameterIssue[] {
  const ports = new Set(connected.map(({ port }) => port));
  return templateIn(stored)
    .fields.filter((field) => mustBeGiven(field) && !ports.has(field.code))
    .map(({ code }) => ({
      code: "template_field_not_connected",
      path: "template_id",
      message: `The field "${code}" of the template is required, has no default, and nothing is connected to it.`,
    }));
}

/** A render of all pages; nodes with more options replace some. */
export function renderOptions(params: TemplateParams, stored: StoredReferences): RenderOptions {
  const profile = stored.get(PROFILE_PATH)?.content as ReferencedColorProfile | undefined;
  return {
    missing_policy: params.missing_policy,
    overflow_policy: params.overflow_policy,
    max_repeat: params.max_repeat ?? null,
    page_selection: "all",
    pdf_export_mode: params.pdf_export_mode,
    color_profile_guid: params.color_profile_guid ?? null,
    ...(profile !== undefined && { color_profile: profile }),
    max_page_dimension: PAGE_IMAGE_SIDE,
  };
}
