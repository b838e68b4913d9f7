import * as z from "zod";
import { defineNode } from "../../../src/nodes/define-node.ts";
import type { NodeType } from "../../../src/nodes/define-roles.ts";

/** A tool that only the second Worker has. */
export interface PageTools {
  draw(text: string): string;
}

/** Requires it, by a name that no real tool has. */
export const PAGE_NODE: NodeType = defineNode({
  type: "test/page",
  version: "1.0",
  name: "Page",
  description: "Draws a page.",
  whenToUse: "In tests.",
  status: "stable",
  icon: "test",
  color: "#000000",
  inputs: [],
  outputs: [],
  params: z.strictObject({ text: z.string() }),
  role: "transform",
  placement: "task",
  needs: ["pages" as never],
  memoryBytes: 1_024,
  run: (ctx, _inputs, { text }) =>
    new Map([["page", (ctx as unknown as { readonly pages: PageTools }).pages.draw(text)]]),
});
