import { defineMediaInput } from "../define-media-input.ts";

export const inputDocument = defineMediaInput("document", {
  name: "Document",
  description: "A document that the caller sends: an uploaded file, or a public address.",
  whenToUse:
    "For PDFs, texts and tables that are handed on as files. For the rows of a table use input/data.",
  icon: "file",
});
