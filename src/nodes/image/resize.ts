import * as z from "zod";
import { integerField } from "../../contracts/workflows/node-parameters.ts";
import { Fit } from "../../contracts/models/picture-edits.ts";
import { fileBaseName } from "../../lib/files/file-base-name.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { defineNode } from "../define-node.ts";
import type { RunValue } from "../define-ports.ts";
import { backgroundField, backgroundOf, PICTURE_TYPES } from "../define-pictures.ts";

const side = () => integerField(1, LIMITS.resized_side.value).optional();

const params = z.strictObject({
  width: side().meta({
    title: "Width",
    description: "In px. Without it, it follows from the height, in proportion.",
    exposable: true,
  }),
  height: side().meta({
    title: "Height",
    description: "In px. Without it, it follows from the width, in proportion.",
    exposable: true,
  }),
  fit: Fit.default("contain").meta({
    title: "Fit",
    description:
      "With both sides: contain shows the whole picture and fills the rest with the background, cover fills the size and crops what is outside, stretch ignores the proportions, inside is contain without the background.",
    exposable: true,
  }),
  background: backgroundField.default("transparent").meta({
    title: "Background",
    description:
      "Around the picture, and behind its transparent parts: a color, or transparent. A JPEG becomes a PNG if anything around it is transparent.",
    exposable: true,
    visible_when: { parameter: "fit", value: "contain" },
  }),
});

/** Pictures in another size (docs/contract/pictures.md#resizing). */
export const imageResize = defineNode({
  type: "image/resize",
  version: "3.0",
  name: "Resize image",
  description:
    "Scales a picture to a width, a height, or both. PNG, JPEG and WebP keep their format; other pictures become PNG.",
  whenToUse:
    "To bring pictures to one size, to crop them to a format, or to make large photographs small. image/convert changes only the format.",
  subCategory: "edit",
  status: "stable",
  icon: "scaling",
  color: "#7c3aed",
  inputs: [{ name: "image", type: "image", label: "Image" }],
  outputs: [
    { name: "image", type: "image", label: "Image" },
    { name: "width", type: "number", label: "Width" },
    { name: "height", type: "number", label: "Height" },
  ],
  params,
  check: ({ width, height }) =>
    width === undefined && height === undefined
      ? [
          {
            code: "INVALID_PARAMETER",
            path: "width",
            message: "image/resize needs a width, a height, or both.",
            suggestion: "Set width or height to 1 to 8192 px.",
          },
        ]
      : [],
  role: "transform",
  placement: "task",
  needs: ["files", "images"],
  timeLimitMs: 60_000,
  cost: { unit: "image", milliCredits: 10 },
  async run(ctx, inputs, { background, ...request }) {
    const file = inputs.file("image");
    // Rows are streamed: neither the pixels nor the new file are held as a whole.
    const resized = await ctx.images.resize(await ctx.files.read(file), file.contentType, {
      ...request,
      background: backgroundOf(background),
    });
    const { format, width, height } = resized;
    const name = `${fileBaseName(file.name)}.${format}`;
    return new Map<string, RunValue>([
      ["image", await ctx.files.write(name, PICTURE_TYPES[format], resized.bytes)],
      ["width", width],
      ["height", height],
    ]);
  },
});
