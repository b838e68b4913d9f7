import {
  defaultAddress,
  defaultAssetPath,
  extensionsOf,
  mediaInputParameters,
  parseMediaAddress,
} from "../../contracts/media-input.ts";
import { FileRef } from "../../lib/file-ref.ts";
import { defineNode } from "../define-node.ts";

export const inputVideo = defineNode({
  type: "input/video",
  version: "1.0",
  name: "Video",
  description: "A video that the caller sends: an uploaded file, or a public address.",
  whenToUse: "For videos that a workflow works on or passes through.",
  subCategory: "media",
  status: "stable",
  icon: "video",
  color: "#2563eb",
  inputs: [],
  outputs: [{ name: "video", type: "video", label: "Video" }],
  params: mediaInputParameters,
  role: "input",
  inputKind: "video",
  files: { extensions: extensionsOf("video"), isOnly: false, defaultPath: defaultAssetPath },
  isRequired: ({ required }) => required,
  defaultValue: defaultAddress,
  parse: (value) => parseMediaAddress(value, "video"),
  timeLimitMs: 150_000,
  // A part of the file on its way in, and one on its way out.
  memoryBytes: 12 * 1024 * 1024,
  async run(ctx, inputs) {
    const submitted = inputs.get("value");
    const file =
      submitted instanceof FileRef
        ? submitted
        : await ctx.media.fetch(inputs.text("value"), "video");
    return new Map([["video", file]]);
  },
});
