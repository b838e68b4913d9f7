import { type Capability, MODEL_CAPABILITIES, type ModelCapability } from "./model.ts";

const WORDS: Readonly<Record<ModelCapability, Omit<Capability, "capability">>> = {
  text_to_image: {
    display_name: "Text to image",
    category: "image",
    description: "Makes a picture from words.",
  },
  image_edit: {
    display_name: "Image edit",
    category: "image",
    description: "Changes one picture as words ask for.",
  },
  multi_image_edit: {
    display_name: "Multi-image edit",
    category: "image",
    description: "Makes one picture from several pictures and words.",
  },
  background_removal: {
    display_name: "Background removal",
    category: "image",
    description: "Cuts out the subject of a picture and makes the rest transparent.",
  },
  image_upscale: {
    display_name: "Image upscale",
    category: "image",
    description: "Enlarges a picture and adds detail.",
  },
  text_generation: {
    display_name: "Text generation",
    category: "text",
    description: "Writes text or JSON from a prompt, and from pictures if the model sees.",
  },
  text_to_speech: {
    display_name: "Text to speech",
    category: "audio",
    description: "Speaks a text.",
  },
  speech_to_text: {
    display_name: "Speech to text",
    category: "audio",
    description: "Writes down speech, with the time of each passage.",
  },
  stem_separation: {
    display_name: "Stem separation",
    category: "audio",
    description: "Splits a song into vocals, drums, bass and the rest.",
  },
};

/** Every capability of models, in the order of the catalog. */
export const CAPABILITIES: readonly Capability[] = MODEL_CAPABILITIES.map((capability) => ({
  capability,
  ...WORDS[capability],
}));
