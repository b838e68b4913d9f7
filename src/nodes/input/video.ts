import { defineMediaInput } from "../define-media-input.ts";

export const inputVideo = defineMediaInput("video", {
  name: "Video",
  description: "A video that the caller sends: an uploaded file, or a public address.",
  whenToUse: "For videos that a workflow works on or passes through.",
  icon: "video",
});
