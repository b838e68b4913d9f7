import type { Provider } from "../provider.ts";
import { makePicture } from "./make-picture.ts";
import { writeText } from "./write-text.ts";

/** The provider that is part of the service: deterministic, offline, and labeled as a sample. */
export const sample: Provider = {
  kind: "sample",
  calls: {
    text_to_image: makePicture,
    image_edit: makePicture,
    multi_image_edit: makePicture,
    text_generation: writeText,
  },
};
