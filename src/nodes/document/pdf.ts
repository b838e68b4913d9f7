import * as z from "zod";
import { defineNode } from "../define-node.ts";
import { valuesOfFields } from "../define-template-values.ts";
import {
  fieldPorts,
  printIssues,
  renderOptions,
  templateParameterIssue,
  templateParameters,
  templateReferences,
  templateToPrint,
  unconnectedFields,
} from "../define-template.ts";

/** Prints a revision or the draft of a template as a PDF (docs/contract/templates.md#nodes). */
export const documentPdf = defineNode({
  type: "document/pdf",
  version: "1.3",
  name: "PDF of a template",
  description: "Prints a design template as a PDF, with an input port for each of its fields.",
  whenToUse:
    "For a PDF for each item, such as an invoice. For one PDF of all items, use aggregate/pdf; for page images and checks, design/template_render.",
  subCategory: "documents",
  status: "stable",
  icon: "file-text",
  color: "#db2777",
  inputs: [],
  outputs: [{ name: "document", type: "document", label: "PDF" }],
  params: z.strictObject(templateParameters),
  references: (params) => templateReferences(params, "draft"),
  parameterIssue: templateParameterIssue,
  dynamicPorts: {
    hasStoredInputs: true,
    descriptors: [],
    resolve: (_params, stored) => ({ inputs: fieldPorts(stored) }),
  },
  check: (params, connected, stored) => [
    ...printIssues(params),
    ...unconnectedFields(connected, stored),
  ],
  role: "transform",
  placement: "task",
  needs: ["templates"],
  timeLimitMs: 180_000,
  async run(ctx, inputs, params) {
    const template = templateToPrint(ctx.references);
    const { pdf } = await ctx.templates.render({
      template,
      options: renderOptions(params, ctx.references),
      fileName: params.file_name,
      values: valuesOfFields(template, inputs),
      output: "pdf",
      isReferred: false,
    });
    return pdf === null ? new Map() : new Map([["document", pdf]]);
  },
});
