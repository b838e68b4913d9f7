import { z } from "zod";
import { outputParameters } from "../../contracts/node-parameters.ts";
import { fileBaseName } from "../../lib/file-base-name.ts";
import { NodeError } from "../../lib/node-error.ts";
import { renamedFile } from "../../lib/renamed-file.ts";
import { defineNode, type TaskContext } from "../define-node.ts";

/** Nodes that need pixels get an SVG this large, on a transparent ground (spec 1 §4.3). */
const SVG_LONGEST_SIDE_PX = 2_048;

const params = z.strictObject({
  ...outputParameters,
  format: z.enum(["original", "png"]).default("original").meta({
    title: "Format",
    description:
      "original keeps the file as it is; png converts an SVG, 2048 px on its longest side.",
  }),
});

export const outputImage = defineNode({
  type: "output/image",
  version: "1.0",
  name: "Image output",
  description: "Hands a picture out as a file of the result.",
  whenToUse: "At the end of a workflow, for each picture that the caller should get.",
  subCategory: "media",
  status: "stable",
  icon: "image",
  color: "#16a34a",
  inputs: [{ name: "image", type: "image", label: "Image" }],
  outputs: [],
  params,
  role: "output",
  // The file itself passes through untouched; only a conversion needs the runner.
  placement: ({ format }) => (format === "original" ? "inline" : "task"),
  timeLimitMs: 60_000,
  // The drawn raster, its copy and the filtered rows of the PNG, 4 bytes a pixel each.
  memoryBytes: 12 * SVG_LONGEST_SIDE_PX ** 2,
  async run(ctx, inputs, { format, file_name: fileName }) {
    const file = inputs.file("image");
    if (format === "original" || file.contentType === "image/png") {
      return new Map([["value", renamedFile(file, fileName)]]);
    }
    const bytes = await ctx.files.read(file);
    const { rgba, width, height } =
      file.contentType === "image/svg+xml"
        ? await ctx.images.drawSvg(utf8(bytes), SVG_LONGEST_SIDE_PX)
        : await decode(ctx, bytes, file.contentType);
    const png = await ctx.images.encodePng(rgba, width, height);
    const name = `${fileBaseName(fileName ?? file.name)}.png`;
    return new Map([["value", await ctx.files.write(name, "image/png", png)]]);
  },
});

function decode(
  ctx: TaskContext,
  bytes: Uint8Array,
  contentType: string,
): ReturnType<TaskContext["images"]["decode"]> {
  if (contentType.startsWith("image/")) {
    return ctx.images.decode(bytes);
  }
  throw new NodeError("TYPE_MISMATCH", `An image was expected, got a file of type ${contentType}.`);
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch (cause) {
    throw new NodeError("SVG_UNDRAWABLE", "The SVG is not UTF-8. Save it as UTF-8.", { cause });
  }
}
