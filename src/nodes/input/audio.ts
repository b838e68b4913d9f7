import {
  defaultAddress,
  defaultAssetPath,
  extensionsOf,
  mediaInputParameters,
  parseMediaAddress,
} from "../../contracts/media-input.ts";
import { FileRef } from "../../lib/file-ref.ts";
import { defineNode } from "../define-node.ts";

export const inputAudio = defineNode({
  type: "input/audio",
  version: "1.0",
  name: "Audio",
  description: "A sound file that the caller sends: an uploaded file, or a public address.",
  whenToUse: "For speech, music and sounds that a workflow works on or passes through.",
  subCategory: "media",
  status: "stable",
  icon: "audio",
  color: "#2563eb",
  inputs: [],
  outputs: [{ name: "audio", type: "audio", label: "Audio" }],
  params: mediaInputParameters,
  role: "input",
  inputKind: "audio",
  files: { extensions: extensionsOf("audio"), isOnly: false, defaultPath: defaultAssetPath },
  isRequired: ({ required }) => required,
  defaultValue: defaultAddress,
  parse: (value) => parseMediaAddress(value, "audio"),
  timeLimitMs: 150_000,
  // A part of the file on its way in, and one on its way out.
  memoryBytes: 12 * 1024 * 1024,
  async run(ctx, inputs) {
    const submitted = inputs.get("value");
    const file =
      submitted instanceof FileRef
        ? submitted
        : await ctx.media.fetch(inputs.text("value"), "audio");
    return new Map([["audio", file]]);
  },
});
