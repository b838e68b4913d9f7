import type { ModelCapability } from "../contracts/models/model.ts";
import type { ProviderKind } from "../contracts/models/provider.ts";

/** The capabilities for which this release can call the providers of each kind. */
export type CallableKinds = Readonly<Partial<Record<ProviderKind, readonly ModelCapability[]>>>;

/**
 * The catalog lists a model only with capabilities named here, so that nobody selects a model that no node can call.
 * Add a capability in the commit after which runs can use it.
 */
export const CALLABLE: CallableKinds = {
  openai_compatible: [
    "text_to_image",
    "image_edit",
    "multi_image_edit",
    "text_generation",
    "text_to_speech",
    "speech_to_text",
  ],
  replicate: [
    "text_to_image",
    "image_edit",
    "multi_image_edit",
    "background_removal",
    "image_upscale",
  ],
  fal: ["text_to_image", "image_edit", "background_removal", "stem_separation"],
  elevenlabs: ["text_to_speech"],
  sample: [
    "text_to_image",
    "image_edit",
    "multi_image_edit",
    "background_removal",
    "image_upscale",
    "text_generation",
    "text_to_speech",
    "speech_to_text",
    "stem_separation",
  ],
  workers_ai: ["text_to_image", "text_generation", "text_to_speech", "speech_to_text"],
};
