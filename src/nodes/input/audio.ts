import { defineMediaInput } from "../define-media-input.ts";

export const inputAudio = defineMediaInput("audio", {
  name: "Audio",
  description: "A sound file that the caller sends: an uploaded file, or a public address.",
  whenToUse: "For speech, music and sounds that a workflow works on or passes through.",
  icon: "audio",
});
