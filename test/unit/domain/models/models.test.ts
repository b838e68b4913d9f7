/** The catalog of models, with every provider callable and without. */
import { describe, expect, test } from "vitest";
import { CAPABILITIES } from "../../../../src/contracts/models/capabilities.ts";
import { EFFECTS } from "../../../../src/contracts/models/effects.ts";
import {
  MODEL_CAPABILITIES,
  type ModelCapability,
  ModelList,
  ModelParametersSchema,
  NodeTypeModels,
} from "../../../../src/contracts/models/model.ts";
import { EFFECT_CATEGORIES, PRESET_CATEGORIES } from "../../../../src/contracts/models/preset.ts";
import { PRESETS } from "../../../../src/contracts/models/presets.ts";
import { PROVIDER_KINDS, type ProviderKind } from "../../../../src/contracts/models/provider.ts";
import {
  listCapabilities,
  listEffects,
  listPresets,
} from "../../../../src/domain/catalog/list-vocabulary.ts";
import { availableModels } from "../../../../src/domain/models/available-models.ts";
import { getModelParameters } from "../../../../src/domain/models/get-model-parameters.ts";
import { getNodeTypeModels } from "../../../../src/domain/models/get-node-type-models.ts";
import { listModels } from "../../../../src/domain/models/list-models.ts";
import type { UsableProvider } from "../../../../src/domain/models/usable-provider.ts";
import {
  standingProviders,
  type WorkspaceModels,
} from "../../../../src/domain/models/workspace-models.ts";
import type { CallableKinds } from "../../../../src/providers/callable.ts";
import { BUILT_IN_MODELS } from "../../../../src/providers/entries.ts";
import type { ModelEntry } from "../../../../src/providers/model-entry.ts";

const EVERY: CallableKinds = Object.fromEntries(
  PROVIDER_KINDS.map((kind) => [kind, MODEL_CAPABILITIES]),
);
const provider = (
  id: string,
  kind: ProviderKind,
  rest: Partial<UsableProvider> = {},
): UsableProvider => ({ id, kind, catalog: null, prices: {}, models: [], ...rest });

const HOSTED = [
  provider("openai", "openai_compatible", { catalog: "openai" }),
  provider("replicate", "replicate"),
  provider("fal", "fal"),
  provider("elevenlabs", "elevenlabs"),
];
/** The catalog only looks whether the binding is there. */
const AI = { run: () => Promise.reject(new Error("The catalog runs no model.")) };
const STANDING = standingProviders({ AI });
const ALL = [...HOSTED, ...STANDING];

const world = (
  providers: readonly UsableProvider[],
  overrides: readonly (readonly [ModelCapability, string])[] = [],
  callable = EVERY,
): WorkspaceModels => ({
  available: availableModels(providers, callable),
  overrides: new Map(overrides),
});

const own = (model: string, capabilities: readonly ModelCapability[]): ModelEntry => ({
  model,
  remote_model: model,
  display_name: model,
  capabilities,
  price: { cost_unit: "per_image", credit_cost_milli_credits: 1 },
  quality_tier: "standard",
  speed_tier: "medium",
  timeout_ms: 120_000,
});

const slugs = (models: WorkspaceModels, capability?: string) =>
  listModels(models, { capability }).data.map(({ model }) => model);
const defaultOf = (models: WorkspaceModels, capability: ModelCapability) => {
  const [found] = getNodeTypeModels(
    { type: "ai/anything", capabilities: [capability] },
    models,
  ).capabilities;
  return [found?.default_model, found?.default_source];
};

describe("the models of a workspace", () => {
  test("have the names, units and prices of the contract", () => {
    const cost = (model: string) => {
      const { data } = listModels(world(ALL), {});
      const found = data.find((each) => each.model === model);
      return [found?.provider, found?.credit_cost_milli_credits, found?.cost_unit];
    };
    expect(Object.fromEntries(slugs(world(ALL)).map((model) => [model, cost(model)]))).toEqual({
      "bria-cutout": ["replicate", 1800, "per_request"],
      "cf-aura-1": ["workers_ai", 1500, "per_1k_characters"],
      "cf-flux-schnell": ["workers_ai", 50, "per_image"],
      "cf-llama-3-3-70b": ["workers_ai", 145, "per_1k_tokens"],
      "cf-whisper-turbo": ["workers_ai", 1, "per_second"],
      "eleven-flash-v2-5": ["elevenlabs", 9000, "per_1k_characters"],
      "eleven-multilingual-v2": ["elevenlabs", 18_000, "per_1k_characters"],
      "fal-birefnet": ["fal", 100, "per_request"],
      "fal-demucs": ["fal", 70, "per_second"],
      "fal-flux-kontext": ["fal", 4000, "per_image"],
      "fal-flux-schnell": ["fal", 300, "per_megapixel"],
      "flux-kontext-pro": ["replicate", 4000, "per_image"],
      "flux-schnell": ["replicate", 300, "per_image"],
      "gpt-4.1-mini": ["openai", 120, "per_1k_tokens"],
      "gpt-4o-mini-tts": ["openai", 1500, "per_1k_characters"],
      "gpt-image-1": ["openai", 4200, "per_image"],
      "nano-banana": ["replicate", 3900, "per_image"],
      "recraft-upscale": ["replicate", 600, "per_request"],
      "sample-cutout": ["sample", 50, "per_request"],
      "sample-image": ["sample", 100, "per_image"],
      "sample-stems": ["sample", 4, "per_second"],
      "sample-text": ["sample", 5, "per_1k_tokens"],
      "sample-transcript": ["sample", 2, "per_second"],
      "sample-upscale": ["sample", 20, "per_megapixel"],
      "sample-voice": ["sample", 40, "per_1k_characters"],
      "whisper-1": ["openai", 10, "per_second"],
    });
  });

  test("have slugs of the contract's form that no other has, and names at their providers", () => {
    const entries = [...BUILT_IN_MODELS.values()].flat();
    expect(new Set(entries.map(({ model }) => model)).size).toBe(entries.length);
    for (const entry of entries) {
      expect(entry.model).toMatch(/^[a-z0-9][a-z0-9._-]{0,79}$/);
      expect(entry.remote_model.length).toBeGreaterThan(0);
      const takesSeveral = entry.capabilities.includes("multi_image_edit");
      expect((entry.max_input_images ?? 0) > 1, entry.model).toBe(
        takesSeveral || entry.supports_vision === true,
      );
    }
    const jobs = [
      ...(BUILT_IN_MODELS.get("fal") ?? []),
      ...(BUILT_IN_MODELS.get("replicate") ?? []),
    ];
    expect(entries.map(({ timeout_ms }) => timeout_ms)).toEqual(
      entries.map((entry) => (jobs.includes(entry) ? 600_000 : 120_000)),
    );
    expect(entries.find(({ model }) => model === "gpt-image-1")?.sizes).toEqual([
      "1024x1024",
      "1536x1024",
      "1024x1536",
    ]);
  });

  test("show the cost of tokens as that of 1,000 in and 500 out, rounded up", () => {
    const odd = provider("openai", "openai_compatible", {
      catalog: "openai",
      prices: { "gpt-4.1-mini": { input_milli_credits_per_1k: 1, output_milli_credits_per_1k: 1 } },
    });
    const { data } = listModels(world([odd]), { capability: "text_generation" });
    expect(data).toMatchObject([
      {
        credit_cost_milli_credits: 2,
        credit_cost: 0.002,
        cost_basis: "per_call_estimate",
        input_milli_credits_per_1k: 1,
        output_milli_credits_per_1k: 1,
        supports_vision: true,
      },
    ]);
    const [image] = listModels(world([odd]), { capability: "image_edit" }).data;
    expect(image).toMatchObject({
      cost_basis: "per_unit",
      credit_cost: 4.2,
      input_milli_credits_per_1k: null,
      output_milli_credits_per_1k: null,
    });
  });

  test("take an operator's price, of their own unit only", () => {
    const priced = provider("r", "replicate", {
      prices: { "flux-schnell": { credit_cost_milli_credits: 7 }, __proto__: {} },
    });
    const { data } = listModels(world([priced]), { capability: "text_to_image" });
    expect(data.map((each) => [each.model, each.credit_cost_milli_credits])).toEqual([
      ["flux-schnell", 7],
      ["nano-banana", 3900],
    ]);
  });

  test("are only those that this release can call, with the capabilities that it can call", () => {
    expect(slugs(world(ALL, [], {}))).toEqual([]);
    expect(defaultOf(world(ALL, [], {}), "text_to_image")).toEqual([null, "system"]);
    const some = world(ALL, [], { sample: ["image_edit"] });
    expect(listModels(some, {}).data).toMatchObject([
      { model: "sample-image", capabilities: ["image_edit"], is_default: true },
    ]);
    expect(slugs(some, "text_to_image")).toEqual([]);
  });

  test("have OpenAI's entries only with its catalog, Workers AI's only with its binding", () => {
    expect(slugs(world([provider("local", "openai_compatible")]))).toEqual([]);
    expect(standingProviders({}).map(({ id }) => id)).toEqual(["sample"]);
    expect(standingProviders({ SAMPLE_PROVIDER: "off" })).toEqual([]);
    expect(standingProviders({ AI, SAMPLE_PROVIDER: "on" }).map(({ id }) => id)).toEqual([
      "workers_ai",
      "sample",
    ]);
  });

  test("belong to the first provider that offers the slug", () => {
    const twice = [provider("mine", "fal"), provider("all", "fal"), ...STANDING];
    const { data } = listModels(world(twice), { capability: "stem_separation" });
    expect(data.map(({ model, provider: id }) => [model, id])).toEqual([
      ["fal-demucs", "mine"],
      ["sample-stems", "sample"],
    ]);
  });

  test("are listed by slug with the slug as cursor, and none for an unknown capability", () => {
    const models = world(ALL);
    const whole = listModels(models, {});
    expect(ModelList.parse(whole)).toEqual(whole);
    expect(whole).toMatchObject({ has_more: false, next_cursor: null, total_count: 26 });
    expect(slugs(models)).toEqual(slugs(models).toSorted());
    const first = listModels(models, { limit: 4 });
    expect(first).toMatchObject({ has_more: true, next_cursor: first.data.at(-1)?.model });
    const next = listModels(models, { limit: 100, startingAfter: first.data.at(-1)?.model });
    expect([...first.data, ...next.data]).toEqual(whole.data);
    for (const unknown of ["telepathy", "constructor", ""]) {
      expect(listModels(models, { capability: unknown })).toMatchObject({
        data: [],
        total_count: 0,
      });
    }
    expect(() => listModels(models, { startingAfter: "none" })).toThrow(
      expect.objectContaining({ code: "invalid_request" }),
    );
  });
});

describe("the default of a capability", () => {
  test("follows the built-in list, then operators' models by provider and position, and sample last", () => {
    const z = provider("z", "openai_compatible", { models: [own("a", ["text_to_image"])] });
    const b = provider("b", "openai_compatible", {
      models: [own("y", ["text_to_image"]), own("x", ["text_to_image"])],
    });
    const standing = standingProviders({});
    expect(defaultOf(world([z, b, ...ALL]), "text_to_image")[0]).toBe("gpt-image-1");
    expect(defaultOf(world([z, ...ALL].slice(0, 1).concat(STANDING)), "text_to_image")[0]).toBe(
      "cf-flux-schnell",
    );
    expect(defaultOf(world([...standing, z, b]), "text_to_image")[0]).toBe("y");
    expect(defaultOf(world([...standing, z]), "text_to_image")[0]).toBe("a");
    expect(defaultOf(world(standing), "text_to_image")[0]).toBe("sample-image");
    expect(MODEL_CAPABILITIES.map((each) => defaultOf(world(ALL), each)[0])).toEqual([
      "gpt-image-1",
      "gpt-image-1",
      "gpt-image-1",
      "bria-cutout",
      "recraft-upscale",
      "gpt-4.1-mini",
      "gpt-4o-mini-tts",
      "whisper-1",
      "fal-demucs",
    ]);
  });

  test("is the workspace's own only while that model is available for the capability", () => {
    expect(defaultOf(world(ALL, [["text_to_image", "sample-image"]]), "text_to_image")).toEqual([
      "sample-image",
      "workspace_override",
    ]);
    for (const lost of ["gone", "fal-demucs"]) {
      expect(defaultOf(world(ALL, [["text_to_image", lost]]), "text_to_image")).toEqual([
        "gpt-image-1",
        "system",
      ]);
    }
  });

  test("marks one model in the list of a capability, and one for each capability in the list of all", () => {
    const models = world(ALL, [["image_edit", "nano-banana"]]);
    const marked = (capability?: string) =>
      listModels(models, { capability }).data.flatMap((each) =>
        each.is_default ? each.model : [],
      );
    expect(marked("image_edit")).toEqual(["nano-banana"]);
    expect(marked("text_to_image")).toEqual(["gpt-image-1"]);
    expect(marked()).toEqual([
      "bria-cutout",
      "fal-demucs",
      "gpt-4.1-mini",
      "gpt-4o-mini-tts",
      "gpt-image-1",
      "nano-banana",
      "recraft-upscale",
      "whisper-1",
    ]);
  });
});

describe("the models of a node type", () => {
  test("are grouped by capability in the order of the catalog, and none for a type without models", () => {
    const found = getNodeTypeModels(
      { type: "ai/anything", capabilities: ["image_edit", "text_to_image"] },
      world(STANDING),
    );
    expect(NodeTypeModels.parse(found)).toEqual(found);
    expect(found.capabilities).toMatchObject([
      {
        capability: "text_to_image",
        display_name: "Text to image",
        default_model: "cf-flux-schnell",
        default_source: "system",
        models: [
          { model: "cf-flux-schnell", is_default: true },
          { model: "sample-image", is_default: false },
        ],
      },
      { capability: "image_edit", default_model: "sample-image" },
    ]);
    expect(getNodeTypeModels({ type: "text/template" }, world(ALL))).toEqual({
      node_type: "text/template",
      capabilities: [],
    });
  });
});

describe("the parameters of a model", () => {
  test("have defaults that are among their values, repeated in `defaults`", () => {
    for (const model of slugs(world(ALL))) {
      const found = getModelParameters(world(ALL), model);
      expect(ModelParametersSchema.parse(found)).toEqual(found);
      expect(Object.keys(found.defaults)).toEqual(found.schema.map(({ name }) => name));
      for (const each of found.schema) {
        expect(found.defaults[each.name]).toBe(each.default);
        expect(each.type !== "enum" || each.allowed_values.includes(each.default)).toBe(true);
      }
    }
  });

  test("are accent for sample-image, and quality and background for gpt-image-1", () => {
    expect(getModelParameters(world(ALL), "sample-image")).toMatchObject({
      schema: [{ name: "accent", allowed_values: ["auto", "blue", "green", "red", "violet"] }],
      hides_node_parameters: [],
    });
    const { schema, hides_node_parameters: hides } = getModelParameters(world(ALL), "gpt-image-1");
    expect(schema.map(({ name }) => name)).toEqual(["quality", "background"]);
    expect(hides).toEqual(["negative_prompt", "seed"]);
  });

  test("hide the controls that a voice lacks", () => {
    const hidden = (model: string) => getModelParameters(world(ALL), model).hides_node_parameters;
    expect(hidden("sample-voice")).toEqual(["language", "emotion"]);
    expect(hidden("gpt-4o-mini-tts")).toEqual(["language", "pitch"]);
    expect(hidden("cf-aura-1")).toEqual(["language", "speed", "pitch", "emotion"]);
    expect(hidden("whisper-1")).toEqual([]);
  });

  test("are not found for a model that is unknown or unavailable", () => {
    for (const model of ["none", "constructor", "fal-demucs"]) {
      expect(() => getModelParameters(world(STANDING), model)).toThrow(
        expect.objectContaining({ code: "not_found" }),
      );
    }
  });
});

const SETS: Readonly<Record<string, string>> = {
  image_style: "photo cinematic watercolor line_art isometric_3d flat_vector pixel_art",
  ad_layout: "minimal bold_type split_screen magazine sale_banner social_story",
  product_scene: "white_seamless marble wood_table gradient_studio concrete water_splash",
  lifestyle_scene: "kitchen living_room outdoor_cafe office_desk beach gym",
  interior_style: "scandinavian industrial mid_century japandi classic loft",
  fashion_shot: "studio_catalog street runway golden_hour",
  background_scene: "plain_white soft_gradient city_street forest beach abstract_shapes",
  art_style: "oil_painting watercolor ukiyo_e pencil_sketch pop_art low_poly stained_glass",
  text_tone: "neutral friendly formal playful persuasive technical",
  light: "golden_hour neon_glow soft_studio hard_shadow",
  color: "warm_tone cool_tone pastel black_and_white",
  lens: "shallow_focus motion_blur wide_angle macro",
  texture: "film_grain halftone paper_texture glitch",
};

describe("the vocabulary", () => {
  test("of capabilities has the contract's order", () => {
    expect(listCapabilities({}).data.map(({ capability }) => capability)).toEqual([
      ...MODEL_CAPABILITIES,
    ]);
    expect(listCapabilities({ limit: 1, startingAfter: "text_to_image" })).toMatchObject({
      data: [{ capability: "image_edit", category: "image" }],
      next_cursor: "image_edit",
      total_count: CAPABILITIES.length,
    });
  });

  test("of presets and effects is the whole curated set, by category and sort order", () => {
    for (const [categories, entries] of [
      [PRESET_CATEGORIES, PRESETS],
      [EFFECT_CATEGORIES, EFFECTS],
    ] as const) {
      const expected = categories
        .toSorted((a, b) => (a < b ? -1 : 1))
        .flatMap((category) =>
          (SETS[category] ?? "").split(" ").map((code, index) => [category, index + 1, code]),
        );
      expect(entries.map((each) => [each.category, each.sort_order, each.code])).toEqual(expected);
    }
    expect(EFFECTS.flatMap((each) => (each.supports_intensity ? [] : each.code))).toEqual([
      "black_and_white",
      "wide_angle",
      "macro",
    ]);
    expect(new Set(EFFECTS.map(({ default_intensity }) => default_intensity))).toEqual(
      new Set([50]),
    );
  });

  test("has words of its own for each entry, in one line without the names of others", () => {
    for (const entries of [PRESETS, EFFECTS]) {
      const fragments = entries.map(({ prompt_fragment }) => prompt_fragment);
      expect(new Set(fragments).size).toBe(entries.length);
      for (const { code, description, prompt_fragment: fragment } of entries) {
        expect(fragment, code).toMatch(/^[A-Z\d][^\n]{40,240}$/);
        expect(description, code).toMatch(/^[A-Z].{10,90}\.$/);
      }
    }
  });

  test("is filtered by category and paged by category and code, as codes repeat", () => {
    expect(listPresets(PRESETS, { category: "none" })).toMatchObject({ data: [], total_count: 0 });
    const beaches = PRESETS.filter(({ code }) => code === "beach");
    expect(beaches).toHaveLength(2);
    const page = listPresets(PRESETS, { startingAfter: "lifestyle_scene/beach", limit: 1 });
    expect(page.data[0]).toMatchObject({ category: "lifestyle_scene", code: "gym" });
    expect(page.next_cursor).toBe("lifestyle_scene/gym");
    expect(listEffects(EFFECTS, { category: "lens", limit: 2 })).toMatchObject({
      total_count: 4,
      next_cursor: "lens/motion_blur",
    });
    const given = { category: "lens", startingAfter: "light/neon_glow" };
    for (const list of [() => listPresets(PRESETS, given), () => listEffects(EFFECTS, given)]) {
      expect(list).toThrow(expect.objectContaining({ code: "invalid_request" }));
    }
  });
});
