/** docs/contract/models.md#text: `ai/text_generation`, whichever provider answers. */
import { describe, expect, test } from "vitest";
import type {
  ReferencedModel,
  TextAnswer,
  TextPrompt,
} from "../../../../src/contracts/models/model-calls.ts";
import type { StoredReferences } from "../../../../src/contracts/references.ts";
import { checkWithReferences } from "../../../../src/domain/workflows/definition/check-definition.ts";
import { checkSchemas } from "../../../../src/domain/workflows/definition/check-schemas.ts";
import { compileSchema } from "../../../../src/expressions/json-schema.ts";
import type { JsonValue } from "../../../../src/lib/json/exact-json.ts";
import { FileRef } from "../../../../src/lib/files/file-ref.ts";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import { aiTextGeneration } from "../../../../src/nodes/ai/text-generation.ts";
import type { TaskContext } from "../../../../src/nodes/define-tools.ts";
import { findNodeType } from "../../../../src/nodes/registry.ts";
import { modelStore, TINY } from "../../../support/models/referenced-models.ts";
import { inputsOf } from "../run-node.ts";

const LARGE: ReferencedModel = {
  ...TINY,
  model: "large",
  input_milli_credits_per_1k: 30,
  output_milli_credits_per_1k: 90,
};
const BLIND: ReferencedModel = { ...TINY, model: "blind", supports_vision: false };
const PAINTER: ReferencedModel = { ...TINY, model: "painter", capabilities: ["text_to_image"] };
const shown = { label: "A parameter", advanced: false };
const TUNED: ReferencedModel = {
  ...TINY,
  model: "tuned",
  parameters: [
    { ...shown, name: "effort", type: "enum", allowed_values: ["low", "high"], default: "low" },
    { ...shown, name: "depth", type: "integer", min: 1, max: 5, step: 1, default: 1 },
    { ...shown, name: "cited", type: "boolean", default: false },
  ],
};
const FLAT: ReferencedModel = {
  ...TINY,
  model: "flat",
  cost_unit: "per_request",
  credit_cost_milli_credits: 10,
  input_milli_credits_per_1k: null,
  output_milli_credits_per_1k: null,
};
const MODELS = [TINY, LARGE, BLIND, PAINTER, TUNED, FLAT];
const PRESETS = {
  "text_tone/formal": { prompt_fragment: "Write in a formal, courteous tone." },
};
const resolve = modelStore(MODELS, PRESETS);
const SCHEMA = {
  type: "object",
  properties: { color: { enum: ["red", "blue"] } },
  required: ["color"],
  additionalProperties: false,
};

/** The content of each reference of the node, by path. */
async function referencesOf(params: object): Promise<StoredReferences> {
  const named = aiTextGeneration.references?.(aiTextGeneration.params.parse(params)) ?? [];
  const found = await Promise.all(
    named.map(async (one) => ({ ...one, found: await resolve([one]) })),
  );
  return new Map(
    found.flatMap(({ path, found: [content] }) =>
      content === undefined ? [] : [[path, { ...content, path }] as const],
    ),
  );
}

interface Ran {
  readonly outputs: Record<string, unknown> | undefined;
  readonly failure: string | undefined;
  readonly calls: readonly (TextPrompt & { readonly model: string; readonly call: string })[];
  readonly charge: { milliCredits: number; quantity: number | null } | undefined;
}

type Script = (model: string, round: number) => Partial<TextAnswer> | NodeError;

/** Runs the node once with a scripted model. */
async function run(
  params: object,
  script: Script,
  { attempt = 1, ports = {} }: { readonly attempt?: number; readonly ports?: object } = {},
): Promise<Ran> {
  const calls: (TextPrompt & { readonly model: string; readonly call: string })[] = [];
  let charge: Ran["charge"];
  const ctx = {
    schemas: { compile: compileSchema },
    references: await referencesOf(params),
    task: { attempt, charge: (given: typeof charge) => (charge = given) },
    models: {
      generateText: (model: ReferencedModel, prompt: TextPrompt, { call }: { call: string }) => {
        const answer = script(model.model, calls.filter((one) => one.model === model.model).length);
        // A copy: the node goes on adding to its list of turns.
        calls.push({ ...prompt, turns: [...prompt.turns], model: model.model, call });
        return answer instanceof NodeError
          ? Promise.reject(answer)
          : Promise.resolve({ text: "", isCutOff: false, usage: null, ...answer });
      },
    },
  } as unknown as TaskContext;
  const inputs = inputsOf({ prompt: "Name a color.", ...ports });
  try {
    const outputs = await aiTextGeneration.run(ctx, inputs, aiTextGeneration.params.parse(params));
    return { outputs: Object.fromEntries(outputs), failure: undefined, calls, charge };
  } catch (error) {
    if (!(error instanceof NodeError)) {
      throw error;
    }
    return { outputs: undefined, failure: error.code, calls, charge };
  }
}

const blue = (): Partial<TextAnswer> => ({ text: "Blue.", usage: { input: 1_200, output: 40 } });

describe("an answer", () => {
  test("is the text, and is charged by the tokens that the provider reports, rounded up", async () => {
    const ran = await run({}, blue);
    expect(ran.outputs).toEqual({ text: "Blue." });
    // 1,200 × 2 / 1,000 + 40 × 6 / 1,000 = 2.64
    expect(ran.charge).toEqual({ milliCredits: 3, quantity: 1_240 });
  });

  test("without a report is charged by a third of its bytes", async () => {
    const ran = await run({ system: "Be brief." }, () => ({ text: "é".repeat(3_000) }));
    // ⌈(9 + 13) / 3⌉ = 8 in, ⌈6,000 / 3⌉ = 2,000 out: 0.016 + 12
    expect(ran.charge).toEqual({ milliCredits: 13, quantity: 2_008 });
  });

  test("of a model with a price for each request is charged by requests, and each repair is one", async () => {
    const ran = await run({ model: "flat" }, blue);
    expect(ran.charge).toEqual({ milliCredits: 10, quantity: 1_240 });
    const params = { model: "flat", json_schema: SCHEMA };
    const repaired = await run(params, (_model, round) => ({
      text: round === 0 ? "Blue." : '{"color": "blue"}',
    }));
    expect(repaired.charge?.milliCredits).toBe(20);
    // The reservation, with one repair.
    const given = aiTextGeneration.params.parse(params);
    const { milliCredits } = aiTextGeneration.cost!;
    expect(
      typeof milliCredits === "function" && milliCredits(given, [], await referencesOf(params)),
    ).toBe(20);
  });

  test("is asked for with the connected instructions, else the saved ones, and the preset's words", async () => {
    const saved = await run({ system: "Saved.", preset: "formal" }, blue);
    const connected = await run({ system: "Saved." }, blue, { ports: { system: "Connected." } });
    const none = await run({}, blue);
    expect([saved, connected, none].map(({ calls }) => calls[0]?.system)).toEqual([
      "Saved.\nWrite in a formal, courteous tone.",
      "Connected.",
      null,
    ]);
  });

  test("too long an input is refused before anything is sent", async () => {
    const image = new FileRef({ key: "k", name: "a.png", contentType: "image/png", sizeBytes: 9 });
    const params = { max_input_tokens: 1_005 };
    const fits = await run(params, blue, { ports: { prompt: "x".repeat(15), images: [image] } });
    const exceeds = await run(params, blue, { ports: { prompt: "x".repeat(16), images: [image] } });
    expect([fits.failure, fits.calls.length]).toEqual([undefined, 1]);
    expect([exceeds.failure, exceeds.calls.length]).toEqual(["INPUT_TOO_LONG", 0]);
  });
});

describe("a document of a schema", () => {
  test("is on the port json, without the fence around it", async () => {
    const ran = await run({ json_schema: SCHEMA }, () => ({
      text: '```json\n{"color": "blue"}\n```\n',
    }));
    expect(ran.outputs).toEqual({ text: '{"color": "blue"}', json: { color: "blue" } });
  });

  test("is repaired with a list of what is wrong, and the rounds are charged together", async () => {
    const usage = { input: 1_000, output: 1_000 };
    const ran = await run({ json_schema: SCHEMA, repair_attempts: 2 }, (_model, round) => ({
      text: ['{"color":"green"}', "I would say blue", '{"color":"blue"}'][round] ?? "",
      usage,
    }));
    expect(ran.outputs?.["json"]).toEqual({ color: "blue" });
    expect(ran.charge).toEqual({ milliCredits: 24, quantity: 6_000 });
    expect(ran.calls.map(({ turns }) => turns.map(({ answer }) => answer))).toEqual([
      [],
      ['{"color":"green"}'],
      ['{"color":"green"}', "I would say blue"],
    ]);
    expect(ran.calls[1]?.turns[0]?.complaint).toContain("color");
    expect(new Set(ran.calls.map(({ call }) => call)).size).toBe(3);
  });

  test("that is never right fails, and its tokens are charged", async () => {
    const ran = await run({ json_schema: SCHEMA, repair_attempts: 1 }, () => ({
      text: "{}",
      usage: { input: 500, output: 0 },
    }));
    expect([ran.failure, ran.calls.length, ran.charge?.milliCredits]).toEqual([
      "JSON_SCHEMA_VIOLATION",
      2,
      2,
    ]);
  });

  test("that was cut off fails at once", async () => {
    const ran = await run({ json_schema: SCHEMA }, () => ({ text: '{"col', isCutOff: true }));
    expect([ran.failure, ran.calls.length]).toEqual(["OUTPUT_TRUNCATED", 1]);
  });

  test.each([
    ["numbers", `[${"0,".repeat(200_000)}0]`],
    ["lists", `[${"[],".repeat(60_000)}0]`],
    ["members", `{${Array.from({ length: 50_000 }, (_, i) => `"${i}":0`).join(",")}}`],
  ])("of more %s than any answer of 32,768 tokens has is not read", async (_, text) => {
    const ran = await run({ json_schema: {}, repair_attempts: 0 }, () => ({ text }));
    expect(ran.failure).toBe("JSON_SCHEMA_VIOLATION");
  });

  test("has as many parts as an answer of 32,768 tokens can have", async () => {
    // Each of them one token and a comma.
    const text = `[${"123,".repeat(32_768 * 2)}0]`;
    const ran = await run({ json_schema: {}, repair_attempts: 0 }, () => ({ text }));
    expect(ran.outputs?.["text"]).toBe(text);
  });

  test.each(['{"color":"blue"', "[".repeat(5_000), '```json\n{"color":"blue"}', ""])(
    "is not in %j",
    async (answer) => {
      const ran = await run({ json_schema: SCHEMA, repair_attempts: 0 }, () => ({ text: answer }));
      expect(ran.failure).toBe("JSON_SCHEMA_VIOLATION");
    },
  );
});

describe("fallback models", () => {
  const failing =
    (code: ConstructorParameters<typeof NodeError>[0], retryable = false): Script =>
    (model) =>
      model === "tiny" ? new NodeError(code, "…", { retryable }) : blue();
  const params = { model: "tiny", fallback_models: ["large"] };
  const asked = ({ calls }: Ran) => calls.map(({ model }) => model);

  test.each(["PROVIDER_AUTH_FAILED", "PROVIDER_QUOTA_EXCEEDED"] as const)(
    "are asked after %s",
    async (code) => {
      const ran = await run(params, failing(code));
      expect([asked(ran), ran.outputs?.["text"]]).toEqual([["tiny", "large"], "Blue."]);
      // 1,200 × 30 / 1,000 + 40 × 90 / 1,000 = 39.6
      expect(ran.charge?.milliCredits).toBe(40);
    },
  );

  test("are asked after a failure that passes only when the last attempt met it", async () => {
    const script = failing("PROVIDER_UNAVAILABLE", true);
    const first = await run(params, script);
    const last = await run(params, script, { attempt: 4 });
    expect([asked(first), first.failure]).toEqual([["tiny"], "PROVIDER_UNAVAILABLE"]);
    expect([asked(last), last.outputs?.["text"]]).toEqual([["tiny", "large"], "Blue."]);
  });

  test("are not asked after a rejected request, and after a refusal only on demand", async () => {
    const rejected = await run(params, failing("PROVIDER_REJECTED"));
    const refused = await run(params, failing("CONTENT_REFUSED"));
    const demanded = await run(
      { ...params, fallback_on_refusal: true },
      failing("CONTENT_REFUSED"),
    );
    expect([rejected, refused, demanded].map(asked)).toEqual([
      ["tiny"],
      ["tiny"],
      ["tiny", "large"],
    ]);
  });

  test("do not get the parameters of the first model", async () => {
    const ran = await run(
      { model: "tuned", model_parameters: { effort: "high" }, fallback_models: ["large"] },
      (model) => (model === "tuned" ? new NodeError("PROVIDER_AUTH_FAILED", "…") : blue()),
    );
    expect(ran.calls.map(({ parameters }) => parameters)).toEqual([{ effort: "high" }, {}]);
  });
});

describe("a definition", () => {
  const definition = (parameters: object, isSeeing = false): JsonValue =>
    ({
      nodes: [
        { id: "prompt", type: "input/text" },
        { id: "write", type: "ai/text_generation", parameters },
        { id: "out", type: "output/text" },
        ...(isSeeing ? [{ id: "photo", type: "input/image" }] : []),
      ],
      connections: [
        { from: { node: "prompt", port: "text" }, to: { node: "write", port: "prompt" } },
        { from: { node: "write", port: "text" }, to: { node: "out", port: "text" } },
        ...(isSeeing
          ? [{ from: { node: "photo", port: "image" }, to: { node: "write", port: "images" } }]
          : []),
      ],
    }) as unknown as JsonValue;
  const issuesOf = async (parameters: object, isSeeing = false) =>
    (await checkWithReferences(definition(parameters, isSeeing), resolve, findNodeType)).errors.map(
      ({ code, path }) => `${code} ${path}`,
    );
  const at = "nodes[1].parameters";

  test.each([
    [{}, []],
    [{ model: "large", fallback_models: ["tiny"], preset: "formal" }, []],
    [{ model: "unknown" }, [`MODEL_NOT_AVAILABLE ${at}.model`]],
    [{ fallback_models: ["tiny", "unknown"] }, [`MODEL_NOT_AVAILABLE ${at}.fallback_models[1]`]],
    [{ model: "painter" }, [`MODEL_NOT_SUPPORTED ${at}.model`]],
    [{ preset: "cinematic" }, [`UNKNOWN_PRESET ${at}.preset`]],
    [{ model: "tuned", model_parameters: { effort: "high", depth: 5, cited: true } }, []],
    [
      { model: "tuned", model_parameters: { effort: "medium", depth: 6, cited: "yes", style: 1 } },
      ["effort", "depth", "cited", "style"].map(
        (name) => `INVALID_MODEL_PARAMETER ${at}.model_parameters.${name}`,
      ),
    ],
    [{ model: "Not a slug" }, [`INVALID_PARAMETER ${at}.model`]],
    [{ max_output_tokens: 0 }, [`INVALID_PARAMETER ${at}.max_output_tokens`]],
    [{ fallback_models: ["a", "b", "c", "d"] }, [`INVALID_PARAMETER ${at}.fallback_models`]],
  ])("with %j", async (parameters, expected) => {
    expect(await issuesOf(parameters)).toEqual(expected);
  });

  test("with a schema that cannot be used", async () => {
    const checked = await checkWithReferences(
      definition({ json_schema: { type: "nothing" } }),
      resolve,
      findNodeType,
    );
    const issues = await checkSchemas(checked);
    expect(issues.map(({ code, path }) => `${code} ${path}`)).toEqual([
      `INVALID_SCHEMA ${at}.json_schema`,
    ]);
  });

  test("with pictures needs models that see", async () => {
    expect(await issuesOf({ model: "blind" })).toEqual([]);
    expect(await issuesOf({ fallback_models: ["blind"] }, true)).toEqual([
      `MODEL_NOT_SUPPORTED ${at}.fallback_models[0]`,
    ]);
  });

  test("reserves the most expensive model of the chain, with its repairs", async () => {
    const costOf = async (parameters: object) => {
      const { plan } = await checkWithReferences(definition(parameters), resolve, findNodeType);
      return plan?.nodes.find(({ id }) => id === "write")?.costMilliCredits;
    };
    const tokens = { max_input_tokens: 1_000, max_output_tokens: 500 };
    expect(await costOf(tokens)).toBe(5);
    expect(await costOf({ ...tokens, fallback_models: ["large"] })).toBe(75);
    expect(await costOf({ ...tokens, json_schema: SCHEMA, repair_attempts: 2 })).toBe(15);
  });
});
