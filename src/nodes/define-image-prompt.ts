/** The prompt of a node that makes pictures: its sentences, the author's lines, the preset and the effect. */
import type { ImagePrompt } from "../contracts/models/model-calls.ts";
import type { StoredReferences } from "../contracts/references.ts";
import { FileRef } from "../lib/files/file-ref.ts";
import { NodeError } from "../lib/errors/node-error.ts";
import { vocabularyOf } from "./define-models.ts";
import type { InputPort, NodeInputs } from "./define-ports.ts";

export const IMAGE_CAPABILITIES = ["text_to_image", "image_edit", "multi_image_edit"] as const;
export type ImageCapability = (typeof IMAGE_CAPABILITIES)[number];

/** Longest side of pictures whose proportions follow from a parameter or an input. */
export const LONGEST_SIDE = 1_024;

export interface ImagePort {
  readonly name: string;
  readonly type: "text" | "image";
  readonly required: boolean;
  readonly accepts?: readonly ["image"];
  readonly list?: InputPort["list"];
  readonly label: string;
}

/** The values that a node's sentences are made of. */
interface Words {
  /** A text port's value: the connected one, else the saved one, else "". */
  readonly text: (port: string) => string;
  /** Whether a port has a value. */
  readonly has: (port: string) => boolean;
  /** Whether a port's value is a picture. */
  readonly isImage: (port: string) => boolean;
  readonly garmentType: string;
}

export interface ImageVariants {
  readonly type: `ai/${string}`;
  readonly name: string;
  readonly description: string;
  readonly whenToUse: string;
  readonly icon: string;
  /** Pictures are numbered in this order. */
  readonly ports: readonly ImagePort[];
  readonly preset?: { readonly category: string; readonly title: string };
  /** The node's sentence and the author's lines; empty ones are left out. */
  readonly lines: (words: Words) => readonly string[];
  /** At least one of these has a value, or there is a preset. */
  readonly needsOneOf?: readonly string[];
  readonly hasGarmentType?: true;
}

/** The parameters that a prompt is made of. */
export interface PromptParams {
  readonly preset?: string | null | undefined;
  readonly effect?: string | null | undefined;
  readonly effect_intensity: number;
  readonly seed?: number | null | undefined;
  readonly garment_type?: string;
  readonly width?: number;
  readonly height?: number;
  readonly aspect_ratio?: string;
}

/** No picture, one, or more. */
export function capabilityFor(images: number): ImageCapability {
  return images === 0 ? "text_to_image" : images === 1 ? "image_edit" : "multi_image_edit";
}

export function missingMessage(type: string, names: readonly string[]): string {
  return `${type} needs ${names.join(", ")} or a preset: otherwise nothing says what to change.`;
}

export function isSet(value: string | null | undefined): value is string {
  return value !== null && value !== undefined;
}

export function savedOf(params: PromptParams, name: string): string {
  // The saved texts of a node's own ports, whose names are not in the shared type.
  const saved = (params as unknown as Readonly<Record<string, unknown>>)[name];
  return typeof saved === "string" ? saved : "";
}

/** The prompt of all variants of an element. Throws NodeError `AI_INPUT_MISSING`. */
export function promptOf(
  entry: Pick<ImageVariants, "type" | "ports" | "preset" | "lines" | "needsOneOf">,
  params: PromptParams,
  inputs: NodeInputs,
  stored: StoredReferences,
): ImagePrompt {
  const images = entry.ports.flatMap(({ name, list }) =>
    (list === undefined ? [inputs.get(name)] : inputs.list(name)).filter(
      (value) => value instanceof FileRef,
    ),
  );
  const words: Words = {
    text: (port) => {
      const given = inputs.get(port);
      return typeof given === "string" ? given : given === undefined ? savedOf(params, port) : "";
    },
    has: (port) => inputs.has(port) || savedOf(params, port) !== "",
    isImage: (port) => inputs.get(port) instanceof FileRef,
    garmentType: params.garment_type ?? "top",
  };
  const { needsOneOf: names } = entry;
  if (names !== undefined && !isSet(params.preset) && !names.some((name) => words.has(name))) {
    throw new NodeError("AI_INPUT_MISSING", missingMessage(entry.type, names));
  }
  const negative = words.text("negative_prompt");
  const intensity = params.effect_intensity;
  return {
    capability: capabilityFor(images.length),
    prompt: [
      ...entry.lines(words),
      vocabularyOf(stored, "preset")?.prompt_fragment ?? "",
      effectLine(stored, intensity),
    ]
      .filter((line) => line !== "")
      .join("\n"),
    negativePrompt: negative === "" ? null : negative,
    images,
    size: sizeOf(params),
    seed: params.seed ?? null,
    variant: 0,
    preset:
      entry.preset === undefined || !isSet(params.preset)
        ? null
        : { category: entry.preset.category, code: params.preset },
    effect:
      isSet(params.effect) && effectLine(stored, intensity) !== ""
        ? { code: params.effect, intensity }
        : null,
    parameters: {},
  };
}

/** The effect's words with its strength; intensity 0 leaves the effect out, unless it has no intensity. */
function effectLine(stored: StoredReferences, intensity: number): string {
  const effect = vocabularyOf(stored, "effect");
  if (effect === undefined) {
    return "";
  }
  if (effect.supports_intensity === false) {
    return effect.prompt_fragment;
  }
  const strength = intensity <= 33 ? "subtle" : intensity <= 66 ? "moderate" : "strong";
  return intensity === 0 ? "" : `${effect.prompt_fragment}, ${strength}`;
}

function sizeOf({ width, height, aspect_ratio: ratio }: PromptParams): ImagePrompt["size"] {
  if (width !== undefined && height !== undefined) {
    return { kind: "exact", width, height };
  }
  const [across, down] = (ratio ?? "auto").split(":").map(Number);
  return {
    kind: "ratio",
    ratio:
      across === undefined || down === undefined
        ? "of_first_image"
        : { width: across, height: down },
    longestSide: LONGEST_SIDE,
  };
}
