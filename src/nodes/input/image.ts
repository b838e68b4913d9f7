import { defineMediaInput } from "../define-media-input.ts";

export const inputImage = defineMediaInput("image", {
  name: "Image",
  description: "A picture that the caller sends: an uploaded file, or a public address.",
  whenToUse: "For pictures that a workflow works on or passes through.",
  icon: "image",
});
