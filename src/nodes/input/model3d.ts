import { defineMediaInput } from "../define-media-input.ts";

export const inputModel3d = defineMediaInput("model3d", {
  name: "3D model",
  description: "A 3D model that the caller sends: an uploaded file, or a public address.",
  whenToUse: "For models that a workflow passes through.",
  icon: "cube",
});
