import { z } from "zod";
import { outputParameters } from "../../contracts/node-parameters.ts";
import { renamedFile } from "../../lib/renamed-file.ts";
import { defineNode } from "../define-node.ts";

export const outputDocument = defineNode({
  type: "output/document",
  version: "1.0",
  name: "Document output",
  description: "Hands a document out as a file of the result.",
  whenToUse: "At the end of a workflow, for each PDF, text or table that the caller should get.",
  subCategory: "media",
  status: "stable",
  icon: "file",
  color: "#16a34a",
  inputs: [{ name: "document", type: "document", label: "Document" }],
  outputs: [],
  params: z.strictObject(outputParameters),
  role: "output",
  placement: "inline",
  run: (_ctx, inputs, { file_name: fileName }) =>
    new Map([["value", renamedFile(inputs.file("document"), fileName)]]),
});
