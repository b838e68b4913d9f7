import * as z from "zod";
import { integerField } from "../../contracts/node-parameters.ts";
import { costOfCall, highestCost, mayCostLess } from "../define-model-costs.ts";
import {
  askInOrder,
  modelChain,
  modelParameterIssues,
  modelParameters,
  modelReferences,
  unsupportedModels,
} from "../define-models.ts";
import { defineNode } from "../define-node.ts";
import type { RunValue } from "../define-ports.ts";
import { NEEDS } from "../define-tools.ts";

const CAPABILITY = "image_upscale";
const MEGAPIXEL = 1_000_000;

const params = z.strictObject({
  ...modelParameters,
  scale: z
    .union([z.literal(2), z.literal(4)])
    .default(2)
    .meta({
      title: "Scale",
      description: "How many times as wide and as high the result is: 2 or 4.",
    }),
  max_output_megapixels: integerField(1, 64).default(16).meta({
    title: "Largest result",
    description: "In millions of pixels. A larger result is refused before anything is sent.",
    advanced: true,
  }),
});

/** Enlarges a picture to exactly 2 or 4 times its size (docs/contract/models.md#edited-pictures). */
export const aiUpscale = defineNode({
  type: "ai/upscale",
  version: "1.0",
  name: "Enlarge a picture",
  description: "Makes a picture two or four times as wide and as high, with more detail.",
  whenToUse: "For small pictures that are printed, or shown large.",
  subCategory: "image",
  status: "preview",
  icon: "maximize",
  color: "#7c3aed",
  capabilities: [CAPABILITY],
  inputs: [{ name: "image", type: "image", label: "Picture" }],
  outputs: [{ name: "image", type: "image", label: "Enlarged picture" }],
  params,
  references: (given) => modelReferences(given, [CAPABILITY]),
  check: (given, _connected, stored) => [
    ...unsupportedModels(given, stored, { capability: CAPABILITY, needsVision: false }),
    ...modelParameterIssues(given, stored, CAPABILITY),
  ],
  cost: {
    unit: "megapixel",
    milliCredits: (given, _connected, stored) =>
      highestCost(modelChain(given, stored, CAPABILITY), {
        pixels: given.max_output_megapixels * MEGAPIXEL,
      }),
    isCeiling: (given, stored) => mayCostLess(modelChain(given, stored, CAPABILITY)),
  },
  role: "transform",
  placement: "task",
  needs: ["models", "files"],
  timeLimitMs: 900_000,
  // The picture, and its result with the conversion of it.
  memoryBytes: NEEDS.images.memoryBytes,
  async run(ctx, inputs, given) {
    const chain = modelChain(given, ctx.references, CAPABILITY);
    return await askInOrder(chain, given, ctx.task.attempt, async (model) => {
      const edit = {
        image: inputs.file("image"),
        // They belong to the first model; a fallback has others.
        parameters: model === chain[0] ? given.model_parameters : {},
        scale: given.scale,
        pixelsMax: given.max_output_megapixels * MEGAPIXEL,
      };
      const { bytes, size } = await ctx.models.upscaleImage(model, edit, model.model);
      const file = await ctx.files.write("enlarged.png", "image/png", bytes);
      const pixels = size.width * size.height;
      const quantity = pixels / MEGAPIXEL;
      ctx.task.charge({ milliCredits: costOfCall(model, { pixels }), quantity });
      return new Map<string, RunValue>([["image", file]]);
    });
  },
});
