/** docs/contract/models.md#pictures: the ten nodes that make pictures, whichever provider makes them. */
import { describe, expect, test } from "vitest";
import type {
  ImagePrompt,
  MadePicture,
  PictureSize,
  ReferencedModel,
} from "../../../../src/contracts/models/model-calls.ts";
import type { StoredReferences } from "../../../../src/contracts/references.ts";
import { checkWithReferences } from "../../../../src/domain/workflows/definition/check-definition.ts";
import type { JsonValue } from "../../../../src/lib/json/exact-json.ts";
import { FileRef } from "../../../../src/lib/files/file-ref.ts";
import { nodeCost } from "../../../../src/engine/plan/node-cost.ts";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import { LONGEST_SIDE } from "../../../../src/nodes/define-image-prompt.ts";
import type { TaskContext } from "../../../../src/nodes/define-tools.ts";
import { findNodeType } from "../../../../src/nodes/registry.ts";
import { SeededRandom } from "../../../simulation/seeded-random.ts";
import { modelStore, TINY } from "../../../support/models/referenced-models.ts";
import { inputsOf, nodeOf, type Ports } from "../run-node.ts";

const PAINTER: ReferencedModel = {
  ...TINY,
  model: "painter",
  capabilities: ["text_to_image", "image_edit", "multi_image_edit"],
  cost_unit: "per_image",
  credit_cost_milli_credits: 100,
  hides: [],
};
const PER_MEGAPIXEL = { cost_unit: "per_megapixel", credit_cost_milli_credits: 300 } as const;
const MEASURED: ReferencedModel = {
  ...PAINTER,
  ...PER_MEGAPIXEL,
  model: "measured",
  capabilities: ["text_to_image"],
  hides: ["negative_prompt", "seed"],
};
/** Models that edit at a price for megapixels: of any size, and of some. */
const [ANY_SIZE, OF_SIZES]: readonly ReferencedModel[] = [[], ["1024x1024", "2048x1024"]].map(
  (sizes) => ({
    ...PAINTER,
    ...PER_MEGAPIXEL,
    model: sizes.length > 0 ? "sized" : "any-size",
    sizes,
  }),
);
const VOCABULARY = {
  "image_style/photo": { prompt_fragment: "Realistic photograph" },
  "art_style/pop_art": { prompt_fragment: "Pop art" },
  "background_scene/forest": { prompt_fragment: "Forest" },
  film_grain: { prompt_fragment: "Film grain", supports_intensity: true },
  macro: { prompt_fragment: "Macro", supports_intensity: false },
};
const resolve = modelStore([PAINTER, MEASURED, ANY_SIZE!, OF_SIZES!], VOCABULARY);

const picture = (name: string) =>
  new FileRef({ key: name, name: `${name}.png`, contentType: "image/png", sizeBytes: 9 });
const [one, two, three] = [picture("one"), picture("two"), picture("three")];

async function referencesOf(type: string, params: unknown): Promise<StoredReferences> {
  const node = nodeOf(type);
  const named = node.references?.(node.params.parse(params)) ?? [];
  const found = await Promise.all(
    named.map(async (each) => ({ path: each.path, found: await resolve([each]) })),
  );
  return new Map(
    found.flatMap(({ path, found: [content] }) =>
      content === undefined ? [] : [[path, { ...content, path }] as const],
    ),
  );
}

interface Script {
  /** Models that fail. */
  readonly fails?: readonly string[];
  /** The size of pictures for which the node asks for proportions only; null if the provider does not know it. */
  readonly makes?: PictureSize | null;
}

/** Runs a node once; the pictures of the scripted model are their prompts. */
async function run(
  type: string,
  params: object,
  ports: Ports,
  { fails = [], makes = { width: 1, height: 1 } }: Script = {},
) {
  const asked: (ImagePrompt & { readonly model: string; readonly call: string })[] = [];
  const stored: string[] = [];
  let charge: { milliCredits: number; quantity: number | null } | undefined;
  const ctx = {
    references: await referencesOf(type, params),
    task: { attempt: 1, charge: (given: typeof charge) => (charge = given) },
    files: {
      write: (name: string, contentType: string) => {
        stored.push(`${name} ${contentType}`);
        return Promise.resolve(new FileRef({ key: name, name, contentType, sizeBytes: 1 }));
      },
    },
    images: { convert: () => Promise.resolve(new Uint8Array(1)) },
    models: {
      beginImage: () => Promise.resolve(),
      makeImage: (model: ReferencedModel, prompt: ImagePrompt, call: string) => {
        asked.push({ ...prompt, model: model.model, call });
        return fails.includes(model.model)
          ? Promise.reject(new NodeError("PROVIDER_AUTH_FAILED", "…"))
          : Promise.resolve<MadePicture>({
              contentType: "image/png",
              ...(prompt.size.kind === "exact"
                ? { size: prompt.size }
                : makes !== null && { size: makes }),
              bytes: new Uint8Array(1),
            });
      },
    },
  } as unknown as TaskContext;
  const node = nodeOf(type);
  if (node.role !== "transform") {
    throw new Error(`${type} does not run`);
  }
  const made = await node.run(ctx, inputsOf(ports), node.params.parse(params));
  return { outputs: [...made.keys()], asked, stored, charge };
}

const promptOf = async (type: string, params: object, ports: Ports) =>
  (await run(type, params, ports)).asked[0];

describe("the prompt", () => {
  test.each<
    [type: string, params: object, ports: Ports, prompt: string, images: readonly FileRef[]]
  >([
    ["ai/text_to_image", {}, { prompt: "A red kite" }, "A red kite", []],
    [
      "ai/text_to_image",
      { preset: "photo", effect: "film_grain", effect_intensity: 33 },
      { prompt: "A red kite" },
      "A red kite\nRealistic photograph\nFilm grain, subtle",
      [],
    ],
    [
      "ai/ad_generator",
      { headline: "Saved" },
      { product: one, headline: "Fly!", prompt: "At dusk" },
      'Design an advertisement for the product in image 1. Keep the product exactly as it is.\nHeadline: "Fly!"\nAt dusk',
      [one],
    ],
    [
      "ai/product_photography",
      { prompt: "On ice" },
      { product: one },
      "Studio photograph of the product in image 1. Keep its shape, colours and labels exactly.\nOn ice",
      [one],
    ],
    [
      "ai/lifestyle",
      {},
      { product: one, scene: "A picnic" },
      "Show the product in image 1 in use in an everyday scene.\nScene: A picnic",
      [one],
    ],
    [
      "ai/showroom_visualizer",
      {},
      { product: two, room: one },
      "Place the product in image 2 into the room in image 1 at a natural size, with matching light and perspective.",
      [one, two],
    ],
    [
      "ai/virtual_tryon",
      { garment_type: "dress" },
      { garment: two, person: one },
      "Dress the person in image 1 in the dress in image 2. Keep face, body and pose.",
      [one, two],
    ],
    [
      "ai/background_swap",
      {},
      { image: one, background: two },
      "Replace the background of image 1 with image 2. Keep the foreground exactly.",
      [one, two],
    ],
    [
      "ai/background_swap",
      { preset: "forest" },
      { image: one },
      "Replace the background of image 1. Keep the foreground exactly.\nForest",
      [one],
    ],
    [
      "ai/magic_swap",
      {},
      { image: one, target: "the cup", replacement: "a vase" },
      "In image 1 replace the cup with a vase. Change nothing else.",
      [one],
    ],
    [
      "ai/magic_swap",
      {},
      { image: one, target: "the cup", replacement: two },
      "In image 1 replace the cup with what image 2 shows. Change nothing else.",
      [one, two],
    ],
    [
      "ai/style_transfer",
      {},
      { image: one, style: two },
      "Redraw image 1 in the style of image 2. Keep its composition.",
      [one, two],
    ],
    [
      "ai/style_transfer",
      { preset: "pop_art" },
      { image: one },
      "Redraw image 1 in another style. Keep its composition.\nPop art",
      [one],
    ],
    ["ai/magic_box", {}, { prompt: "Mix", images: [one, two, three] }, "Mix", [one, two, three]],
  ])("of %s with %j", async (type, params, ports, prompt, images) => {
    const asked = await promptOf(type, params, ports);
    expect(asked?.prompt).toBe(prompt);
    expect(asked?.images).toEqual(images);
    expect(asked?.capability).toBe(
      ["text_to_image", "image_edit", "multi_image_edit"][Math.min(images.length, 2)],
    );
  });

  test.each([
    ["film_grain", 0, ""],
    ["film_grain", 1, "\nFilm grain, subtle"],
    ["film_grain", 34, "\nFilm grain, moderate"],
    ["film_grain", 66, "\nFilm grain, moderate"],
    ["film_grain", 67, "\nFilm grain, strong"],
    ["macro", 0, "\nMacro"],
    ["macro", 100, "\nMacro"],
  ])("with %s of intensity %i", async (effect, effect_intensity, words) => {
    const params = { effect, effect_intensity };
    const asked = await promptOf("ai/text_to_image", params, { prompt: "A kite" });
    expect(asked?.prompt).toBe(`A kite${words}`);
    expect(asked?.effect).toEqual(
      words === "" ? null : { code: effect, intensity: effect_intensity },
    );
  });

  test("holds no negative prompt, which a model may not have", async () => {
    const ports = { prompt: "A kite", negative_prompt: "people" };
    const asked = await promptOf("ai/text_to_image", { seed: 7 }, ports);
    const hidden = await promptOf("ai/text_to_image", { model: "measured", seed: 7 }, ports);
    expect([asked?.prompt, asked?.negativePrompt, asked?.seed]).toEqual(["A kite", "people", 7]);
    expect([hidden?.prompt, hidden?.negativePrompt, hidden?.seed]).toEqual(["A kite", null, null]);
  });
});

describe("variants", () => {
  test("have a port each, and the next seeds", async () => {
    const ran = await run(
      "ai/text_to_image",
      { variants: 3, seed: 2 ** 31 - 2 },
      { prompt: "A kite" },
    );
    expect(ran.outputs).toEqual(["variant_1", "variant_2", "variant_3"]);
    expect(ran.asked.map(({ seed }) => seed)).toEqual([2 ** 31 - 2, 2 ** 31 - 1, 0]);
    expect(new Set(ran.asked.map(({ call }) => call)).size).toBe(3);
    expect(ran.charge).toEqual({ milliCredits: 300, quantity: 3 });
  });

  test("are charged each by the model that made it", async () => {
    const params = {
      model: "measured",
      fallback_models: ["painter"],
      variants: 2,
      width: 2_000,
      height: 1_000,
    };
    const own = await run("ai/text_to_image", params, { prompt: "A kite" });
    const fallen = await run(
      "ai/text_to_image",
      params,
      { prompt: "A kite" },
      { fails: ["measured"] },
    );
    expect([own.charge?.milliCredits, fallen.charge?.milliCredits]).toEqual([1_200, 200]);
  });

  test.each([
    ["original", "result.png image/png"],
    ["png", "result.png image/png"],
    ["jpg", "result.jpg image/jpeg"],
    ["webp", "result.webp image/webp"],
  ])("in the format %s", async (output_format, file) => {
    const ran = await run("ai/text_to_image", { output_format }, { prompt: "A kite" });
    expect(ran.stored).toEqual([file]);
  });
});

describe("a definition", () => {
  const definition = (
    type: string,
    parameters: object,
    sources: Readonly<Record<string, string>>,
    result = "result",
  ) =>
    ({
      nodes: [
        ...Object.entries(sources).map(([port, source]) => ({
          id: `in_${port}`,
          type: `input/${source}`,
        })),
        { id: "make", type, parameters },
        { id: "out", type: "output/image" },
      ],
      connections: [
        ...Object.entries(sources).map(([port, source]) => ({
          from: { node: `in_${port}`, port: source },
          to: { node: "make", port },
        })),
        { from: { node: "make", port: result }, to: { node: "out", port: "image" } },
      ],
    }) as unknown as JsonValue;
  const check = (...given: Parameters<typeof definition>) =>
    checkWithReferences(definition(...given), resolve, findNodeType);
  const issuesOf = async (...given: Parameters<typeof definition>) =>
    (await check(...given)).errors.map(({ code, path }) => `${code} ${path}`);
  const costOf = async (...given: Parameters<typeof definition>) =>
    (await check(...given)).plan?.nodes.find(({ id }) => id === "make")?.costMilliCredits;
  const prompt = { prompt: "text" };

  test.each([0, 5, 1.5, "2", null])("with %j variants", async (variants) => {
    expect((await issuesOf("ai/text_to_image", { variants }, prompt))[0]).toBe(
      "invalid_dynamic_config nodes[1].parameters.variants",
    );
  });

  test("may not read `result` where there are variants", async () => {
    expect(await issuesOf("ai/text_to_image", { variants: 2 }, prompt, "variant_2")).toEqual([]);
    expect((await issuesOf("ai/text_to_image", { variants: 2 }, prompt))[0]).toContain(
      "unknown_port",
    );
  });

  test("with an unknown effect or preset, or a preset of another category", async () => {
    const params = { effect: "sparkle", preset: "pop_art" };
    expect(await issuesOf("ai/text_to_image", params, prompt)).toEqual([
      "UNKNOWN_PRESET nodes[1].parameters.preset",
      "UNKNOWN_EFFECT nodes[1].parameters.effect",
    ]);
  });

  test("with a model that makes pictures from texts only", async () => {
    expect(await issuesOf("ai/lifestyle", { model: "measured" }, { product: "image" })).toEqual([
      "MODEL_NOT_SUPPORTED nodes[1].parameters.model",
    ]);
  });

  test.each([
    [
      "ai/background_swap",
      { image: "image" },
      { image: "image", background: "image" },
      { prompt: "Sea" },
    ],
    [
      "ai/style_transfer",
      { image: "image" },
      { image: "image", style: "image" },
      { preset: "pop_art" },
    ],
  ])("of %s says what to change", async (type, without, connected, saved) => {
    expect((await issuesOf(type, {}, without))[0]).toContain("AI_INPUT_MISSING nodes[1]");
    expect(await issuesOf(type, {}, connected)).toEqual([]);
    expect(await issuesOf(type, saved, without)).toEqual([]);
  });

  test("reserves all its variants", async () => {
    expect(await costOf("ai/text_to_image", { variants: 4 }, prompt, "variant_1")).toBe(400);
    const large = { model: "measured", width: 4_096, height: 4_096 };
    // ⌈300 × 16.777216⌉
    expect(await costOf("ai/text_to_image", large, prompt)).toBe(5_034);
    expect(
      await costOf(
        "ai/text_to_image",
        { ...large, model: "painter", fallback_models: ["measured"] },
        prompt,
      ),
    ).toBe(5_034);
  });
});

describe("at a price for megapixels", () => {
  const image = [{ port: "product", type: "image" }] as const;
  const reserved = async (type: string, params: object) => {
    const node = nodeOf(type);
    const stored = await referencesOf(type, params);
    return nodeCost(node, node.params.parse(params), image, stored);
  };
  const charged = async (params: object, makes: PictureSize | null) =>
    (await run("ai/lifestyle", params, { product: one }, { makes })).charge?.milliCredits;

  test.each([
    // ⌈300 × 1.048576⌉, and ⌈300 × 2.097152⌉ for the largest of the sizes.
    ["any-size", 315],
    ["sized", 630],
  ])("%s reserves what a picture may have, and is charged for what it has", async (model, most) => {
    for (const aspect_ratio of ["auto", "1:1", "9:16", "16:9"]) {
      const params = { model, aspect_ratio, variants: 2 };
      // oxlint-disable-next-line no-await-in-loop -- one after another
      expect(await reserved("ai/lifestyle", params)).toEqual({
        costMilliCredits: 2 * most,
        costUnit: "image",
        isCostCeiling: true,
      });
    }
    // ⌈300 × 0.589824⌉ for each of two.
    expect(await charged({ model, variants: 2 }, { width: 1_024, height: 576 })).toBe(354);
    expect(await charged({ model, variants: 2 }, { width: 64, height: 64 })).toBe(4);
    expect(await charged({ model }, null)).toBe(most);
  });

  test("no picture of the size that is asked for is charged above the reservation", async () => {
    const { costMilliCredits: most } = await reserved("ai/lifestyle", { model: "any-size" });
    const random = new SeededRandom(12);
    for (let round = 0; round < 200; round++) {
      const [width, height] = [random.int(1, 8_192), random.int(1, 8_192)];
      const scale = LONGEST_SIDE / Math.max(width, height);
      const makes = {
        width: Math.max(64, Math.round(width * scale)),
        height: Math.max(64, Math.round(height * scale)),
      };
      // oxlint-disable-next-line no-await-in-loop -- one after another
      expect(await charged({ model: "any-size" }, makes)).toBeLessThanOrEqual(most);
    }
  });

  test("a picture of a stated size is charged as it is reserved, and its estimate is exact", async () => {
    const params = { model: "measured", width: 1_000, height: 500 };
    expect(await reserved("ai/text_to_image", params)).toMatchObject({
      costMilliCredits: 150,
      isCostCeiling: false,
    });
    const ran = await run("ai/text_to_image", params, { prompt: "A kite" });
    expect(ran.charge).toEqual({ milliCredits: 150, quantity: 1 });
    for (const fallback of ["painter", "measured"]) {
      const chain = { ...params, fallback_models: [fallback] };
      // oxlint-disable-next-line no-await-in-loop -- one after another
      expect((await reserved("ai/text_to_image", chain)).isCostCeiling).toBe(true);
    }
  });

  test("at a price for images or requests an estimate is exact whatever the proportions", async () => {
    expect(await reserved("ai/lifestyle", { model: "painter", variants: 3 })).toMatchObject({
      costMilliCredits: 300,
      isCostCeiling: false,
    });
  });
});
