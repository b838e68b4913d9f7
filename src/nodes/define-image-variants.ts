/** A node that makes pictures with a model from its table entry (`ai/image-variants.ts`). */
import * as z from "zod";
import type {
  ImagePrompt,
  MadePicture,
  PictureSize,
  ReferencedModel,
} from "../contracts/models/model-calls.ts";
import { integerField } from "../contracts/workflows/node-parameters.ts";
import type { StoredReferences } from "../contracts/references.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";
import { parsePictureSize } from "../lib/parse-picture-size.ts";
import {
  capabilityFor,
  IMAGE_CAPABILITIES,
  type ImageCapability,
  type ImagePort,
  type ImageVariants,
  isSet,
  LONGEST_SIDE,
  missingMessage,
  type PromptParams,
  promptOf,
  savedOf,
} from "./define-image-prompt.ts";
import { costOfCall, mayCostLess } from "./define-model-costs.ts";
import {
  askInOrder,
  beginAll,
  effectReferences,
  modelChain,
  modelParameterIssues,
  modelParameters,
  modelReferences,
  presetParameter,
  presetReferences,
  unsupportedModels,
} from "./define-models.ts";
import { defineNode } from "./define-node.ts";
import type { ConnectedPort, InputPort, ParameterIssue, RunValue } from "./define-ports.ts";
import type { NodeType } from "./define-roles.ts";
import { storePicture } from "./define-made-picture.ts";
import { NEEDS } from "./define-tools.ts";

const GARMENT_TYPES = ["top", "bottom", "dress", "outerwear", "accessory"] as const;
const RATIOS = ["auto", "1:1", "4:5", "3:4", "2:3", "9:16", "5:4", "4:3", "3:2", "16:9"] as const;
const SEED_MAX = 2 ** 31 - 1;

/** The parameters of every node of pictures. Those that a node does not have are left out of its schema. */
const shared = {
  ...modelParameters,
  variants: integerField(1, 4)
    .default(1)
    .meta({ title: "Variants", description: "How many pictures to make, each on its own port." }),
  effect: z.string().min(1).max(LIMITS.identifier.value).nullish().meta({
    title: "Effect",
    parameter_type: "effect",
    exposable: true,
  }),
  effect_intensity: integerField(0, 100)
    .default(50)
    .meta({ title: "Intensity of the effect", description: "0 leaves the effect out." }),
  seed: integerField(0, SEED_MAX).nullish().meta({
    title: "Seed",
    description: "For models that repeat a picture; each variant has the next seed.",
    advanced: true,
  }),
  output_format: z.enum(["original", "png", "jpg", "webp"]).default("original").meta({
    title: "Format",
    description: "The format of the files; `original` is that of the model.",
    advanced: true,
  }),
};

type ImageParams = z.output<z.ZodObject<typeof shared>> & PromptParams;

export function defineImageVariants(entry: ImageVariants): NodeType {
  const { ports, preset } = entry;
  const hasImages = ports.some(({ type, accepts }) => type === "image" || accepts !== undefined);
  // The members depend on the entry, and TypeScript does not follow them; `ImageParams` has what the code reads.
  const params = z.strictObject({
    ...shared,
    ...(preset !== undefined && { preset: presetParameter(preset.category, preset.title) }),
    ...Object.fromEntries(
      ports
        .filter(({ type, required }) => type === "text" && !required)
        .map(({ name, label }) => [name, savedText(label)]),
    ),
    ...(hasImages ? { aspect_ratio: ratioParameter() } : sizeParameters()),
    ...(entry.hasGarmentType && { garment_type: garmentParameter() }),
  }) as unknown as z.ZodObject<z.ZodRawShape, z.core.$strict> & z.ZodType<ImageParams>;
  const capabilities = hasImages ? editCapabilities(ports) : (["text_to_image"] as const);
  // Its parameters have a type of their own; a `NodeType` has any.
  return defineNode({
    type: entry.type,
    version: "1.0",
    name: entry.name,
    description: entry.description,
    whenToUse: entry.whenToUse,
    subCategory: "image",
    status: "preview",
    icon: entry.icon,
    color: "#7c3aed",
    capabilities,
    inputs: ports.map(inputOf),
    outputs: [{ name: "result", type: "image", label: "Picture" }],
    params,
    references: (given: ImageParams) => [
      ...modelReferences(given, capabilities),
      ...(preset === undefined ? [] : presetReferences(preset.category, given.preset)),
      ...effectReferences(given.effect),
    ],
    dynamicPorts: {
      descriptors: [
        {
          derivation: "positional",
          direction: "output",
          parameter: "variants",
          name_pattern: "variant_{index}",
          index_base: 1,
          port_type: "image",
          min_count: 2,
          max_count: 4,
          mode: "count",
        },
      ],
      resolve: ({ variants }: ImageParams) =>
        variants === 1
          ? {}
          : {
              without: ["result"],
              outputs: variantPorts(variants).map((name) => ({ name, type: "image" as const })),
            },
    },
    check: (given: ImageParams, connected, stored) => [
      ...missingInputs(entry, given, connected),
      ...unsupportedModels(given, stored, {
        capability: connectedCapability(ports, connected),
        needsVision: false,
      }),
      ...modelParameterIssues(given, stored, connectedCapability(ports, connected)),
    ],
    cost: {
      unit: "image",
      milliCredits: (given: ImageParams, connected, stored) =>
        reservation(given, stored, connectedCapability(ports, connected)),
      isCeiling: (given: ImageParams, stored, connected) =>
        mayCostLess(
          modelChain(given, stored, connectedCapability(ports, connected)),
          statedSize(given) === undefined ? undefined : "per_megapixel",
        ),
    },
    role: "transform",
    placement: "task",
    needs: ["models", "images", "files"],
    timeLimitMs: 900_000,
    // The pictures of a call with the conversion of one of them, or the result with its conversion.
    memoryBytes: NEEDS.images.memoryBytes,
    async run(ctx, inputs, given: ImageParams) {
      const prompt = promptOf(entry, given, inputs, ctx.references);
      const chain = modelChain(given, ctx.references, prompt.capability);
      const names = variantPorts(given.variants);
      const ask = <T>(at: number, of: (model: ReferencedModel, asked: ImagePrompt) => Promise<T>) =>
        askInOrder(chain, given, ctx.task.attempt, (model) =>
          of(model, ofVariant(prompt, given, model, { at, isFirst: model === chain[0] })),
        );
      const callOf = (model: ReferencedModel, name: string) => `${model.model} ${name}`;
      await beginAll(
        ctx,
        names.map(
          (name, at) => () =>
            ask(at, (model, asked) => ctx.models.beginImage(model, asked, callOf(model, name))),
        ),
      );
      const made = new Map<string, RunValue>();
      let milliCredits = 0;
      for (const [at, name] of names.entries()) {
        // oxlint-disable-next-line no-await-in-loop -- one picture at a time is in memory
        const { file, cost } = await ask(at, async (model, asked) => {
          const picture = await ctx.models.makeImage(model, asked, callOf(model, name));
          const stored = await storePicture(ctx, picture, {
            name,
            format: given.output_format,
            size: asked.size.kind === "exact" ? asked.size : null,
          });
          return {
            file: stored,
            cost: costOfCall(model, { pixels: pixelsMade(given, model, picture) }),
          };
        });
        made.set(name, file);
        milliCredits += cost;
      }
      ctx.task.charge({ milliCredits, quantity: given.variants });
      return made;
    },
  }) as unknown as NodeType;
}

function savedText(label: string) {
  return z.string().max(LIMITS.template.value).optional().meta({
    title: label,
    description: "Used if nothing is connected to the input of this name.",
    exposable: true,
  });
}

function sizeParameters() {
  const side = integerField(64, 4_096).default(1_024);
  return {
    width: side.meta({ title: "Width", description: "In pixels.", exposable: true }),
    height: side.meta({ title: "Height", description: "In pixels.", exposable: true }),
  };
}

function ratioParameter() {
  return z.enum(RATIOS).default("auto").meta({
    title: "Proportions",
    description: "`auto` takes those of the first picture.",
    exposable: true,
  });
}

function garmentParameter() {
  return z.enum(GARMENT_TYPES).default("top").meta({ title: "Garment", exposable: true });
}

function inputOf({ name, type, required, accepts, list, label }: ImagePort): InputPort {
  return {
    name,
    type,
    required,
    label,
    ...(accepts !== undefined && { accepts }),
    ...(list !== undefined && { list }),
  };
}

function variantPorts(variants: number): readonly string[] {
  return variants === 1
    ? ["result"]
    : Array.from({ length: variants }, (_, at) => `variant_${at + 1}`);
}

/** The capabilities that a node may need, by how many pictures can be connected to it. */
function editCapabilities(ports: readonly ImagePort[]): readonly ImageCapability[] {
  const images = ports.filter(({ type, accepts }) => type === "image" || accepts !== undefined);
  const least = images.filter(({ type, required }) => type === "image" && required).length;
  const most = images.some(({ list }) => list !== undefined) ? 2 : images.length;
  return IMAGE_CAPABILITIES.filter((_, count) => count >= Math.min(least, 2) && count <= most);
}

function connectedCapability(
  ports: readonly ImagePort[],
  connected: readonly ConnectedPort[],
): ImageCapability {
  const taking = new Set(
    ports
      .filter(({ type, accepts }) => type === "image" || accepts !== undefined)
      .map(({ name }) => name),
  );
  return capabilityFor(
    connected.filter(({ port, type }) => taking.has(port) && (type === "image" || type === "any"))
      .length,
  );
}

function missingInputs(
  { needsOneOf: names, type }: ImageVariants,
  params: ImageParams,
  connected: readonly ConnectedPort[],
): ParameterIssue[] {
  const has = (name: string) =>
    connected.some(({ port }) => port === name) || savedOf(params, name) !== "";
  return names === undefined || isSet(params.preset) || names.some(has)
    ? []
    : [
        {
          code: "AI_INPUT_MISSING",
          path: names[0] ?? "preset",
          message: missingMessage(type, names),
        },
      ];
}

/** The prompt for one variant and one model: with its seed, and without what the model ignores. */
function ofVariant(
  prompt: ImagePrompt,
  params: ImageParams,
  model: ReferencedModel,
  { at, isFirst }: { readonly at: number; readonly isFirst: boolean },
): ImagePrompt {
  const isHidden = (name: string) => model.hides.includes(name);
  return {
    ...prompt,
    negativePrompt: isHidden("negative_prompt") ? null : prompt.negativePrompt,
    // The seed of the first variant is at most SEED_MAX, so that of the last may pass it.
    seed: prompt.seed === null || isHidden("seed") ? null : (prompt.seed + at) % (SEED_MAX + 1),
    variant: at,
    // They belong to the first model; a fallback has others.
    parameters: isFirst ? params.model_parameters : {},
  };
}

/** The size of the pictures if the definition states it. */
function statedSize({ width, height }: ImageParams): PictureSize | undefined {
  return width === undefined || height === undefined ? undefined : { width, height };
}

/**
 * The most pixels of one picture. Proportions may be those of a picture that nobody has seen yet: the longest side is known
 * then, or the sizes that the model makes.
 */
function mostPixels(params: ImageParams, { sizes }: ReferencedModel): number {
  const stated = statedSize(params);
  if (stated !== undefined) {
    return pixelsOf(stated);
  }
  const square = { width: LONGEST_SIDE, height: LONGEST_SIDE };
  const possible = sizes.length === 0 ? [square] : sizes.map(parsePictureSize);
  return Math.max(...possible.map(pixelsOf));
}

/** Those that are charged: of the stated size, to which the picture is cut, otherwise of the picture as it was made. */
function pixelsMade(params: ImageParams, model: ReferencedModel, { size }: MadePicture): number {
  const made = statedSize(params) ?? size;
  return made === undefined ? mostPixels(params, model) : pixelsOf(made);
}

function pixelsOf({ width, height }: PictureSize): number {
  return width * height;
}

/** The highest charge for all variants: that of the most expensive model of the chain. */
function reservation(
  params: ImageParams,
  stored: StoredReferences,
  capability: ImageCapability,
): number {
  const costs = modelChain(params, stored, capability).map((model) =>
    costOfCall(model, { pixels: mostPixels(params, model) }),
  );
  return Math.max(0, ...costs) * params.variants;
}
