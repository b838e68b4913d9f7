import * as z from "zod";
import { outputParameters } from "../../contracts/workflows/node-parameters.ts";
import { fileBaseName } from "../../lib/files/file-base-name.ts";
import type { FileRef } from "../../lib/files/file-ref.ts";
import { renamedFile } from "../../lib/files/renamed-file.ts";
import { defineMovableNode } from "../define-node.ts";
import type { NodeOutputs } from "../define-ports.ts";
import { PICTURE_TYPES } from "../define-pictures.ts";

const params = z.strictObject({
  ...outputParameters,
  format: z.enum(["original", "png", "jpg", "webp"]).default("original").meta({
    title: "Format",
    description:
      "original keeps the file unchanged, and so does the format that the file already has. Otherwise the picture is converted: an SVG is drawn with 2048 px on its longest side, jpg gets a white background, webp is lossy with exact transparency, and a GIF gives its first frame.",
  }),
  quality: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .meta({
      title: "Quality",
      description:
        "1 to 100, for jpg (default 85) and webp (default 80). When it is set, a file that already has the format is encoded again.",
      advanced: true,
      exposable: true,
      visible_when: { parameter: "format", value: ["jpg", "webp"] },
    }),
});

export const outputImage = defineMovableNode({
  type: "output/image",
  version: "3.0",
  name: "Image output",
  description: "Returns a picture as a file of the result, optionally converted.",
  whenToUse: "At the end of a workflow, for each picture that the caller should get.",
  subCategory: "media",
  status: "stable",
  icon: "image",
  color: "#16a34a",
  inputs: [{ name: "image", type: "image", label: "Image" }],
  outputs: [],
  params,
  role: "output",
  // An unchanged file is passed on inline; only a conversion needs the runner.
  placement: ({ format }) => (format === "original" ? "inline" : "task"),
  timeLimitMs: 60_000,
  needs: ["files", "images"],
  runInline: (_ctx, inputs, { file_name: fileName }) => untouched(inputs.file("image"), fileName),
  async run(ctx, inputs, { format, quality, file_name: fileName }) {
    const file = inputs.file("image");
    const isWanted = format === "original" || file.contentType === PICTURE_TYPES[format];
    if (isWanted && (quality === undefined || format === "original" || format === "png")) {
      return untouched(file, fileName);
    }
    const name = `${fileBaseName(fileName ?? file.name)}.${format}`;
    // Rows are streamed: neither the pixels nor the new file are held as a whole.
    const bytes = await ctx.images.convert(await ctx.files.read(file), file.contentType, format, {
      quality,
    });
    return new Map([["value", await ctx.files.write(name, PICTURE_TYPES[format], bytes)]]);
  },
});

function untouched(file: FileRef, fileName: string | undefined): NodeOutputs {
  return new Map([["value", renamedFile(file, fileName)]]);
}
