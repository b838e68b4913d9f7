import {
  defaultAddress,
  defaultAssetPath,
  extensionsOf,
  mediaInputParameters,
  parseMediaAddress,
} from "../../contracts/media-input.ts";
import { FileRef } from "../../lib/file-ref.ts";
import { defineNode } from "../define-node.ts";

export const inputDocument = defineNode({
  type: "input/document",
  version: "1.0",
  name: "Document",
  description: "A document that the caller sends: an uploaded file, or a public address.",
  whenToUse:
    "For PDFs, texts and tables that are handed on as files. For the rows of a table use input/data.",
  subCategory: "media",
  status: "stable",
  icon: "file",
  color: "#2563eb",
  inputs: [],
  outputs: [{ name: "document", type: "document", label: "Document" }],
  params: mediaInputParameters,
  role: "input",
  inputKind: "document",
  files: { extensions: extensionsOf("document"), isOnly: false, defaultPath: defaultAssetPath },
  isRequired: ({ required }) => required,
  defaultValue: defaultAddress,
  parse: (value) => parseMediaAddress(value, "document"),
  timeLimitMs: 150_000,
  // A part of the file on its way in, and one on its way out.
  memoryBytes: 12 * 1024 * 1024,
  async run(ctx, inputs) {
    const submitted = inputs.get("value");
    const file =
      submitted instanceof FileRef
        ? submitted
        : await ctx.media.fetch(inputs.text("value"), "document");
    return new Map([["document", file]]);
  },
});
