import {
  defaultAddress,
  defaultAssetPath,
  extensionsOf,
  mediaInputParameters,
  parseMediaAddress,
} from "../../contracts/media-input.ts";
import { FileRef } from "../../lib/file-ref.ts";
import { defineNode } from "../define-node.ts";

export const inputModel3d = defineNode({
  type: "input/model3d",
  version: "1.0",
  name: "3D model",
  description: "A 3D model that the caller sends: an uploaded file, or a public address.",
  whenToUse: "For models that a workflow passes through.",
  subCategory: "media",
  status: "stable",
  icon: "cube",
  color: "#2563eb",
  inputs: [],
  outputs: [{ name: "model3d", type: "model3d", label: "3D model" }],
  params: mediaInputParameters,
  role: "input",
  inputKind: "model3d",
  files: { extensions: extensionsOf("model3d"), isOnly: false, defaultPath: defaultAssetPath },
  isRequired: ({ required }) => required,
  defaultValue: defaultAddress,
  parse: (value) => parseMediaAddress(value, "model3d"),
  timeLimitMs: 150_000,
  // A part of the file on its way in, and one on its way out.
  memoryBytes: 12 * 1024 * 1024,
  async run(ctx, inputs) {
    const submitted = inputs.get("value");
    const file =
      submitted instanceof FileRef
        ? submitted
        : await ctx.media.fetch(inputs.text("value"), "model3d");
    return new Map([["model3d", file]]);
  },
});
