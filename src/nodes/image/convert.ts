import * as z from "zod";
import { integerField } from "../../contracts/workflows/node-parameters.ts";
import { fileBaseName } from "../../lib/files/file-base-name.ts";
import { defineNode } from "../define-node.ts";
import { backgroundField, backgroundOf, PICTURE_TYPES } from "../define-pictures.ts";

const params = z.strictObject({
  format: z.enum(["png", "jpg", "webp"]).default("png").meta({
    title: "Format",
    description:
      "png is lossless, webp is lossy with exact transparency, and jpg has no transparency. A file that has the format, is upright, and is given neither quality nor background stays as it is, with its metadata.",
    exposable: true,
  }),
  quality: integerField(1, 100)
    .optional()
    .meta({
      title: "Quality",
      description: "1 to 100, for jpg (default 85) and webp (default 80).",
      exposable: true,
      visible_when: { parameter: "format", value: ["jpg", "webp"] },
    }),
  background: backgroundField.optional().meta({
    title: "Background",
    description:
      "The color behind transparent parts. The default is white for jpg, and no background for png and webp.",
    exposable: true,
  }),
});

/** Pictures in another format (docs/contract/pictures.md#converting). */
export const imageConvert = defineNode({
  type: "image/convert",
  version: "3.0",
  name: "Convert image",
  description: "Writes a picture as PNG, JPEG or WebP, upright and without metadata.",
  whenToUse:
    "To give another node or a caller the format that it takes, to make a file smaller, or to put a color behind transparent parts.",
  subCategory: "edit",
  status: "stable",
  icon: "image-down",
  color: "#7c3aed",
  inputs: [{ name: "image", type: "image", label: "Image" }],
  outputs: [{ name: "image", type: "image", label: "Image" }],
  params,
  role: "transform",
  placement: "task",
  needs: ["files", "images"],
  timeLimitMs: 60_000,
  cost: { unit: "image", milliCredits: 10 },
  async run(ctx, inputs, { format, quality, background }) {
    const file = inputs.file("image");
    const bytes = await ctx.files.read(file);
    const isAsked = quality !== undefined || background !== undefined;
    if (
      !isAsked &&
      file.contentType === PICTURE_TYPES[format] &&
      (await ctx.images.isUpright(bytes))
    ) {
      return new Map([["image", file]]);
    }
    const converted = await ctx.images.convert(bytes, file.contentType, format, {
      quality,
      background: backgroundOf(background),
    });
    const name = `${fileBaseName(file.name)}.${format}`;
    return new Map([["image", await ctx.files.write(name, PICTURE_TYPES[format], converted)]]);
  },
});
