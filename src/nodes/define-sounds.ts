/** What the nodes that read sounds with a model share. */
import type { SoundMetadata } from "../contracts/models/model-calls.ts";
import { integerField } from "../contracts/workflows/node-parameters.ts";
import type { FileRef } from "../lib/files/file-ref.ts";
import { NodeError } from "../lib/errors/node-error.ts";
import type { ModelTools } from "./define-model-tools.ts";

/** The longest sound that a node reads. */
export const maxSecondsParameter = integerField(1, 14_400).default(600).meta({
  title: "Longest sound",
  description: "In seconds. A longer sound is refused before anything is sent.",
  advanced: true,
});

/** Reads how long a sound is. Throws NodeError `AUDIO_UNREADABLE`, or `INPUT_TOO_LONG` for a longer one than allowed. */
export async function measured(
  models: Pick<ModelTools, "measureSound">,
  file: FileRef,
  maxSeconds: number,
): Promise<SoundMetadata> {
  const metadata = await models.measureSound(file);
  if (metadata.seconds > maxSeconds) {
    throw new NodeError(
      "INPUT_TOO_LONG",
      `The sound lasts ${metadata.seconds.toFixed(1)} seconds, and max_seconds is ${maxSeconds}. Shorten it or raise the limit.`,
    );
  }
  return metadata;
}
