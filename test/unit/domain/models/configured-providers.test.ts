import { describe, expect, test } from "vitest";
import { MODEL_CAPABILITIES } from "../../../../src/contracts/models/model.ts";
import { PROVIDER_KINDS, ProviderModel } from "../../../../src/contracts/models/provider.ts";
import { availableModels } from "../../../../src/domain/models/available-models.ts";
import {
  type ConfiguredProvider,
  usableProviders,
} from "../../../../src/domain/models/configured-providers.ts";
import { getModelParameters } from "../../../../src/domain/models/get-model-parameters.ts";
import { listModels } from "../../../../src/domain/models/list-models.ts";
import { standingProviders } from "../../../../src/domain/models/workspace-models.ts";

const EVERY = Object.fromEntries(PROVIDER_KINDS.map((kind) => [kind, MODEL_CAPABILITIES]));
const configured = (rest: Partial<ConfiguredProvider>): ConfiguredProvider => ({
  id: "fal",
  kind: "fal",
  scope: "system",
  isEnabled: true,
  hasKey: true,
  baseUrl: null,
  catalog: null,
  prices: {},
  models: [],
  ...rest,
});
const modelsOf = (providers: readonly ConfiguredProvider[], env = {}) => ({
  available: availableModels(usableProviders(providers, standingProviders(env)), EVERY),
  overrides: new Map(),
});
const slugs = (providers: readonly ConfiguredProvider[], env = { SAMPLE_PROVIDER: "off" }) =>
  listModels(modelsOf(providers, env), {}).data.map(
    ({ model, provider }) => `${provider}:${model}`,
  );

const model = (rest: object) =>
  ProviderModel.parse({
    model: "my-flux",
    capabilities: ["text_to_image"],
    cost_unit: "per_image",
    credit_cost_milli_credits: 300,
    ...rest,
  });

describe("the providers of a workspace", () => {
  test("are those that are enabled and have their key or binding", () => {
    expect(slugs([configured({})])).toContain("fal:fal-demucs");
    expect(slugs([configured({ hasKey: false })])).toEqual([]);
    expect(slugs([configured({ isEnabled: false })])).toEqual([]);
    const local = configured({ id: "local", kind: "openai_compatible", hasKey: false });
    expect(slugs([{ ...local, models: [model({})] }])).toEqual(["local:my-flux"]);
    const ai = configured({ id: "workers_ai", kind: "workers_ai", hasKey: false });
    expect(slugs([ai])).toEqual([]);
    const priced = { ...ai, prices: { "cf-flux-schnell": { credit_cost_milli_credits: 9 } } };
    const { data } = listModels(modelsOf([priced], { AI: {}, SAMPLE_PROVIDER: "off" }), {});
    expect(data.map((each) => [each.model, each.credit_cost_milli_credits])).toContainEqual([
      "cf-flux-schnell",
      9,
    ]);
    expect(
      modelsOf([{ ...ai, isEnabled: false }], { AI: {} }).available.map(({ provider }) => provider),
    ).not.toContain("workers_ai");
  });

  test("are its own before the system's: an entry replaces the one of the same id, or hides it", () => {
    const own = configured({
      scope: "workspace",
      prices: { "fal-demucs": { credit_cost_milli_credits: 1 } },
    });
    for (const order of [
      [configured({}), own],
      [own, configured({})],
    ]) {
      const [demucs] = listModels(modelsOf(order), { capability: "stem_separation" }).data;
      expect(demucs).toMatchObject({ model: "fal-demucs", credit_cost_milli_credits: 1 });
      expect(slugs(order.map((each) => ({ ...each, isEnabled: each.scope === "system" })))).toEqual(
        [],
      );
    }
  });

  test("replace those of the environment, which the system's replace, too", () => {
    const scopes = (["environment", "system", "workspace"] as const).map((scope, at) =>
      configured({ scope, prices: { "fal-demucs": { credit_cost_milli_credits: at } } }),
    );
    const cost = (of: readonly ConfiguredProvider[]) =>
      listModels(modelsOf(of), { capability: "stem_separation" }).data[0]
        ?.credit_cost_milli_credits;
    expect(cost(scopes)).toBe(2);
    expect(cost(scopes.toReversed())).toBe(2);
    expect(cost(scopes.slice(0, 2))).toBe(1);
    expect(cost(scopes.slice(0, 1))).toBe(0);
  });

  test("give a slug of both to the workspace's provider", () => {
    const system = configured({ id: "a", kind: "openai_compatible", models: [model({})] });
    const own = configured({ ...system, id: "z", scope: "workspace" });
    expect(slugs([system, own])).toEqual(["z:my-flux"]);
  });
});

test("an operator's model shows what it was configured with", () => {
  const chat = model({
    model: "llama",
    capabilities: ["text_generation"],
    cost_unit: "per_1k_tokens",
    credit_cost_milli_credits: undefined,
    input_milli_credits_per_1k: 3,
    output_milli_credits_per_1k: 5,
    supports_vision: true,
    max_input_images: 4,
  });
  const models = modelsOf([
    configured({ id: "own", kind: "openai_compatible", models: [chat, model({})] }),
  ]);
  expect(listModels(models, { capability: "text_generation" }).data[0]).toMatchObject({
    model: "llama",
    display_name: "llama",
    provider: "own",
    credit_cost_milli_credits: 6,
    cost_basis: "per_call_estimate",
    max_input_images: 4,
    supports_vision: true,
    is_default: true,
  });
  expect(getModelParameters(models, "my-flux").hides_node_parameters).toEqual([
    "negative_prompt",
    "seed",
  ]);
});
