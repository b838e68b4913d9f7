/** Presets and effects as the catalog lists them (docs/contract/models.md#presets-and-effects). */
import * as z from "zod";
import { listOf } from "../list.ts";

const shared = {
  name: z.string().describe("Name for people."),
  description: z.string().describe("What it does to the result."),
  icon: z.string().describe("Name of the icon in the editor."),
  thumbnail: z.string().nullable().describe("Address of a picture that shows it, or null."),
  sort_order: z.int().describe("Place within the category, from 1."),
  prompt_fragment: z.string().describe("The English words that it adds to a prompt."),
};

export const PRESET_CATEGORIES = [
  "image_style",
  "ad_layout",
  "product_scene",
  "lifestyle_scene",
  "interior_style",
  "fashion_shot",
  "background_scene",
  "art_style",
  "text_tone",
] as const;
export type PresetCategory = (typeof PRESET_CATEGORIES)[number];

export const Preset = z
  .object({
    code: z.string().describe("Value of a node's `preset` parameter; unique in its category."),
    category: z.enum(PRESET_CATEGORIES).describe("What the preset is for."),
    ...shared,
  })
  .meta({ id: "Preset" });
export type Preset = z.infer<typeof Preset>;

/** A preset of the curated set, as its file has it. */
export type PresetLine = readonly [
  code: string,
  name: string,
  icon: string,
  description: string,
  fragment: string,
];

export const PresetList = listOf(Preset).meta({ id: "PresetList" });
export type PresetList = z.infer<typeof PresetList>;

export const EFFECT_CATEGORIES = ["light", "color", "lens", "texture"] as const;
export type EffectCategory = (typeof EFFECT_CATEGORIES)[number];

export const Effect = z
  .object({
    code: z.string().describe("Value of a node's `effect` parameter."),
    category: z.enum(EFFECT_CATEGORIES).describe("What the effect changes."),
    ...shared,
    supports_intensity: z.boolean().describe("Whether `effect_intensity` changes the effect."),
    default_intensity: z.int().describe("The intensity if none is given, from 0 to 100."),
  })
  .meta({ id: "Effect" });
export type Effect = z.infer<typeof Effect>;

export const EffectList = listOf(Effect).meta({ id: "EffectList" });
export type EffectList = z.infer<typeof EffectList>;
