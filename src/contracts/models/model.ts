/** Models, their capabilities and parameters, as the catalog lists them (docs/contract/models.md). */
import * as z from "zod";
import { listOf } from "../list.ts";

/** In the order of `GET /capabilities`. */
export const MODEL_CAPABILITIES = [
  "text_to_image",
  "image_edit",
  "multi_image_edit",
  "background_removal",
  "image_upscale",
  "text_generation",
  "text_to_speech",
  "speech_to_text",
  "stem_separation",
] as const;
export type ModelCapability = (typeof MODEL_CAPABILITIES)[number];

export const COST_UNITS = [
  "per_image",
  "per_second",
  "per_1k_tokens",
  "per_1k_characters",
  "per_megapixel",
  "per_request",
] as const;
export type CostUnit = (typeof COST_UNITS)[number];

export const QUALITY_TIERS = ["draft", "standard", "high"] as const;
export type QualityTier = (typeof QUALITY_TIERS)[number];
export const SPEED_TIERS = ["fast", "medium", "slow"] as const;
export type SpeedTier = (typeof SPEED_TIERS)[number];

/** What a voice model may let its callers choose. */
export const VOICE_CONTROLS = ["voice", "language", "speed", "pitch", "emotion"] as const;
export type VoiceControl = (typeof VOICE_CONTROLS)[number];

export const Model = z
  .object({
    model: z.string().describe("Slug of the model: the value of a node's `model` parameter."),
    display_name: z.string().describe("Name of the model for people."),
    provider: z.string().describe("Id of the provider that serves the model."),
    credit_cost: z
      .number()
      .describe("`credit_cost_milli_credits` / 1,000: the cost of one unit, in credits."),
    credit_cost_milli_credits: z.int().describe("The cost of one unit, in milli-credits."),
    cost_unit: z.enum(COST_UNITS).describe("What one unit is."),
    cost_basis: z
      .enum(["per_unit", "per_call_estimate"])
      .describe(
        "`per_call_estimate` for a model that is charged by tokens: the cost shown is that of 1,000 tokens in and 500 out.",
      ),
    input_milli_credits_per_1k: z
      .int()
      .nullable()
      .describe("The cost of 1,000 tokens in; null unless the model is charged by tokens."),
    output_milli_credits_per_1k: z
      .int()
      .nullable()
      .describe("The cost of 1,000 tokens out; null unless the model is charged by tokens."),
    quality_tier: z.enum(QUALITY_TIERS).describe("How good its results are, compared with others."),
    speed_tier: z.enum(SPEED_TIERS).describe("How fast it is, compared with others."),
    supports_vision: z.boolean().describe("Whether a text model takes pictures."),
    is_default: z
      .boolean()
      .describe(
        "Whether the model is the workspace's default: for the capability of the list, or for any capability in a list of all models.",
      ),
    capabilities: z.array(z.enum(MODEL_CAPABILITIES)).describe("What the model can be used for."),
    controls: z
      .array(z.enum(VOICE_CONTROLS))
      .describe("What a voice model lets its callers choose; empty for other models."),
    max_input_images: z.int().describe("Most pictures in one call; 0 if it takes none."),
    timeout_ms: z.int().describe("Longest that one call may take, in milliseconds."),
  })
  .meta({ id: "Model" });
export type Model = z.infer<typeof Model>;

export const ModelList = listOf(Model).meta({ id: "ModelList" });
export type ModelList = z.infer<typeof ModelList>;

export const CAPABILITY_CATEGORIES = ["image", "text", "audio"] as const;

export const Capability = z
  .object({
    capability: z.enum(MODEL_CAPABILITIES).describe("Code of the capability."),
    display_name: z.string().describe("Name of the capability for people."),
    category: z.enum(CAPABILITY_CATEGORIES).describe("What its models make or read."),
    description: z.string().describe("What models with this capability do."),
  })
  .meta({ id: "Capability" });
export type Capability = z.infer<typeof Capability>;

export const CapabilityList = listOf(Capability).meta({ id: "CapabilityList" });
export type CapabilityList = z.infer<typeof CapabilityList>;

const parameter = {
  name: z.string().describe("Name in `model_parameters` of a node."),
  label: z.string().describe("Name of the parameter for people."),
  advanced: z.boolean().describe("Whether editors show it on demand only."),
};

export const ModelParameter = z
  .discriminatedUnion("type", [
    z.object({
      ...parameter,
      type: z.enum(["number", "integer"]).describe("Kind of the value."),
      min: z.number().describe("Smallest value."),
      max: z.number().describe("Largest value."),
      step: z.number().describe("Step of an editor's control."),
      default: z.number().describe("The value if none is given."),
    }),
    z.object({
      ...parameter,
      type: z.literal("boolean").describe("Kind of the value."),
      default: z.boolean().describe("The value if none is given."),
    }),
    z.object({
      ...parameter,
      type: z.literal("text").describe("Kind of the value."),
      default: z.string().describe("The value if none is given."),
    }),
    z.object({
      ...parameter,
      type: z.literal("enum").describe("Kind of the value."),
      allowed_values: z.array(z.string()).describe("The values that may be given."),
      default: z.string().describe("The value if none is given."),
    }),
  ])
  .meta({ id: "ModelParameter" });
export type ModelParameter = z.infer<typeof ModelParameter>;

export const ModelVoice = z
  .object({
    voice: z.string().describe("Value of a node's `voice`."),
    name: z.string().describe("Name of the voice for people."),
    language: z.string().nullable().describe("Language that the voice speaks best, if known."),
    labels: z
      .record(z.string(), z.string())
      .describe("Further properties as the provider names them: `accent`, `gender`."),
    preview_url: z.string().nullable().describe("Address of a sample at the provider."),
  })
  .meta({ id: "ModelVoice" });
export type ModelVoice = z.infer<typeof ModelVoice>;

export const ModelVoiceList = listOf(ModelVoice).meta({ id: "ModelVoiceList" });
export type ModelVoiceList = z.infer<typeof ModelVoiceList>;

export const ModelParametersSchema = z
  .object({
    model: z.string().describe("Slug of the model."),
    schema: z
      .array(ModelParameter)
      .describe("The model's own parameters, the values of a node's `model_parameters`."),
    defaults: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .describe("The default of each parameter, by name."),
    hides_node_parameters: z
      .array(z.string())
      .describe("Parameters of a node whose saved values are ignored while it uses this model."),
  })
  .meta({ id: "ModelParametersSchema" });
export type ModelParametersSchema = z.infer<typeof ModelParametersSchema>;

export const DEFAULT_SOURCES = ["system", "workspace_override"] as const;

export const NodeTypeModels = z
  .object({
    node_type: z.string().describe("`category/name`"),
    capabilities: z
      .array(
        z
          .object({
            capability: z.enum(MODEL_CAPABILITIES).describe("Code of the capability."),
            display_name: z.string().describe("Name of the capability for people."),
            default_model: z
              .string()
              .nullable()
              .describe("Slug of the workspace's default model; null if no model serves."),
            default_source: z
              .enum(DEFAULT_SOURCES)
              .describe("Whether the workspace overrides the default of the system."),
            models: z.array(Model).describe("The models that serve the capability, by slug."),
          })
          .meta({ id: "NodeTypeCapability" }),
      )
      .describe("One entry for each capability that the node type can use; empty without models."),
  })
  .meta({ id: "NodeTypeModels" });
export type NodeTypeModels = z.infer<typeof NodeTypeModels>;
