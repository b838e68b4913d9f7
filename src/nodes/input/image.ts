import {
  defaultAddress,
  defaultAssetPath,
  extensionsOf,
  mediaInputParameters,
  parseMediaAddress,
} from "../../contracts/media-input.ts";
import { FileRef } from "../../lib/file-ref.ts";
import { defineNode } from "../define-node.ts";

export const inputImage = defineNode({
  type: "input/image",
  version: "1.0",
  name: "Image",
  description: "A picture that the caller sends: an uploaded file, or a public address.",
  whenToUse: "For pictures that a workflow works on or passes through.",
  subCategory: "media",
  status: "stable",
  icon: "image",
  color: "#2563eb",
  inputs: [],
  outputs: [{ name: "image", type: "image", label: "Image" }],
  params: mediaInputParameters,
  role: "input",
  inputKind: "image",
  files: { extensions: extensionsOf("image"), isOnly: false, defaultPath: defaultAssetPath },
  isRequired: ({ required }) => required,
  defaultValue: defaultAddress,
  parse: (value) => parseMediaAddress(value, "image"),
  timeLimitMs: 150_000,
  // A part of the file on its way in, and one on its way out.
  memoryBytes: 12 * 1024 * 1024,
  async run(ctx, inputs) {
    const submitted = inputs.get("value");
    const file =
      submitted instanceof FileRef
        ? submitted
        : await ctx.media.fetch(inputs.text("value"), "image");
    return new Map([["image", file]]);
  },
});
