import { z } from "zod";
import { outputParameters } from "../../contracts/node-parameters.ts";
import { renamedFile } from "../../lib/renamed-file.ts";
import { defineNode } from "../define-node.ts";

export const outputAudio = defineNode({
  type: "output/audio",
  version: "1.0",
  name: "Audio output",
  description: "Hands a sound file out as a file of the result.",
  whenToUse: "At the end of a workflow, for each sound file that the caller should get.",
  subCategory: "media",
  status: "stable",
  icon: "audio",
  color: "#16a34a",
  inputs: [{ name: "audio", type: "audio", label: "Audio" }],
  outputs: [],
  params: z.strictObject(outputParameters),
  role: "output",
  placement: "inline",
  run: (_ctx, inputs, { file_name: fileName }) =>
    new Map([["value", renamedFile(inputs.file("audio"), fileName)]]),
});
