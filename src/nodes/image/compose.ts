import * as z from "zod";
import { decimalField, integerField } from "../../contracts/workflows/node-parameters.ts";
import { fileBaseName } from "../../lib/files/file-base-name.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { defineNode } from "../define-node.ts";

const LAYERS_MAX = LIMITS.composed_layers.value;
/** Beyond every picture, so that any position inside and outside can be written. */
const OFFSET_MAX = 65_536;

const side = () => integerField(1, LIMITS.resized_side.value).optional();
const offset = () => integerField(-OFFSET_MAX, OFFSET_MAX).default(0);
const opacity = decimalField(0, 1).default(1);

const params = z.strictObject({
  placements: z
    .array(z.strictObject({ x: offset(), y: offset(), width: side(), height: side(), opacity }))
    .max(LAYERS_MAX)
    .default([])
    .meta({
      title: "Placements",
      description:
        "For each layer, in the order of the connections, also of those that are absent in a run: x and y of its left upper corner in px (may be negative), its width and height (neither keeps its size, one scales it in proportion, both stretch it), and its opacity from 0 to 1. A layer without an entry keeps its size at the left upper corner.",
    }),
});

/** Pictures on a picture (docs/contract/pictures.md#composing). */
export const imageCompose = defineNode({
  type: "image/compose",
  version: "1.3",
  name: "Compose image",
  description: "Lays up to 16 pictures over another one, the first lowest, and returns a PNG.",
  whenToUse:
    "For a logo, a watermark or a frame on a picture. For text and layouts that follow data, use a design template.",
  subCategory: "edit",
  status: "stable",
  icon: "layers",
  color: "#7c3aed",
  inputs: [
    { name: "base", type: "image", label: "Base" },
    {
      name: "layers",
      type: "image",
      label: "Layers",
      list: { minCount: 1, maxCount: LAYERS_MAX, compact: true },
    },
  ],
  outputs: [{ name: "image", type: "image", label: "Image" }],
  params,
  check({ placements }, connected) {
    const layers = connected.filter(({ port }) => port === "layers").length;
    return placements.length > layers
      ? [
          {
            code: "INVALID_PARAMETER",
            path: `placements[${layers}]`,
            message: `placements has ${placements.length} entries, but only ${layers} layers are connected.`,
            suggestion: "Remove the entries that have no layer, or connect the layers.",
          },
        ]
      : [];
  },
  role: "transform",
  placement: "task",
  needs: ["files", "images"],
  timeLimitMs: 60_000,
  cost: { unit: "image", milliCredits: 10 },
  async run(ctx, inputs, { placements }) {
    const base = inputs.file("base");
    const stored = (file: FileRef) => ({
      contentType: file.contentType,
      // Read when its turn comes: one file is in memory at a time.
      read: () => ctx.files.read(file),
    });
    const layers = inputs.list("layers").filter((value) => value instanceof FileRef);
    // A placement belongs to its connection: where a layer is absent, those after it keep theirs.
    const places = inputs.places("layers");
    const bytes = await ctx.images.compose(
      stored(base),
      layers.map((file, i) => ({
        ...stored(file),
        placement: placements[places[i] ?? i] ?? { x: 0, y: 0, opacity: 1 },
      })),
    );
    const name = `${fileBaseName(base.name)}.png`;
    return new Map([["image", await ctx.files.write(name, "image/png", bytes)]]);
  },
});
