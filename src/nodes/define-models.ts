/** What the nodes that ask models share: parameters, references, checks, costs, prompts (docs/contract/models.md). */
import * as z from "zod";
import type { ReferencedModel } from "../contracts/models/model-calls.ts";
import type { ModelCapability, ModelParameter } from "../contracts/models/model.ts";
import { jsonField } from "../contracts/workflows/node-parameters.ts";
import { contentAt, type StoredReferences } from "../contracts/references.ts";
import { ExactNumber, type JsonValue } from "../lib/json/exact-json.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";
import { NodeError } from "../lib/errors/node-error.ts";
import { TaskGivenBack } from "../lib/task-given-back.ts";
import { TaskSuspended } from "../lib/task-suspended.ts";
import { costOfCall, wholeCost } from "./define-model-costs.ts";
import type { NamedReference, ParameterIssue } from "./define-ports.ts";
import type { TaskContext } from "./define-tools.ts";

const SLUG = /^[a-z0-9][a-z0-9._-]{0,79}$/;
const slugField = z
  .string()
  .regex(SLUG, { error: "Must be the name of a model, as GET /models lists it" });

/** Parameters of every node that asks a model. */
export const modelParameters = {
  model: slugField.nullish().meta({
    title: "Model",
    description:
      "The model to use, as `GET /models` lists it; the workspace's default if left out.",
    exposable: true,
  }),
  model_parameters: z
    .record(z.string().min(1).max(LIMITS.identifier.value), jsonField)
    .default({})
    .meta({
      title: "Model parameters",
      description:
        "Parameters of the model itself, as `GET /models/{model}/params-schema` lists them.",
      advanced: true,
    }),
  fallback_models: z.array(slugField).max(LIMITS.fallback_models.value).default([]).meta({
    title: "Fallback models",
    description: "Models to try in this order if the first cannot answer.",
    advanced: true,
  }),
  fallback_on_refusal: z.boolean().default(false).meta({
    title: "Fall back on refusal",
    description: "Also try the fallback models if a safety filter refuses the content.",
    advanced: true,
  }),
};

export interface ModelParams {
  readonly model?: string | null | undefined;
  readonly model_parameters: { readonly [name: string]: JsonValue };
  readonly fallback_models: readonly string[];
  readonly fallback_on_refusal: boolean;
}

/**
 * The references to a node's models. A node without a named model refers to the workspace's defaults for each capability
 * that it may need, which are fixed at the submit like a named model.
 */
export function modelReferences(
  params: ModelParams,
  capabilities: readonly ModelCapability[],
): NamedReference[] {
  const { model, fallback_models: fallbacks } = params;
  return [
    isDefault(model)
      ? {
          kind: "default_models",
          id: capabilities.join(","),
          revision: null,
          path: "model",
          missingCode: "MODEL_NOT_AVAILABLE",
          missingMessage: noModelFor(capabilities[0]),
        }
      : namedModel(model, "model"),
    ...fallbacks.map((slug, at) => namedModel(slug, fallbackPath(at))),
  ];
}

function isDefault(model: string | null | undefined): model is null | undefined {
  return model === null || model === undefined;
}

function noModelFor(capability: ModelCapability | undefined): string {
  return `This workspace has no model for ${capability}. Ask the operator to configure a provider.`;
}

function fallbackPath(at: number): string {
  return `fallback_models[${at}]`;
}

function namedModel(slug: string, path: string): NamedReference {
  return {
    kind: "model",
    id: slug,
    revision: null,
    path,
    missingCode: "MODEL_NOT_AVAILABLE",
    missingMessage: `This workspace has no model "${slug}". GET /api/v1/models lists its models.`,
  };
}

/** A node's models for a capability in the order in which they are tried. A default that does not exist is left out. */
export function modelChain(
  params: ModelParams,
  stored: StoredReferences,
  capability: ModelCapability,
): readonly ReferencedModel[] {
  const chosen = isDefault(params.model)
    ? contentAt<DefaultModels>(stored, "model")?.[capability]
    : contentAt<ReferencedModel>(stored, "model");
  const fallbacks = params.fallback_models.map((_, at) =>
    contentAt<ReferencedModel>(stored, fallbackPath(at)),
  );
  return [chosen, ...fallbacks].filter((model) => model !== undefined);
}

/** The content of a reference to defaults: the model of each capability that has one. */
type DefaultModels = Readonly<Partial<Record<ModelCapability, ReferencedModel>>>;

/**
 * One issue for each model of the chain that lacks the capability, or vision if the node sends pictures, and for a
 * default that does not exist.
 */
export function unsupportedModels(
  params: ModelParams,
  stored: StoredReferences,
  needed: { readonly capability: ModelCapability; readonly needsVision: boolean },
): ParameterIssue[] {
  const { capability, needsVision } = needed;
  const chain = modelChain(params, stored, capability);
  const isMissing = chain.length === params.fallback_models.length;
  const issues = chain.flatMap((model, at): readonly ParameterIssue[] => {
    const place = isMissing ? at : at - 1;
    const problem = !model.capabilities.includes(capability)
      ? `is not made for ${capability}`
      : needsVision && !model.supports_vision
        ? "cannot see pictures, and some are connected"
        : undefined;
    return problem === undefined
      ? []
      : [
          {
            code: "MODEL_NOT_SUPPORTED",
            path: place < 0 ? "model" : fallbackPath(place),
            message: `The model "${model.model}" ${problem}.`,
          },
        ];
  });
  return isMissing
    ? [{ code: "MODEL_NOT_AVAILABLE", path: "model", message: noModelFor(capability) }, ...issues]
    : issues;
}

/** The highest charge for one call whose tokens are limited, over all models of a chain, in milli-credits. */
export function tokenCost(
  chain: readonly ReferencedModel[],
  tokens: { readonly input: number; readonly output: number },
  rounds: number,
): number {
  return Math.max(0, ...chain.map((model) => chargeForTokens(model, tokens) * rounds));
}

/** The charge for a call that used so many tokens, rounded up to a whole milli-credit; by the model's unit if it is another. */
export function chargeForTokens(
  model: ReferencedModel,
  tokens: { readonly input: number; readonly output: number },
): number {
  if (model.cost_unit !== "per_1k_tokens") {
    return costOfCall(model, {});
  }
  const input = model.input_milli_credits_per_1k ?? 0;
  const output = model.output_milli_credits_per_1k ?? 0;
  return wholeCost((input * tokens.input + output * tokens.output) / 1_000);
}

/** Issues with the values of `model_parameters`, which belong to the first model of a chain. */
export function modelParameterIssues(
  params: ModelParams,
  stored: StoredReferences,
  capability: ModelCapability,
): ParameterIssue[] {
  const [model] = modelChain(params, stored, capability);
  if (model === undefined) {
    return [];
  }
  return Object.entries(params.model_parameters).flatMap(([name, value]) => {
    const parameter = model.parameters.find((known) => known.name === name);
    const message =
      parameter === undefined
        ? `The model "${model.model}" has no parameter "${name}". GET /api/v1/models/${model.model}/params-schema lists its parameters.`
        : parameterProblem(parameter, value);
    return message === undefined
      ? []
      : [{ code: "INVALID_MODEL_PARAMETER" as const, path: `model_parameters.${name}`, message }];
  });
}

function parameterProblem(parameter: ModelParameter, value: JsonValue): string | undefined {
  const { name } = parameter;
  switch (parameter.type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : `"${name}" must be true or false.`;
    case "text":
      return typeof value === "string" ? undefined : `"${name}" must be a text.`;
    case "enum":
      return typeof value === "string" && parameter.allowed_values.includes(value)
        ? undefined
        : `"${name}" must be one of ${parameter.allowed_values.join(", ")}.`;
    default: {
      const number = value instanceof ExactNumber ? value.toNumber() : value;
      const { type, min, max } = parameter;
      const fits =
        typeof number === "number" &&
        (type === "number" || Number.isInteger(number)) &&
        number >= min &&
        number <= max;
      return fits
        ? undefined
        : `"${name}" must be ${type === "integer" ? "a whole number" : "a number"} from ${min} to ${max}.`;
    }
  }
}

/** Failures after which the next model of a chain is asked. */
const FALLS_BACK: ReadonlySet<string> = new Set([
  "PROVIDER_UNAVAILABLE",
  "PROVIDER_RATE_LIMITED",
  "PROVIDER_TIMEOUT",
  "PROVIDER_BAD_OUTPUT",
  "PROVIDER_AUTH_FAILED",
  "PROVIDER_QUOTA_EXCEEDED",
  "PROVIDER_JOB_FAILED",
  "PROVIDER_JOB_CANCELLED",
]);

/**
 * Asks the models of a chain in order until one answers. A failure that another attempt may avoid is thrown, so that
 * the task is retried with the same model; the next model is asked after the last attempt (`attempt`, from 1) or after
 * a failure that would occur again.
 */
export async function askInOrder<T>(
  chain: readonly ReferencedModel[],
  params: ModelParams,
  attempt: number,
  ask: (model: ReferencedModel) => Promise<T>,
): Promise<T> {
  const last = chain.at(-1);
  for (const model of chain) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- the next model is asked only if this one fails
      return await ask(model);
    } catch (error) {
      if (model === last || !fallsBack(error, params) || (isRetried(error) && attempt < ATTEMPTS)) {
        throw error;
      }
    }
  }
  throw new NodeError("INTERNAL_NODE_ERROR", "The node has no model.");
}

/**
 * Begins the calls of a task side by side; returns once each can be ended. A failure for good gives up the jobs of all of
 * them; the jobs of a task that is given back go on.
 */
export async function beginAll(
  { models, task }: Pick<TaskContext<"models">, "models" | "task">,
  begin: readonly (() => Promise<void>)[],
): Promise<void> {
  let suspended: TaskSuspended | undefined;
  for (const one of begin) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one call at a time holds the pictures of its prompt
      await one();
    } catch (error) {
      if (error instanceof TaskSuspended) {
        suspended = error;
        continue;
      }
      const isOffered = isRetried(error) && task.attempt < ATTEMPTS;
      if (!isOffered && !(error instanceof TaskGivenBack)) {
        await models.giveUp();
      }
      throw error;
    }
  }
  if (suspended !== undefined) {
    throw suspended;
  }
}

const ATTEMPTS = LIMITS.attempts.value;

function isRetried(error: unknown): boolean {
  return error instanceof NodeError && error.retryable;
}

function fallsBack(error: unknown, params: ModelParams): boolean {
  return (
    error instanceof NodeError &&
    (FALLS_BACK.has(error.code) || (error.code === "CONTENT_REFUSED" && params.fallback_on_refusal))
  );
}

/** The number of tokens of a text that nobody has counted: an upper bound for most languages. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}

/** A preset or an effect as a run refers to it. */
interface Vocabulary {
  readonly prompt_fragment: string;
  readonly supports_intensity?: boolean;
}

/** What a node's preset or effect adds to the prompt, undefined without one. */
export function vocabularyOf(
  stored: StoredReferences,
  path: "preset" | "effect",
): Vocabulary | undefined {
  return contentAt<Vocabulary>(stored, path);
}

/** The reference to a preset of a category; none without a code. */
export function presetReferences(
  category: string,
  code: string | null | undefined,
): NamedReference[] {
  return code === null || code === undefined
    ? []
    : [
        {
          kind: "preset",
          id: `${category}/${code}`,
          revision: null,
          path: "preset",
          missingCode: "UNKNOWN_PRESET",
          missingMessage: `There is no preset "${code}" of the category ${category}. GET /api/v1/presets?category=${category} lists them.`,
        },
      ];
}

/** The reference to an effect; none without a code. */
export function effectReferences(code: string | null | undefined): NamedReference[] {
  return code === null || code === undefined
    ? []
    : [
        {
          kind: "effect",
          id: code,
          revision: null,
          path: "effect",
          missingCode: "UNKNOWN_EFFECT",
          missingMessage: `There is no effect "${code}". GET /api/v1/effects lists them.`,
        },
      ];
}

/** The parameter for a preset of a category. */
export function presetParameter(category: string, title: string) {
  return z.string().min(1).max(LIMITS.identifier.value).nullish().meta({
    title,
    parameter_type: "preset",
    category,
    exposable: true,
  });
}
