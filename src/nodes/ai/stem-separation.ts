import * as z from "zod";
import { STORAGE_SCHEME } from "../../contracts/files/bundle-manifest.ts";
import {
  type ReferencedModel,
  type SoundMetadata,
  STEM_NAMES,
} from "../../contracts/models/model-calls.ts";
import type { StemReport } from "../../contracts/media/sound-reports.ts";
import { asJson } from "../../lib/json/exact-json.ts";
import { costOfCall } from "../define-model-costs.ts";
import { modelParameters } from "../define-models.ts";
import { defineNode } from "../define-node.ts";
import { askOneModel, oneModel } from "../define-one-model.ts";
import type { RunValue } from "../define-ports.ts";
import { maxSecondsParameter, measured } from "../define-sounds.ts";
import type { StoredStems } from "../define-model-tools.ts";

const CAPABILITY = "stem_separation";
const MB = 1024 * 1024;

const params = z.strictObject({ ...modelParameters, max_seconds: maxSecondsParameter });

/** Separates a sound into four (docs/contract/models.md#sounds). */
export const aiStemSeparation = defineNode({
  ...oneModel<z.output<typeof params>>(CAPABILITY, "second", (given) => ({
    seconds: given.max_seconds,
  })),
  type: "ai/stem_separation",
  version: "1.0",
  name: "Separate stems",
  description: "Separates music into vocals, drums, bass and the other instruments.",
  whenToUse: "To replace or remix a part of a recording, or to take the voice out of it.",
  subCategory: "audio",
  status: "preview",
  icon: "audio-lines",
  color: "#7c3aed",
  inputs: [{ name: "audio", type: "audio", label: "Sound" }],
  outputs: [
    { name: "vocals", type: "audio", label: "Vocals" },
    { name: "drums", type: "audio", label: "Drums" },
    { name: "bass", type: "audio", label: "Bass" },
    { name: "other", type: "audio", label: "Other instruments" },
    { name: "stems_manifest", type: "json", label: "Stems", schemaRef: "svc.stem-separation/v1" },
  ],
  params,
  role: "transform",
  placement: "task",
  needs: ["models"],
  // Four uploads at once, each with a part that grows, and what arrives meanwhile.
  memoryBytes: 40 * MB,
  async run(ctx, inputs, given) {
    const file = inputs.file("audio");
    let known: SoundMetadata | undefined;
    const metadata = async () => (known ??= await measured(ctx.models, file, given.max_seconds));
    return await askOneModel(ctx, given, CAPABILITY, async (model, parameters) => {
      const made = await ctx.models.separateStems(
        model,
        { file, metadata, parameters },
        model.model,
      );
      const { seconds: measuredSeconds } = await metadata();
      const seconds = Math.ceil(made.seconds ?? measuredSeconds);
      ctx.task.charge({ milliCredits: costOfCall(model, { seconds }), quantity: seconds });
      const report = reportOf(model, measuredSeconds, made);
      return new Map<string, RunValue>([
        ...STEM_NAMES.map((name) => [name, made.stems[name].file] as const),
        ["stems_manifest", asJson(report)],
      ]);
    });
  },
});

function reportOf(
  { model, provider }: ReferencedModel,
  seconds: number,
  { stems, sourceSha256 }: StoredStems,
): StemReport {
  return {
    schema: "svc.stem-separation/v1",
    provider,
    model,
    source: { duration_seconds: seconds, sha256: sourceSha256 },
    stems: STEM_NAMES.map((name) => {
      const { file, metadata } = stems[name];
      return {
        name,
        storage_ref: `${STORAGE_SCHEME}${file.key}`,
        content_type: file.contentType,
        size_bytes: file.sizeBytes,
        sha256: file.requireSha256(),
        duration_seconds: metadata.seconds,
        sample_rate: metadata.sampleRate,
        channels: metadata.channels,
      };
    }),
  };
}
