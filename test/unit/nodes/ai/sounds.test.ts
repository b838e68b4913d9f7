/** docs/contract/models.md#sounds, #edited-pictures and #money: the nodes around one sound or picture, whichever provider answers. */
import { describe, expect, test } from "vitest";
import type {
  ReferencedModel,
  SoundMetadata,
  SpeechRequest,
} from "../../../../src/contracts/models/model-calls.ts";
import { SpeechReport, StemReport } from "../../../../src/contracts/media/sound-reports.ts";
import type { StoredReferences } from "../../../../src/contracts/references.ts";
import { nodeCost } from "../../../../src/engine/plan/node-cost.ts";
import { FileRef } from "../../../../src/lib/files/file-ref.ts";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import type {
  PictureEdit,
  SoundEdit,
  StoredSound,
} from "../../../../src/nodes/define-model-tools.ts";
import type { TaskContext } from "../../../../src/nodes/define-tools.ts";
import type { RunValue } from "../../../../src/nodes/define-ports.ts";
import { modelStore, TINY } from "../../../support/models/referenced-models.ts";
import { inputsOf, nodeOf, type Ports } from "../run-node.ts";

const VOICE: ReferencedModel = {
  ...TINY,
  model: "voice",
  capabilities: ["text_to_speech"],
  cost_unit: "per_1k_characters",
  credit_cost_milli_credits: 40,
  controls: ["voice", "speed"],
  control_ranges: { speed: [0.5, 2] },
  voices: ["anna", "ben"],
};
const OTHER: ReferencedModel = {
  ...VOICE,
  model: "other",
  credit_cost_milli_credits: 90,
  voices: ["carl"],
};
const PLAIN: ReferencedModel = { ...VOICE, model: "plain", controls: [], voices: [] };
const EAR: ReferencedModel = {
  ...TINY,
  model: "ear",
  capabilities: ["speech_to_text", "stem_separation"],
  cost_unit: "per_second",
  credit_cost_milli_credits: 3,
};
const LENS: ReferencedModel = {
  ...TINY,
  model: "lens",
  capabilities: ["image_upscale"],
  cost_unit: "per_megapixel",
  credit_cost_milli_credits: 20,
};
const KNIFE: ReferencedModel = {
  ...TINY,
  model: "knife",
  capabilities: ["background_removal"],
  cost_unit: "per_request",
  credit_cost_milli_credits: 50,
};
const resolve = modelStore([VOICE, OTHER, PLAIN, EAR, LENS, KNIFE]);

const SOUND = new FileRef({ key: "s", name: "a.wav", contentType: "audio/wav", sizeBytes: 9 });
const METADATA: SoundMetadata = {
  format: "wav",
  contentType: "audio/wav",
  seconds: 7.2,
  sampleRate: 8_000,
  channels: 1,
};
const HASH = "ab".repeat(32);
const stored = (name: string): StoredSound => ({
  file: new FileRef({
    key: `w/${name}`,
    name,
    contentType: "audio/wav",
    sizeBytes: 9,
    sha256: HASH,
  }),
  metadata: METADATA,
});

async function referencesOf(type: string, params: object): Promise<StoredReferences> {
  const node = nodeOf(type);
  const found = await Promise.all(
    (node.references?.(node.params.parse(params)) ?? []).map(async (one) => ({
      path: one.path,
      content: (await resolve([one]))[0],
    })),
  );
  return new Map(
    found.flatMap(({ path, content }) =>
      content === undefined ? [] : [[path, { ...content, path }] as const],
    ),
  );
}

interface Answers {
  readonly characters?: number;
  readonly seconds?: number;
  readonly fails?: readonly string[];
}

async function run(type: string, params: object, ports: Ports, answers: Answers = {}) {
  const asked: { readonly model: string; readonly request: unknown }[] = [];
  const answer = <T>(model: ReferencedModel, request: unknown, value: T): Promise<T> => {
    asked.push({ model: model.model, request });
    return answers.fails?.includes(model.model) === true
      ? Promise.reject(new NodeError("PROVIDER_AUTH_FAILED", "…"))
      : Promise.resolve(value);
  };
  const picture = { bytes: new Uint8Array(1), size: { width: 1_000, height: 1_250 } };
  let charge: { milliCredits: number; quantity: number | null } | undefined;
  const ctx = {
    references: await referencesOf(type, params),
    task: { attempt: 1, charge: (given: typeof charge) => (charge = given) },
    files: { write: (name: string) => Promise.resolve(stored(name).file) },
    models: {
      measureSound: () => Promise.resolve(METADATA),
      speak: (model: ReferencedModel, request: SpeechRequest) =>
        answer(model, request, { ...stored("speech"), characters: answers.characters ?? null }),
      transcribe: (model: ReferencedModel, request: SoundEdit) =>
        answer(model, request, {
          text: " Two words. ",
          passages: [{ start: 0, end: 1.5, text: " Two words. " }],
          seconds: answers.seconds ?? null,
        }),
      separateStems: async (model: ReferencedModel, request: SoundEdit) => {
        await request.metadata();
        return await answer(model, request, {
          stems: { vocals: stored("v"), drums: stored("d"), bass: stored("b"), other: stored("o") },
          sourceSha256: HASH,
          seconds: answers.seconds ?? null,
        });
      },
      removeBackground: (model: ReferencedModel, edit: PictureEdit) => answer(model, edit, picture),
      upscaleImage: (model: ReferencedModel, edit: PictureEdit) => answer(model, edit, picture),
    },
  } as unknown as TaskContext;
  const node = nodeOf(type);
  if (node.role !== "transform") {
    throw new Error(`${type} does not run`);
  }
  try {
    const outputs = await node.run(ctx, inputsOf(ports), node.params.parse(params));
    const made: Record<string, RunValue> = Object.fromEntries(outputs);
    return { outputs: made, failure: undefined, asked, charge };
  } catch (error) {
    if (!(error instanceof NodeError)) {
      throw error;
    }
    return { outputs: {} as Record<string, RunValue>, failure: error.code, asked, charge };
  }
}

const say = (params: object, ports: Ports = {}, answers: Answers = {}) =>
  run("ai/text_to_speech", { model: "voice", ...params }, { text: "Grüße 👋", ...ports }, answers);

describe("ai/text_to_speech", () => {
  test("sends connected controls, else the saved ones, else the model's own, and reports them", async () => {
    const ran = await say({ voice: "ben", language: "de", speed: 0.5 }, { speed: 2 });
    expect(ran.asked).toMatchObject([
      { model: "voice", request: { voice: "ben", language: null, speed: 2, pitch: null } },
    ]);
    const report = SpeechReport.parse(ran.outputs["generation_metadata"]);
    expect(report.controls).toEqual({
      voice: { value: "ben", source: "parameter" },
      speed: { value: 2, source: "input" },
    });
    expect(report).toMatchObject({ characters: 7, duration_seconds: 7.2, sha256: HASH });
    const usual = SpeechReport.parse((await say({})).outputs["generation_metadata"]);
    expect(usual.controls.voice).toEqual({ value: "anna", source: "model_default" });
  });

  test.each([
    ["CONTROL_UNSUPPORTED", { model: "plain" }, { voice: "anna" }],
    ["CONTROL_UNSUPPORTED", { fallback_models: ["plain"] }, { voice: "anna" }],
    ["CONTROL_OUT_OF_RANGE", {}, { speed: 2.1 }],
    ["UNKNOWN_VOICE", {}, { voice: "carl" }],
    ["INPUT_TOO_LONG", { max_characters: 6 }, {}],
  ])("fails with %s before anything is sent: %j, %j", async (code, params, ports) => {
    const ran = await say(params, ports as Ports);
    expect([ran.failure, ran.asked, ran.charge]).toEqual([code, [], undefined]);
  });

  test("a fallback without the saved voice speaks with its first one, at its own price", async () => {
    const params = { voice: "ben", fallback_models: ["other"] };
    const ran = await say(params, {}, { fails: ["voice"], characters: 1_001 });
    expect(ran.asked.map(({ request }) => (request as SpeechRequest).voice)).toEqual([
      "ben",
      "carl",
    ]);
    // ⌈90 × 1,001 / 1,000⌉
    expect(ran.charge).toEqual({ milliCredits: 91, quantity: 1_001 });
    expect((await say({})).charge).toEqual({ milliCredits: 1, quantity: 7 });
  });
});

describe("ai/speech_to_text and ai/stem_separation", () => {
  test("return trimmed texts and cues, and charge reported seconds, else counted ones, rounded up", async () => {
    const counted = await run("ai/speech_to_text", { model: "ear" }, { audio: SOUND });
    expect(counted.outputs).toEqual({
      text: "Two words.",
      cues: [{ index: 0, start: 0, end: 1.5, text: "Two words." }],
    });
    expect(counted.charge).toEqual({ milliCredits: 24, quantity: 8 });
    const reported = await run("ai/speech_to_text", {}, { audio: SOUND }, { seconds: 4.1 });
    expect(reported.charge).toEqual({ milliCredits: 15, quantity: 5 });
  });

  test("a manifest has the stems in order", async () => {
    const ran = await run("ai/stem_separation", {}, { audio: SOUND });
    const report = StemReport.parse(ran.outputs["stems_manifest"]);
    expect(report.stems.map(({ name, storage_ref: ref }) => [name, ref])).toEqual([
      ["vocals", "storage://w/v"],
      ["drums", "storage://w/d"],
      ["bass", "storage://w/b"],
      ["other", "storage://w/o"],
    ]);
    expect(report.source).toEqual({ duration_seconds: 7.2, sha256: HASH });
    expect(ran.charge).toEqual({ milliCredits: 24, quantity: 8 });
  });

  test.each(["ai/speech_to_text", "ai/stem_separation"])(
    "%s sends no longer sound than allowed",
    async (type) => {
      const ran = await run(type, { max_seconds: 7 }, { audio: SOUND });
      expect([ran.failure, ran.asked]).toEqual(["INPUT_TOO_LONG", []]);
    },
  );
});

test("edited pictures are charged by request and by the pixels of the result", async () => {
  const picture = { image: SOUND };
  expect((await run("ai/remove_background", {}, picture)).charge).toEqual({
    milliCredits: 50,
    quantity: 1,
  });
  const enlarged = await run("ai/upscale", { scale: 4, max_output_megapixels: 2 }, picture);
  expect(enlarged.charge).toEqual({ milliCredits: 25, quantity: 1.25 });
  expect(enlarged.asked[0]?.request).toMatchObject({ scale: 4, pixelsMax: 2_000_000 });
});

test.each([
  ["ai/text_to_speech", { model: "voice" }, 80, true],
  ["ai/text_to_speech", { model: "voice", fallback_models: ["other"] }, 180, true],
  ["ai/speech_to_text", { max_seconds: 100 }, 300, true],
  ["ai/stem_separation", {}, 1_800, true],
  ["ai/upscale", {}, 320, true],
  ["ai/remove_background", {}, 50, false],
  ["ai/remove_background", { fallback_models: ["knife"] }, 50, true],
])("%s with %j reserves %i milli-credits; a ceiling: %s", async (type, params, cost, isCeiling) => {
  const node = nodeOf(type);
  const references = await referencesOf(type, params);
  expect(nodeCost(node, node.params.parse(params), [], references)).toMatchObject({
    costMilliCredits: cost,
    isCostCeiling: isCeiling,
  });
});
