import type { Limits } from "./limit.ts";

const MINUTE = 60_000;

/** Providers of models: a part of the table of limits. */
export const PROVIDER_LIMITS = {
  provider_api_key: {
    name: "Key of a provider",
    value: 4096,
    unit: "characters",
    reason: "Keys of providers have a few hundred characters at most.",
  },
  provider_headers: {
    name: "Headers of a provider",
    value: 8,
    unit: "count",
    reason: "They are sent with every request.",
  },
  provider_header_value: {
    name: "Value of a provider's header",
    value: 4096,
    unit: "characters",
    reason: "Servers refuse much longer headers.",
  },
  provider_entries: {
    name: "Models, prices, or sizes of a model, of a provider",
    value: 100,
    unit: "count",
    reason: "The catalog reads all of them for a request.",
  },
  provider_text: {
    name: "Name of a provider's model or voice",
    value: 200,
    unit: "characters",
    reason: "Lists show it in one line.",
  },
  provider_voices: {
    name: "Voices of a provider's model",
    value: 500,
    unit: "count",
    reason: "As many as a list of voices returns.",
  },
  provider_images: {
    name: "Pictures in one call of a provider's model, in or out",
    value: 16,
    unit: "count",
    reason: "No known interface takes more.",
  },
  provider_concurrency: {
    name: "Calls of a provider at once",
    value: 256,
    unit: "count",
    reason: "Providers limit the rate of a key far below.",
  },
  provider_queue: {
    name: "Tasks in the queue of a provider",
    value: 10_000,
    unit: "count",
    reason:
      "They are in memory. A task beyond them asks again by itself, and none with fewer in the queue is kept out.",
  },
  environment_providers: {
    name: "Secret `AI_PROVIDERS`, in characters",
    value: 128 * 1024,
    unit: "count",
    reason:
      "Cloudflare holds 5 kB in a secret; the system of the local service passes no longer variable.",
  },
  provider_cost: {
    name: "Cost of one unit of a model, in milli-credits",
    value: 10_000_000,
    unit: "count",
    reason: "A price of 10,000 credits is a mistake.",
  },
  failed_polls: {
    name: "Failed polls of a provider's job in a row",
    value: 10,
    unit: "count",
    reason: "They take about half a minute; a provider that is away for longer is unavailable.",
  },
  provider_timeout: {
    name: "Time of one call of a provider's model",
    value: 15 * MINUTE,
    unit: "milliseconds",
    reason: "A call that takes longer is lost with its connection.",
  },
} as const satisfies Limits;
