import * as z from "zod";
import { MEDIA_KIND_NAMES } from "../../contracts/media/media-kinds.ts";
import { defineNode } from "../define-node.ts";

const params = z.strictObject({
  media_type: z.enum(MEDIA_KIND_NAMES).meta({
    title: "Media type",
    description: "The expected media type; any other type fails the node.",
  }),
});

export const utilityMediaFromUrl = defineNode({
  type: "utility/media_from_url",
  version: "1.2",
  name: "Media from an address",
  description:
    "Fetches a public https address, or takes a stored file (`storage://`), and passes the file on.",
  whenToUse:
    "If rows or texts contain addresses of files, such as the pages of a pages_manifest. For a single file of the caller, use an input.",
  subCategory: "media",
  status: "stable",
  icon: "download",
  color: "#0891b2",
  inputs: [{ name: "url", type: "url", label: "Address", accepts: ["text"] }],
  outputs: [{ name: "media", type: "any", label: "Media" }],
  params,
  dynamicPorts: {
    descriptors: [
      { derivation: "typed", direction: "output", parameter: "media_type", port: "media" },
    ],
    resolve: ({ media_type: type }) => ({
      without: ["media"],
      outputs: [{ name: "media", type, label: "Media" }],
    }),
  },
  role: "transform",
  placement: "task",
  needs: ["fetch"],
  timeLimitMs: 150_000,
  async run(ctx, inputs, { media_type: kind }) {
    return new Map([["media", await ctx.fetch(inputs.text("url"), kind)]]);
  },
});
