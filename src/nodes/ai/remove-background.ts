import * as z from "zod";
import { costOfCall } from "../define-model-costs.ts";
import { modelParameters } from "../define-models.ts";
import { defineNode } from "../define-node.ts";
import { askOneModel, oneModel } from "../define-one-model.ts";
import type { RunValue } from "../define-ports.ts";
import { NEEDS } from "../define-tools.ts";

const CAPABILITY = "background_removal";

const params = z.strictObject(modelParameters);

/** Cuts out what a picture shows (docs/contract/models.md#edited-pictures). */
export const aiRemoveBackground = defineNode({
  ...oneModel<z.output<typeof params>>(CAPABILITY, "request", () => ({})),
  type: "ai/remove_background",
  version: "1.0",
  name: "Remove the background",
  description: "Makes the background of a picture transparent, in the size of the picture.",
  whenToUse: "For products and people that are placed on another background later.",
  subCategory: "image",
  status: "preview",
  icon: "scissors",
  color: "#7c3aed",
  inputs: [{ name: "image", type: "image", label: "Picture" }],
  outputs: [{ name: "image", type: "image", label: "Cutout" }],
  params,
  role: "transform",
  placement: "task",
  needs: ["models", "files"],
  // The picture, and its result with the conversion of it.
  memoryBytes: NEEDS.images.memoryBytes,
  async run(ctx, inputs, given) {
    return await askOneModel(ctx, given, CAPABILITY, async (model, parameters) => {
      const edit = { image: inputs.file("image"), parameters };
      const { bytes, size } = await ctx.models.removeBackground(model, edit, model.model);
      const file = await ctx.files.write("cutout.png", "image/png", bytes);
      const pixels = size.width * size.height;
      ctx.task.charge({ milliCredits: costOfCall(model, { pixels }), quantity: 1 });
      return new Map<string, RunValue>([["image", file]]);
    });
  },
});
