import { aggregatePdf } from "./aggregate/pdf.ts";
import type { NodeType } from "./define-roles.ts";
import { designTemplateRender } from "./design/template-render.ts";
import { documentPdf } from "./document/pdf.ts";
import { utilityMergePdf } from "./utility/merge-pdf.ts";

/**
 * The node types whose tasks run in the renderer, a list of its own so that the renderer's bundle contains no other
 * nodes and what they import. A test compares the list with what nodes need.
 */
export const RENDERER_NODES: readonly NodeType[] = [
  aggregatePdf,
  designTemplateRender,
  documentPdf,
  utilityMergePdf,
];
