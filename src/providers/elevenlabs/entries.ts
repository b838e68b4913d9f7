import { type ModelEntry, REQUEST_TIMEOUT_MS } from "../model-entry.ts";

export const ELEVENLABS_MODELS: readonly ModelEntry[] = [
  {
    model: "eleven-multilingual-v2",
    remote_model: "eleven_multilingual_v2",
    display_name: "Eleven Multilingual v2",
    capabilities: ["text_to_speech"],
    price: { cost_unit: "per_1k_characters", credit_cost_milli_credits: 18_000 },
    quality_tier: "high",
    speed_tier: "medium",
    // It finds the language itself and rejects a `language_code`.
    controls: ["voice", "speed"],
    timeout_ms: REQUEST_TIMEOUT_MS,
  },
  {
    model: "eleven-flash-v2-5",
    remote_model: "eleven_flash_v2_5",
    display_name: "Eleven Flash v2.5",
    capabilities: ["text_to_speech"],
    price: { cost_unit: "per_1k_characters", credit_cost_milli_credits: 9000 },
    quality_tier: "standard",
    speed_tier: "fast",
    controls: ["voice", "language", "speed"],
    timeout_ms: REQUEST_TIMEOUT_MS,
  },
];
