import * as z from "zod";
import { aggregateParameters } from "../../contracts/workflows/node-parameters.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { defineNode } from "../define-node.ts";
import type { NodeInputs, RunValue } from "../define-ports.ts";
import { valuesOfFields } from "../define-template-values.ts";
import {
  fieldPorts,
  copiedPdfIssues,
  printIssues,
  renderOptions,
  templateParameterIssue,
  templateParameters,
  templateReferences,
  templateToPrint,
  unconnectedFields,
} from "../define-template.ts";

function fileAt(inputs: NodeInputs, port: string): FileRef | undefined {
  const value = inputs.get(port);
  return value instanceof FileRef ? value : undefined;
}

/** Prints a template for each element, as one PDF (docs/contract/templates.md#nodes). */
export const aggregatePdf = defineNode({
  type: "aggregate/pdf",
  version: "1.3",
  name: "One PDF of all items",
  description:
    "Prints a design template for each item of an iteration and joins the pages in one PDF, in index order.",
  whenToUse:
    "To end an iteration with one document, such as a catalog, with a cover at introPdf and a last part at outroPdf.",
  subCategory: "iteration",
  status: "stable",
  icon: "book-open",
  color: "#7c3aed",
  inputs: [
    { name: "introPdf", type: "document", required: false, once: true, label: "First pages" },
    { name: "outroPdf", type: "document", required: false, once: true, label: "Last pages" },
  ],
  outputs: [
    { name: "document", type: "document", optional: true, label: "PDF" },
    { name: "count", type: "number", label: "Items" },
  ],
  params: z.strictObject({ ...templateParameters, ...aggregateParameters }),
  references: (params) => templateReferences(params, "draft"),
  parameterIssue: templateParameterIssue,
  dynamicPorts: {
    hasStoredInputs: true,
    descriptors: [],
    resolve: (_params, stored) => ({ inputs: fieldPorts(stored, { isAggregate: true }) }),
  },
  check: (params, connected, stored) => [
    ...printIssues(params),
    ...copiedPdfIssues(params, connected),
    ...unconnectedFields(connected, stored),
  ],
  role: "aggregator",
  variesCode: "invalid_dynamic_config",
  placement: "task",
  needs: ["templates"],
  timeLimitMs: 900_000,
  collapse: ({ collapse }) => collapse,
  onFailedItems: ({ on_failed_items: onFailedItems }) => onFailedItems,
  async combine(ctx, elements, once, params) {
    const template = templateToPrint(ctx.references);
    async function* documents() {
      for await (const inputs of elements) {
        yield valuesOfFields(template, inputs);
      }
    }
    const { document, count } = await ctx.templates.collect({
      template,
      options: renderOptions(params, ctx.references),
      fileName: params.file_name,
      documents: documents(),
      intro: fileAt(once, "introPdf"),
      outro: fileAt(once, "outroPdf"),
    });
    const outputs = new Map<string, RunValue>([["count", count]]);
    if (document !== undefined) {
      outputs.set("document", document);
    }
    return outputs;
  },
});
