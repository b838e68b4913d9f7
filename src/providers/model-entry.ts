import type {
  CostUnit,
  ModelCapability,
  ModelParameter,
  QualityTier,
  SpeedTier,
  VoiceControl,
} from "../contracts/models/model.ts";
import type { ProviderKind } from "../contracts/models/provider.ts";

/** A price: by tokens, or by another unit. In milli-credits. */
export type ModelPrice =
  | {
      readonly cost_unit: Exclude<CostUnit, "per_1k_tokens">;
      readonly credit_cost_milli_credits: number;
    }
  | {
      readonly cost_unit: "per_1k_tokens";
      readonly input_milli_credits_per_1k: number;
      readonly output_milli_credits_per_1k: number;
    };

/** By control: the lowest and the highest value. */
export type ControlRanges = Readonly<Partial<Record<VoiceControl, readonly [number, number]>>>;

/** The ranges of each kind of provider, for models that advertise the control. */
export const CONTROL_RANGES: Readonly<Partial<Record<ProviderKind, ControlRanges>>> = {
  openai_compatible: { speed: [0.25, 4] },
  elevenlabs: { speed: [0.7, 1.2] },
  sample: { speed: [0.5, 2], pitch: [-12, 12] },
};

/** A model of a provider, as its file of entries describes it. The fields have the names of the catalog. */
export interface ModelEntry {
  readonly model: string;
  /** The provider's own name of the model. */
  readonly remote_model: string;
  /**
   * Raised when the remote model or the meaning of its parameters changes: retries do not take over what another
   * revision made. `FIRST_REVISION` if omitted.
   */
  readonly revision?: string;
  readonly display_name: string;
  readonly capabilities: readonly ModelCapability[];
  readonly price: ModelPrice;
  readonly quality_tier: QualityTier;
  readonly speed_tier: SpeedTier;
  readonly supports_vision?: boolean;
  readonly controls?: readonly VoiceControl[];
  /** The values of numeric controls that its provider accepts, from and to. */
  readonly control_ranges?: ControlRanges;
  /** The voices that the model speaks with, the first unless another is asked for; any voice if omitted. */
  readonly voices?: readonly string[];
  /** Most pictures in one call; none if omitted. */
  readonly max_input_images?: number;
  /** `WxH`; any size if omitted. */
  readonly sizes?: readonly string[];
  readonly timeout_ms: number;
  /** How a text model is asked for JSON, and how it is told the limit of its answer; the defaults if omitted. */
  readonly json_mode?: "json_schema" | "json_object" | "prompt";
  readonly max_tokens_field?: "max_tokens" | "max_completion_tokens";
  readonly parameters?: readonly ModelParameter[];
  /** Parameters of nodes that the model ignores, besides the voice controls that it lacks. */
  readonly hides?: readonly string[];
}

export const FIRST_REVISION = "1";

/** The time limit of a call that the provider serves in one request. */
export const REQUEST_TIMEOUT_MS = 120_000;

/** The time limit of a call that the provider serves as a job. */
export const JOB_TIMEOUT_MS = 600_000;

/** Parameters of image nodes that some providers' interfaces do not have. */
export const NO_NEGATIVE_PROMPT = ["negative_prompt"] as const;
export const NO_NEGATIVE_PROMPT_NO_SEED = ["negative_prompt", "seed"] as const;
