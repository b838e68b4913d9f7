import * as z from "zod";
import { MEDIA_KIND_NAMES, type MediaKind, mediaKind } from "../../contracts/media/media-kinds.ts";
import { outputParameters } from "../../contracts/workflows/node-parameters.ts";
import { renamedFile } from "../../lib/files/renamed-file.ts";
import { defineNode } from "../define-node.ts";

/** An output for each kind of media that is returned unchanged. */
export const mediaOutputs = MEDIA_KIND_NAMES.flatMap((kind) => {
  const { output } = mediaKind(kind);
  return output === undefined ? [] : [mediaOutput(kind, output)];
});

function mediaOutput(
  kind: MediaKind,
  words: { readonly description: string; readonly whenToUse: string },
) {
  const { label, icon } = mediaKind(kind);
  return defineNode({
    type: `output/${kind}`,
    version: "1.0",
    name: `${label} output`,
    ...words,
    icon: icon.name,
    subCategory: "media",
    status: "stable",
    color: "#16a34a",
    inputs: [{ name: kind, type: kind, label }],
    outputs: [],
    params: z.strictObject(outputParameters),
    role: "output",
    placement: "inline",
    run: (_ctx, inputs, { file_name: fileName }) =>
      new Map([["value", renamedFile(inputs.file(kind), fileName)]]),
  });
}
