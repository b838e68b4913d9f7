import { z } from "zod";
import { outputParameters } from "../../contracts/node-parameters.ts";
import { renamedFile } from "../../lib/renamed-file.ts";
import { defineNode } from "../define-node.ts";

export const outputModel3d = defineNode({
  type: "output/model3d",
  version: "1.0",
  name: "3D model output",
  description: "Hands a 3D model out as a file of the result.",
  whenToUse: "At the end of a workflow, for each model that the caller should get.",
  subCategory: "media",
  status: "stable",
  icon: "cube",
  color: "#16a34a",
  inputs: [{ name: "model3d", type: "model3d", label: "3D model" }],
  outputs: [],
  params: z.strictObject(outputParameters),
  role: "output",
  placement: "inline",
  run: (_ctx, inputs, { file_name: fileName }) =>
    new Map([["value", renamedFile(inputs.file("model3d"), fileName)]]),
});
