import * as z from "zod";
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

const CAPABILITY = "background_removal";

const params = z.strictObject(modelParameters);

/** Cuts out what a picture shows (docs/contract/models.md#edited-pictures). */
export const aiRemoveBackground = defineNode({
  type: "ai/remove_background",
  version: "1.0",
  name: "Remove the background",
  description: "Makes the background of a picture transparent, in the size of the picture.",
  whenToUse: "For products and people that are placed on another background later.",
  subCategory: "image",
  status: "preview",
  icon: "scissors",
  color: "#7c3aed",
  capabilities: [CAPABILITY],
  inputs: [{ name: "image", type: "image", label: "Picture" }],
  outputs: [{ name: "image", type: "image", label: "Cutout" }],
  params,
  references: (given) => modelReferences(given, [CAPABILITY]),
  check: (given, _connected, stored) => [
    ...unsupportedModels(given, stored, { capability: CAPABILITY, needsVision: false }),
    ...modelParameterIssues(given, stored, CAPABILITY),
  ],
  cost: {
    unit: "request",
    milliCredits: (given, _connected, stored) =>
      highestCost(modelChain(given, stored, CAPABILITY), {}),
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
      // They belong to the first model; a fallback has others.
      const parameters = model === chain[0] ? given.model_parameters : {};
      const edit = { image: inputs.file("image"), parameters };
      const { bytes, size } = await ctx.models.removeBackground(model, edit, model.model);
      const file = await ctx.files.write("cutout.png", "image/png", bytes);
      const pixels = size.width * size.height;
      ctx.task.charge({ milliCredits: costOfCall(model, { pixels }), quantity: 1 });
      return new Map<string, RunValue>([["image", file]]);
    });
  },
});
