import * as z from "zod";
import type { RepairTurn, TextAnswer, TokenUsage } from "../../contracts/models/model-calls.ts";
import { integerField, jsonSchemaField } from "../../contracts/workflows/node-parameters.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { parseAnswer } from "../../lib/json/json-answer.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import {
  askInOrder,
  chargeForTokens,
  estimateTokens,
  modelChain,
  modelParameterIssues,
  modelParameters,
  modelReferences,
  presetParameter,
  presetReferences,
  tokenCost,
  unsupportedModels,
  vocabularyOf,
} from "../define-models.ts";
import { defineNode } from "../define-node.ts";
import type { NodeInputs, RunValue } from "../define-ports.ts";
import { NEEDS, type SchemaCheck } from "../define-tools.ts";

const CAPABILITY = "text_generation";
/** Tokens that a picture is counted as before a model has counted it. */
const TOKENS_OF_IMAGE = 1_000;
/** Violations that a model is told of. */
const LISTED_MAX = 20;

const params = z.strictObject({
  ...modelParameters,
  system: z.string().max(LIMITS.template.value).optional().meta({
    title: "Instructions",
    description: "What the model should always keep to. A connected text takes precedence.",
    exposable: true,
  }),
  preset: presetParameter("text_tone", "Tone"),
  json_schema: jsonSchemaField.optional().meta({
    title: "JSON Schema",
    description: "The answer is a JSON document that conforms, on the port `json`.",
    parameter_type: "json",
  }),
  max_output_tokens: integerField(1, 32_768).default(1_024).meta({
    title: "Longest answer",
    description: "In tokens of the model.",
  }),
  max_input_tokens: integerField(1, 200_000).default(8_192).meta({
    title: "Longest input",
    description: "In tokens; a longer input is refused before anything is sent.",
    advanced: true,
  }),
  temperature: z.number().min(0).max(2).nullish().meta({
    title: "Temperature",
    description: "0 for the likeliest answer, 2 for the most varied.",
    advanced: true,
  }),
  seed: integerField(0, 2 ** 31 - 1)
    .nullish()
    .meta({ title: "Seed", description: "For models that repeat an answer.", advanced: true }),
  stream: z.boolean().default(true).meta({
    title: "Stream",
    description: "Send the text as it grows to clients that watch the run.",
    advanced: true,
  }),
  repair_attempts: integerField(0, 2).default(1).meta({
    title: "Repair attempts",
    description: "How often an answer that does not conform to the schema is sent back.",
    advanced: true,
  }),
});

type Params = z.output<typeof params>;

/** Texts, from a prompt and pictures, by a language model (docs/contract/models.md#text). */
export const aiTextGeneration = defineNode({
  type: "ai/text_generation",
  version: "1.1",
  name: "Generate text",
  description: "Asks a language model for a text, or for a JSON document of a given schema.",
  whenToUse:
    "For captions, descriptions, summaries, and for values taken out of texts and pictures.",
  subCategory: "text",
  status: "preview",
  icon: "sparkles",
  color: "#7c3aed",
  capabilities: [CAPABILITY],
  inputs: [
    { name: "prompt", type: "text", label: "Prompt" },
    { name: "system", type: "text", required: false, label: "Instructions" },
    {
      name: "images",
      type: "image",
      required: false,
      list: { minCount: 0, maxCount: 8, compact: true },
      label: "Pictures",
    },
  ],
  outputs: [{ name: "text", type: "text", label: "Text" }],
  params,
  references: (given) => [
    ...modelReferences(given, [CAPABILITY]),
    ...presetReferences("text_tone", given.preset),
  ],
  dynamicPorts: {
    descriptors: [
      {
        derivation: "when_set",
        direction: "output",
        parameter: "json_schema",
        port_name: "json",
        port_type: "json",
      },
    ],
    resolve: ({ json_schema: schema }) => ({
      outputs: schema === undefined ? [] : [{ name: "json", type: "json", label: "JSON" }],
    }),
  },
  schemas: ({ json_schema: schema }) =>
    schema === undefined ? [] : [{ path: "json_schema", schema }],
  check: (given, connected, stored) => [
    ...unsupportedModels(given, stored, {
      capability: CAPABILITY,
      needsVision: connected.some(({ port }) => port === "images"),
    }),
    ...modelParameterIssues(given, stored, CAPABILITY),
  ],
  cost: {
    unit: "token",
    milliCredits: (given, _connected, stored) =>
      tokenCost(
        modelChain(given, stored, CAPABILITY),
        { input: given.max_input_tokens, output: given.max_output_tokens },
        given.json_schema === undefined ? 1 : 1 + given.repair_attempts,
      ),
    isCeiling: true,
  },
  role: "transform",
  placement: "task",
  needs: ["models", "schemas"],
  timeLimitMs: 600_000,
  // An answer with its envelope; the pictures of a call with the conversion of one of them.
  memoryBytes: (_params, files) =>
    files.length === 0 ? NEEDS.models.memoryBytes : NEEDS.images.memoryBytes,
  async run(ctx, inputs, given) {
    const images = inputs.list("images").filter((value) => value instanceof FileRef);
    const system = systemText(
      inputs,
      given,
      vocabularyOf(ctx.references, "preset")?.prompt_fragment,
    );
    const prompt = inputs.text("prompt");
    requireShort(prompt, system, images.length, given.max_input_tokens);
    const check =
      given.json_schema === undefined ? null : await ctx.schemas.compile(given.json_schema);
    const used: { tokens: TokenUsage; milliCredits: number } = {
      tokens: { input: 0, output: 0 },
      milliCredits: 0,
    };
    const chain = modelChain(given, ctx.references, CAPABILITY);
    return await askInOrder(chain, given, ctx.task.attempt, async (model) => {
      const turns: RepairTurn[] = [];
      for (let round = 0; ; round++) {
        const answer = await ctx.models.generateText(
          model,
          {
            system: system === "" ? null : system,
            prompt,
            images,
            turns,
            maxOutputTokens: given.max_output_tokens,
            temperature: given.temperature ?? null,
            seed: given.seed ?? null,
            jsonSchema: given.json_schema ?? null,
            // They belong to the first model; a fallback has others.
            parameters: model === chain[0] ? given.model_parameters : {},
          },
          { call: `${model.model} ${round}`, isStreamed: given.stream && check === null },
        );
        const tokens = answer.usage ?? countedTokens(prompt, system, turns, images.length, answer);
        used.tokens = {
          input: used.tokens.input + tokens.input,
          output: used.tokens.output + tokens.output,
        };
        used.milliCredits += chargeForTokens(model, tokens);
        ctx.task.charge({
          milliCredits: used.milliCredits,
          quantity: used.tokens.input + used.tokens.output,
        });
        if (check === null) {
          return new Map<string, RunValue>([["text", answer.text]]);
        }
        const read = readDocument(answer, check);
        if ("document" in read) {
          return new Map<string, RunValue>([
            ["text", read.text],
            ["json", read.document],
          ]);
        }
        if (round >= given.repair_attempts) {
          throw new NodeError(
            "JSON_SCHEMA_VIOLATION",
            `The model's answer does not conform to json_schema, after ${round} repairs.`,
          );
        }
        turns.push({ answer: answer.text, complaint: read.complaint });
      }
    });
  },
});

function systemText(inputs: NodeInputs, { system }: Params, tone: string | undefined): string {
  const own = inputs.has("system") ? inputs.text("system") : (system ?? "");
  return [own, tone ?? ""].filter((line) => line !== "").join("\n");
}

function requireShort(prompt: string, system: string, images: number, max: number): void {
  const tokens = estimateTokens(prompt) + estimateTokens(system) + images * TOKENS_OF_IMAGE;
  if (tokens > max) {
    throw new NodeError(
      "INPUT_TOO_LONG",
      `The input has about ${tokens} tokens, and max_input_tokens is ${max}. Shorten it or raise the limit.`,
    );
  }
}

/** What an answer used, if its provider does not say: counted as a third of the bytes. */
function countedTokens(
  prompt: string,
  system: string,
  turns: readonly RepairTurn[],
  images: number,
  answer: TextAnswer,
): TokenUsage {
  const said = turns.map((turn) => `${turn.answer}${turn.complaint}`).join("");
  return {
    input: estimateTokens(`${system}${prompt}${said}`) + images * TOKENS_OF_IMAGE,
    output: estimateTokens(answer.text),
  };
}

/** The document in an answer, or what is wrong with it. Throws NodeError `OUTPUT_TRUNCATED`. */
function readDocument(
  answer: TextAnswer,
  check: SchemaCheck,
): { readonly text: string; readonly document: JsonValue } | { readonly complaint: string } {
  if (answer.isCutOff) {
    throw new NodeError(
      "OUTPUT_TRUNCATED",
      "The model's answer was cut off at max_output_tokens, so the document is not complete. Raise the limit.",
    );
  }
  const read = parseAnswer(answer.text);
  if (read === undefined) {
    return {
      complaint:
        "Your answer is not a JSON document, or one of too many parts. Answer with the corrected JSON document only.",
    };
  }
  const violations = check(read.document);
  if (violations.length === 0) {
    return read;
  }
  const listed = violations
    .slice(0, LISTED_MAX)
    .map(({ path, message }) => `${path === "" ? "the document" : path}: ${message}`);
  return {
    complaint: `Your answer does not conform to the schema:\n${listed.join("\n")}\nAnswer with the corrected JSON document only.`,
  };
}
