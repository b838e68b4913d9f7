import type { Provider } from "../provider.ts";
import {
  cancelPrediction,
  placesOfPrediction,
  pollPrediction,
  submitPrediction,
} from "./predictions.ts";
import { editJob, pictureJob } from "./pictures.ts";

/** Replicate: every call is a prediction. */
export const replicate: Provider = {
  kind: "replicate",
  freePath: "/account",
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  calls: {},
  jobs: {
    submit: submitPrediction,
    poll: pollPrediction,
    cancel: cancelPrediction,
    placesOf: placesOfPrediction,
    calls: {
      text_to_image: pictureJob,
      image_edit: pictureJob,
      multi_image_edit: pictureJob,
      background_removal: editJob,
      image_upscale: editJob,
    },
  },
};
