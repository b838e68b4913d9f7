/**
 * What nodes ask of models, and what comes back, whichever provider answers (docs/contract/models.md). Nodes build
 * the requests, `src/providers` sends them.
 */
import type { CostUnit, ModelCapability, ModelParameter, VoiceControl } from "./model.ts";
import type { ByteSource } from "../../lib/files/byte-source.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import type { FileRef } from "../../lib/files/file-ref.ts";

/** The parts of a catalog entry that a run needs; fixed at its submit. Plain JSON. */
export interface ReferencedModel {
  readonly model: string;
  /** Id of the provider that serves it; the runner looks up its address and key. */
  readonly provider: string;
  /** The provider's own name of the model. */
  readonly remote_model: string;
  /** Another one where the same call may have another result. Absent in runs from before it was kept. */
  readonly revision?: string;
  readonly capabilities: readonly ModelCapability[];
  readonly supports_vision: boolean;
  readonly cost_unit: CostUnit;
  readonly credit_cost_milli_credits: number;
  readonly input_milli_credits_per_1k: number | null;
  readonly output_milli_credits_per_1k: number | null;
  readonly controls: readonly string[];
  /** The lowest and highest value of numeric controls; absent if the provider's are unknown. */
  readonly control_ranges?: Readonly<Partial<Record<VoiceControl, readonly [number, number]>>>;
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
  /** If the provider knows it without reading the bytes. */
  readonly size?: PictureSize;
}

/** A picture whose background is removed. The answer has transparency; the caller scales it to the picture's size. */
export interface CutoutRequest {
  readonly image: ModelPicture;
  /** Values of the model's own parameters. */
  readonly parameters: { readonly [name: string]: JsonValue };
}

/** A picture that is enlarged. The caller scales the answer to exactly `size`. */
export interface UpscaleRequest extends CutoutRequest {
  readonly scale: 2 | 4;
  readonly size: PictureSize;
}

/** What a node asks of a voice. A control that the model does not advertise is null. */
export interface SpeechRequest {
  readonly text: string;
  readonly voice: string | null;
  readonly language: string | null;
  readonly speed: number | null;
  /** In semitones. */
  readonly pitch: number | null;
  readonly emotion: string | null;
  /** Values of the model's own parameters. */
  readonly parameters: { readonly [name: string]: JsonValue };
}

export interface MadeSound {
  /** A whole WAV, MP3, FLAC, Ogg or M4A: the format is read from the bytes. A piece is valid until the next is requested. */
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>;
  /** Characters that the provider counted; null if it reports none. */
  readonly characters: number | null;
}

export type SoundFormat = "wav" | "mp3" | "flac" | "ogg" | "m4a";

/** What the headers of a sound file say. */
export interface SoundMetadata {
  readonly format: SoundFormat;
  readonly contentType: string;
  readonly seconds: number;
  readonly sampleRate: number;
  readonly channels: number;
}

/** A sound as it is sent. It has up to 250 MB, so it is read as a stream or in parts and never held whole. */
export interface ModelSound {
  /** Read from its bytes, like the content type; `sound.<format>` is a name for uploads. */
  readonly format: SoundFormat;
  readonly contentType: string;
  readonly seconds: number;
  /** The stored file; it can be read several times. */
  readonly source: ByteSource;
  /**
   * The samples, for a model that reads no files. Throws NodeError `AUDIO_UNREADABLE` for what the service does not decode, and
   * `PROVIDER_UNAVAILABLE`.
   */
  readonly decode: () => Promise<DecodedSound>;
}

export interface DecodedSound {
  readonly sampleRate: number;
  readonly channels: number;
  /** Number of samples of each channel. */
  readonly frames: number;
  /** 32-bit float, little-endian, interleaved; fewer than `frames` if the rest cannot be decoded. To be read once. */
  readonly samples: AsyncIterable<Uint8Array>;
}

export interface TranscriptRequest {
  readonly sound: ModelSound;
  /** As the node names it, for example `en`; null if the model should find out. */
  readonly language: string | null;
  /** Values of the model's own parameters. */
  readonly parameters: { readonly [name: string]: JsonValue };
}

/** A passage of a transcript; the times are seconds. */
export interface TranscriptPassage {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface TranscriptAnswer {
  readonly text: string;
  /** In order; empty if the model reports no times. */
  readonly passages: readonly TranscriptPassage[];
  /** Seconds that the provider counted; null if it reports none. */
  readonly seconds: number | null;
}

export const STEM_NAMES = ["vocals", "drums", "bass", "other"] as const;
export type StemName = (typeof STEM_NAMES)[number];

export interface StemRequest {
  readonly sound: ModelSound;
  /** Values of the model's own parameters. */
  readonly parameters: { readonly [name: string]: JsonValue };
}

export interface MadeStems {
  /**
   * One sound for each stem, in any format that `MadeSound` may have. The caller reads all four at the same time, each
   * once and to its end, because they may be made in step; it aborts the call's signal to end early, which fails every
   * pending read. A piece is valid until the next of its stem is requested.
   */
  readonly stems: Readonly<Record<StemName, AsyncIterable<Uint8Array>>>;
  /** Seconds that the provider counted; null if it reports none. */
  readonly seconds: number | null;
}
