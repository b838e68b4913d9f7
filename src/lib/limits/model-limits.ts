import type { Limits } from "./limit.ts";

const MB = 1024 * 1024;

/** Models and providers: a part of the table of limits. */
export const MODEL_LIMITS = {
  fallback_models: {
    name: "Fallback models of a node",
    value: 3,
    unit: "count",
    reason:
      "The reservation is that of the most expensive model of the chain, and each takes time.",
  },
  model_image: {
    name: "Picture that is sent to a model",
    value: 20 * MB,
    unit: "bytes",
    reason: "Providers accept no larger ones, and a picture is sent as a whole.",
  },
  model_images: {
    name: "Pictures of one call of a model, together",
    value: 24 * MB,
    unit: "bytes",
    reason: "They are in memory until the call has ended.",
  },
  bound_images: {
    name: "Pictures of one chat with Workers AI, together",
    value: 8 * MB,
    unit: "bytes",
    reason: "The binding takes them as base64 in one value in memory, and copies it.",
  },
  model_sound: {
    name: "Sound that is sent to a model, or that a model makes",
    value: 250 * MB,
    unit: "bytes",
    reason: "The largest file of a run has the same size.",
  },
  provider_json: {
    name: "JSON of a provider's answer, besides base64",
    value: 8 * MB,
    unit: "bytes",
    reason: "It is parsed whole in memory.",
  },
  model_document: {
    name: "Memory of the JSON document of a model's answer, as estimated from its text",
    value: 4 * MB,
    unit: "bytes",
    reason:
      "Its schema is checked on a copy that takes several times as much. An answer of 32,768 tokens takes less, one of 8 MiB that does not keep to max_output_tokens up to 400 MB.",
  },
  provider_picture: {
    name: "Picture in a provider's answer",
    value: 64 * MB,
    unit: "bytes",
    reason: "It is stored as it arrives; models make far smaller ones.",
  },
  provider_sound: {
    name: "Sound in a provider's answer",
    value: 250 * MB,
    unit: "bytes",
    reason: "The largest sound that a node takes.",
  },
  inline_sound: {
    name: "Sound that is sent to a model of fal",
    value: 180 * MB,
    unit: "bytes",
    reason: "It is part of the request as base64, with at most 256 MiB together.",
  },
  bound_sound: {
    name: "Sound that is sent to Workers AI",
    value: 12 * MB,
    unit: "bytes",
    reason: "The binding takes it as one text of base64 in memory.",
  },
  provider_event: {
    name: "One event of a streamed answer",
    value: 1 * MB,
    unit: "bytes",
    reason: "An event is held until it is complete.",
  },
} as const satisfies Limits;
