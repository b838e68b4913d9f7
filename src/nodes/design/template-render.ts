import * as z from "zod";
import { integerField } from "../../contracts/workflows/node-parameters.ts";
import { asJson } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { defineNode } from "../define-node.ts";
import type { ParameterIssue, RunValue } from "../define-ports.ts";
import { pagesManifest, qualityOf } from "../define-template-results.ts";
import { DATA_PORTS, valuesOfInputs } from "../define-template-values.ts";
import {
  fieldPorts,
  PAGE_IMAGE_SIDE,
  printIssues,
  renderOptions,
  templateParameterIssue,
  templateParameters,
  templateReferences,
  templateToPrint,
} from "../define-template.ts";

const { file_name: fileName, ...shared } = templateParameters;

/** More than one page is selected by a range or a list; `all` may be a single page. */
function selectsSeveral(selection: string): boolean {
  return /[-,]/.test(selection) && new Set(selection.split(/[-,]/)).size > 1;
}

/** Prints revisions of templates (docs/contract/templates.md#nodes). */
export const designTemplateRender = defineNode({
  type: "design/template_render",
  version: "1.3",
  name: "Print a template",
  description:
    "Prints a published design template with values, as a PDF and as page images, with a report of what did not fit.",
  whenToUse:
    "If the print must be checked, or page images are needed. For a PDF only, document/pdf is shorter; for one PDF of many items, use aggregate/pdf.",
  subCategory: "documents",
  status: "stable",
  icon: "file-image",
  color: "#db2777",
  inputs: [
    { name: "data", type: "json", required: false, label: "Data" },
    { name: "assets", type: "json", required: false, label: "Pictures" },
  ],
  outputs: [
    { name: "pdf", type: "document", optional: true, label: "PDF" },
    { name: "image", type: "image", optional: true, label: "First page" },
    {
      name: "pages_manifest",
      type: "json",
      label: "Pages",
      schemaRef: "svc.design-pages-manifest/v1",
    },
    {
      name: "layout_report",
      type: "json",
      label: "Layout report",
      schemaRef: "svc.template-layout-report/v1",
    },
    {
      name: "quality_check",
      type: "json",
      label: "Quality check",
      schemaRef: "svc.quality-check/v1",
    },
  ],
  params: z.strictObject({
    ...shared,
    output: z.enum(["pdf", "image", "both", "pages"]).default("pdf").meta({
      title: "Output",
      description: "The PDF, the image of one page, images of all selected pages, or both.",
    }),
    page_selection: z
      .string()
      .regex(/^(?:all|\d{1,9}(?:-\d{1,9})?(?:,\d{1,9}(?:-\d{1,9})?)*)$/, {
        error: "Must be all, or page numbers such as 1, 1-3 or 1,3-5",
      })
      .max(LIMITS.page_selection.value)
      .default("all")
      .meta({ title: "Pages", description: "Pages that are printed: `all`, `1`, `1-3`, `1,3-5`." }),
    max_page_dimension: integerField(LIMITS.page_image_side_min.value, LIMITS.page_image_side.value)
      .default(PAGE_IMAGE_SIDE)
      .meta({
        title: "Longest side",
        description: "Longest side of page images in pixels.",
        advanced: true,
      }),
    file_name: fileName,
  }),
  references: (params) => templateReferences(params, "current"),
  parameterIssue: templateParameterIssue,
  dynamicPorts: {
    hasStoredInputs: true,
    descriptors: [
      {
        derivation: "positional",
        direction: "input",
        name_pattern: "data_{index}",
        index_base: 0,
        port_type: "json",
        min_count: 0,
        max_count: DATA_PORTS.length,
        mode: "optional",
      },
    ],
    resolve: (_params, stored) => ({
      inputs: [
        ...DATA_PORTS.map((name) => ({ name, type: "json" as const, required: false })),
        ...fieldPorts(stored),
      ],
    }),
  },
  check(params) {
    const issues: ParameterIssue[] = printIssues(params);
    if (params.output === "image" && selectsSeveral(params.page_selection)) {
      issues.push({
        code: "INVALID_PARAMETER",
        path: "page_selection",
        message: "An image shows one page. Select one page, or set output to pages.",
      });
    }
    return issues;
  },
  role: "transform",
  placement: "task",
  needs: ["templates"],
  timeLimitMs: 180_000,
  async run(ctx, inputs, params) {
    const template = templateToPrint(ctx.references);
    const isReferred = ctx.unreadPorts?.has("pages_manifest") !== true;
    const rendered = await ctx.templates.render({
      template,
      options: {
        ...renderOptions(params, ctx.references),
        page_selection: params.page_selection,
        max_page_dimension: params.max_page_dimension,
      },
      fileName: params.file_name,
      values: valuesOfInputs(template, inputs),
      output: params.output,
      isReferred,
    });
    const { report, pdf, pages } = rendered;
    const outputs = new Map<string, RunValue>([
      ["layout_report", asJson(report)],
      ["quality_check", asJson(qualityOf(report, template.name))],
    ]);
    if (isReferred) {
      outputs.set("pages_manifest", asJson(pagesManifest(rendered)));
    }
    if (pdf !== null) {
      outputs.set("pdf", pdf);
    }
    const image = pages[0]?.image?.file;
    if (image !== undefined) {
      outputs.set("image", image);
    }
    return outputs;
  },
});
