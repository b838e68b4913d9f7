import { z } from "zod";
import { outputParameters } from "../../contracts/node-parameters.ts";
import { renamedFile } from "../../lib/renamed-file.ts";
import { defineNode } from "../define-node.ts";

export const outputVideo = defineNode({
  type: "output/video",
  version: "1.0",
  name: "Video output",
  description: "Hands a video out as a file of the result.",
  whenToUse: "At the end of a workflow, for each video that the caller should get.",
  subCategory: "media",
  status: "stable",
  icon: "video",
  color: "#16a34a",
  inputs: [{ name: "video", type: "video", label: "Video" }],
  outputs: [],
  params: z.strictObject(outputParameters),
  role: "output",
  placement: "inline",
  run: (_ctx, inputs, { file_name: fileName }) =>
    new Map([["value", renamedFile(inputs.file("video"), fileName)]]),
});
