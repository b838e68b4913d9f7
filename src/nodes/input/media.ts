import {
  defaultAddress,
  defaultAssetPath,
  extensionsOf,
  mediaInputParameters,
  parseMediaAddress,
} from "../../contracts/media/media-input.ts";
import { MEDIA_KIND_NAMES, type MediaKind, mediaKind } from "../../contracts/media/media-kinds.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { defineNode } from "../define-node.ts";

/**
 * An input for each kind of media: an uploaded file or a public https address (docs/contract/executions.md#inputs), on
 * a port named after the kind.
 */
export const mediaInputs = MEDIA_KIND_NAMES.map(mediaInput);

function mediaInput(kind: MediaKind) {
  const { label, input, icon } = mediaKind(kind);
  return defineNode({
    type: `input/${kind}`,
    version: "1.0",
    name: label,
    ...input,
    icon: icon.name,
    subCategory: "media",
    status: "stable",
    color: "#2563eb",
    inputs: [],
    outputs: [{ name: kind, type: kind, label }],
    params: mediaInputParameters,
    role: "input",
    inputKind: kind,
    files: { extensions: extensionsOf(kind), isOnly: false, defaultPath: defaultAssetPath },
    isRequired: ({ required }) => required,
    defaultValue: defaultAddress,
    parse: (value) => parseMediaAddress(value, kind),
    needs: ["fetch"],
    timeLimitMs: 150_000,
    async run(ctx, inputs) {
      const submitted = inputs.get("value");
      const file =
        submitted instanceof FileRef ? submitted : await ctx.fetch(inputs.text("value"), kind);
      return new Map([[kind, file]]);
    },
  });
}
