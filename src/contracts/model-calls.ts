/**
 * What nodes ask of models, and what comes back, whichever provider answers (docs/contract/models.md). Nodes build
 * the requests, `src/providers` sends them.
 */
import type { CostUnit, ModelCapability, ModelParameter } from "./model.ts";
import type { JsonValue } from "../lib/exact-json.ts";
import type { FileRef } from "../lib/file-ref.ts";

/** The parts of a catalog entry that a run needs; fixed at its submit. Plain JSON. */
export interface ReferencedModel {
  readonly model: string;
  /** Id of the provider that serves it; the runner looks up its address and key. */
  readonly provider: string;
  /** The provider's own name of the model. */
  readonly remote_model: string;
  readonly capabilities: readonly ModelCapability[];
  readonly supports_vision: boolean;
  readonly cost_unit: CostUnit;
  readonly credit_cost_milli_credits: number;
  readonly input_milli_credits_per_1k: number | null;
  readonly output_milli_credits_per_1k: number | null;
  readonly controls: readonly string[];
  readonly voices: readonly string[];
  /** `WxH`; empty if the model takes any size. */
  readonly sizes: readonly string[];
  readonly max_input_images: number;
  readonly timeout_ms: number;
  /** Parameters of nodes that it ignores. */
  readonly hides: readonly string[];
  /** Its own parameters besides those of the node. */
  readonly parameters: readonly ModelParameter[];
  /** How the model is asked for JSON. */
  readonly json_mode: "json_schema" | "json_object" | "prompt";
  readonly max_tokens_field: "max_tokens" | "max_completion_tokens";
}

/** A turn of the conversation after the first prompt: an answer of the model, and what is wrong with it. */
export interface RepairTurn {
  readonly answer: string;
  readonly complaint: string;
}

/** What a node asks of a language model. */
export interface TextPrompt {
  readonly system: string | null;
  readonly prompt: string;
  readonly images: readonly FileRef[];
  readonly turns: readonly RepairTurn[];
  readonly maxOutputTokens: number;
  readonly temperature: number | null;
  readonly seed: number | null;
  /** The answer must be JSON that conforms. */
  readonly jsonSchema: JsonValue | null;
  /** Values of the model's own parameters. */
  readonly parameters: { readonly [name: string]: JsonValue };
}

/** The same with its pictures as they are sent: without metadata, in a format that every provider reads. */
export interface TextRequest extends Omit<TextPrompt, "images"> {
  readonly images: readonly ModelPicture[];
}

export interface ModelPicture {
  readonly contentType: "image/png" | "image/jpeg" | "image/webp";
  readonly bytes: Uint8Array;
}

export interface TokenUsage {
  readonly input: number;
  readonly output: number;
}

export interface TextAnswer {
  readonly text: string;
  /** Whether the model stopped because of `maxOutputTokens`. */
  readonly isCutOff: boolean;
  /** As the provider reports it; null if it reports none. */
  readonly usage: TokenUsage | null;
}

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** What a node asks of an image model: one picture. */
export interface ImagePrompt {
  readonly capability: "text_to_image" | "image_edit" | "multi_image_edit";
  /** The whole prompt, with the sentences of the node, the preset and the effect. */
  readonly prompt: string;
  readonly negativePrompt: string | null;
  /** In the order in which the prompt numbers them, from 1. */
  readonly images: readonly FileRef[];
  /**
   * `exact`: the picture has this size. `ratio`: it has these proportions, or those of the first image, with
   * `longestSide` where the model lets its callers choose.
   */
  readonly size:
    | ({ readonly kind: "exact" } & PictureSize)
    | {
        readonly kind: "ratio";
        readonly ratio: PictureSize | "of_first_image";
        readonly longestSide: number;
      };
  readonly seed: number | null;
  /** Number of this picture among those of the same prompt, from 0. */
  readonly variant: number;
  /** Those whose words are part of the prompt. */
  readonly preset: { readonly category: string; readonly code: string } | null;
  readonly effect: { readonly code: string; readonly intensity: number } | null;
  /** Values of the model's own parameters. */
  readonly parameters: { readonly [name: string]: JsonValue };
}

/** The same with its pictures as they are sent, and its size in pixels. */
export interface ImageRequest extends Omit<ImagePrompt, "images" | "size"> {
  readonly images: readonly ModelPicture[];
  readonly size: PictureSize;
}

export interface MadePicture {
  readonly contentType: "image/png" | "image/jpeg" | "image/webp";
  /** The pieces are valid until the next one is requested. */
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>;
}
