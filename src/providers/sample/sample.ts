import type { Provider } from "../provider.ts";
import { removeBackground, upscaleImage } from "./edit-picture.ts";
import { speak, transcribe } from "./hear-and-speak.ts";
import { makePicture } from "./make-picture.ts";
import { separate } from "./separate.ts";
import { writeText } from "./write-text.ts";

/** The provider that is part of the service: deterministic, offline, and labeled as a sample. */
export const sample: Provider = {
  kind: "sample",
  // It makes the same again, in the runner.
  isIdempotent: true,
  calls: {
    text_to_image: makePicture,
    image_edit: makePicture,
    multi_image_edit: makePicture,
    background_removal: removeBackground,
    image_upscale: upscaleImage,
    text_generation: writeText,
    text_to_speech: speak,
    speech_to_text: transcribe,
    stem_separation: separate,
  },
};
