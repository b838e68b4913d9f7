import type { Provider } from "../provider.ts";
import { cutoutJob, editJob, pictureJob } from "./pictures.ts";
import { cancelRequest, placesOfRequest, pollRequest, submitRequest } from "./queue.ts";
import { stemJob } from "./stems.ts";

/** fal: every call is a request in its queue. */
export const fal: Provider = {
  kind: "fal",
  authorize: (key) => ({ authorization: `Key ${key}` }),
  calls: {},
  jobs: {
    submit: submitRequest,
    poll: pollRequest,
    cancel: cancelRequest,
    placesOf: placesOfRequest,
    calls: {
      text_to_image: pictureJob,
      image_edit: editJob,
      background_removal: cutoutJob,
      stem_separation: stemJob,
    },
  },
};
