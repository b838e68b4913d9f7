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
import { referencedModel } from "../../../../src/domain/models/referenced-model.ts";
import { standingProviders } from "../../../../src/domain/models/workspace-models.ts";
import { FIRST_REVISION } from "../../../../src/providers/model-entry.ts";

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

test("an operator's model is another one with any other entry or base address, for what its results are known by", () => {
  const revisionOf = (baseUrl: string | null, rest: object = {}) => {
    const { available } = modelsOf([configured({ id: "own", baseUrl, models: [model(rest)] })]);
    return referencedModel(available.find(({ entry }) => entry.model === "my-flux")!).revision;
  };
  const one = revisionOf("http://127.0.0.1:1");
  expect(one).toMatch(/^[0-9a-f]{64}$/);
  expect(revisionOf("http://127.0.0.1:1")).toBe(one);
  const others = [
    revisionOf("http://127.0.0.1:2"),
    revisionOf(null),
    revisionOf("http://127.0.0.1:1", { remote_model: "flux-2" }),
    revisionOf("http://127.0.0.1:1", { credit_cost_milli_credits: 301 }),
    revisionOf("http://127.0.0.1:1", { timeout_ms: 60_000 }),
  ];
  expect(new Set([one, ...others]).size).toBe(6);
  // A built-in entry names its own, whatever it costs.
  const { available } = modelsOf([], { SAMPLE_PROVIDER: "on" });
  expect(new Set(available.map((each) => referencedModel(each).revision))).toEqual(
    new Set(available.map(({ entry }) => entry.revision ?? FIRST_REVISION)),
  );
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
