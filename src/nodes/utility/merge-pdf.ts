import * as z from "zod";
import { fileNameParameter } from "../../contracts/workflows/node-parameters.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { defineNode } from "../define-node.ts";

/** Joins whole documents (docs/contract/templates.md#nodes). */
export const utilityMergePdf = defineNode({
  type: "utility/merge_pdf",
  version: "1.1",
  name: "Merge PDFs",
  description: "Joins PDF documents into one, in the order of the connections.",
  whenToUse:
    "To put a cover, terms or an appendix around a document. To make one PDF of the items of an iteration, use aggregate/pdf.",
  subCategory: "documents",
  status: "stable",
  icon: "files",
  color: "#0891b2",
  inputs: [
    {
      name: "documents",
      type: "document",
      label: "Documents",
      list: { minCount: 1, maxCount: 50, compact: true },
    },
  ],
  outputs: [{ name: "document", type: "document", label: "PDF" }],
  params: z.strictObject({ file_name: fileNameParameter("merged.pdf") }),
  iterated: {
    code: "MERGE_PDF_ITERATED",
    message: "utility/merge_pdf joins fixed documents, but this input has one for each item.",
  },
  role: "transform",
  placement: "task",
  needs: ["documents"],
  timeLimitMs: 120_000,
  async run(ctx, inputs, { file_name: fileName }) {
    const documents = inputs.list("documents").filter((value) => value instanceof FileRef);
    return new Map([["document", await ctx.documents.merge(documents, fileName)]]);
  },
});
