/** The curated presets (docs/contract/models.md#presets-and-effects). */
import { type Preset, PRESET_CATEGORIES, type PresetCategory, type PresetLine } from "./preset.ts";
import { SCENE_PRESETS } from "./scene-presets.ts";
import { STYLE_PRESETS } from "./style-presets.ts";

const LINES: Readonly<Record<PresetCategory, readonly PresetLine[]>> = {
  ...STYLE_PRESETS,
  ...SCENE_PRESETS,
};

/** Every preset, in the order of the catalog: by category, `sort_order` and code. */
export const PRESETS: readonly Preset[] = PRESET_CATEGORIES.toSorted((a, b) =>
  a < b ? -1 : 1,
).flatMap((category) =>
  LINES[category].map(([code, name, icon, description, fragment], index) => ({
    code,
    category,
    name,
    description,
    icon,
    thumbnail: null,
    sort_order: index + 1,
    prompt_fragment: fragment,
  })),
);
