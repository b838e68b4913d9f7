/** The curated effects (docs/contract/models.md#presets-and-effects): one line of words for each. */
import type { Effect, EffectCategory } from "./preset.ts";

type Line = readonly [
  code: string,
  name: string,
  icon: string,
  description: string,
  fragment: string,
  /** For an effect that is there or not, without degrees. */
  withoutIntensity?: "without_intensity",
];

const DEFAULT_INTENSITY = 50;

/** In the order of `sort_order` within each category. */
const LINES: Readonly<Record<EffectCategory, readonly Line[]>> = {
  light: [
    [
      "golden_hour",
      "Golden hour",
      "sunset",
      "Low, warm sun with long shadows.",
      "Low golden-hour sunlight from the side, long soft shadows, warm rim light",
    ],
    [
      "neon_glow",
      "Neon glow",
      "zap",
      "Colored light of neon tubes at night.",
      "Magenta and cyan neon light at night, colored reflections on edges and wet surfaces, dark surroundings",
    ],
    [
      "soft_studio",
      "Soft studio",
      "lightbulb",
      "Even light of large softboxes.",
      "Soft studio light from large diffused sources, gentle shadows, smooth highlights",
    ],
    [
      "hard_shadow",
      "Hard shadow",
      "sun",
      "One small, bright light with crisp shadows.",
      "Hard light from one small bright source, crisp dark shadows, high contrast",
    ],
  ],
  color: [
    [
      "warm_tone",
      "Warm tone",
      "thermometer-sun",
      "Shifts all colors toward amber.",
      "Warm color grading, white balance shifted toward amber, golden highlights",
    ],
    [
      "cool_tone",
      "Cool tone",
      "thermometer-snowflake",
      "Shifts all colors toward blue.",
      "Cool color grading, white balance shifted toward blue, clean cyan shadows",
    ],
    [
      "pastel",
      "Pastel",
      "palette",
      "Pale, soft colors with little contrast.",
      "Pastel palette, low saturation, lifted blacks, pale pink, mint and lavender tones",
    ],
    [
      "black_and_white",
      "Black and white",
      "contrast",
      "No color; only grays.",
      "Black-and-white photograph, full range of grays, no color anywhere",
      "without_intensity",
    ],
  ],
  lens: [
    [
      "shallow_focus",
      "Shallow focus",
      "focus",
      "A sharp subject before a blurred background.",
      "Shallow depth of field at f/1.8, subject sharp, background dissolved in smooth round bokeh",
    ],
    [
      "motion_blur",
      "Motion blur",
      "wind",
      "Streaks in the direction of movement.",
      "Motion blur from a slow shutter, streaks in the direction of movement, main subject still readable",
    ],
    [
      "wide_angle",
      "Wide angle",
      "maximize",
      "A wide view with strong perspective.",
      "Wide-angle view through a 20 mm lens, strong perspective, near objects large, deep focus",
      "without_intensity",
    ],
    [
      "macro",
      "Macro",
      "search",
      "Very close, with the texture of the surface.",
      "Macro close-up at life size, fine surface texture visible, very thin plane of focus",
      "without_intensity",
    ],
  ],
  texture: [
    [
      "film_grain",
      "Film grain",
      "film",
      "The grain of fast analog film.",
      "Analog film grain of ISO 800 stock, fine and irregular, slightly stronger in the shadows",
    ],
    [
      "halftone",
      "Halftone",
      "grip",
      "The dots of a newspaper print.",
      "Halftone print texture, dots of varying size at a 45-degree screen angle, slightly uneven ink",
    ],
    [
      "paper_texture",
      "Paper texture",
      "file",
      "The fibers of uncoated paper.",
      "Printed on uncoated paper, visible fibers and slight tooth, softened blacks",
    ],
    [
      "glitch",
      "Glitch",
      "tv",
      "Shifted color channels and torn lines of a bad video signal.",
      "Digital glitch, horizontally displaced bands, split red and cyan channels, scan lines",
    ],
  ],
};

/** Every effect, in the order of the catalog: by category, `sort_order` and code. */
export const EFFECTS: readonly Effect[] = Object.entries(LINES)
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .flatMap(([category, lines]) =>
    lines.map(([code, name, icon, description, fragment, withoutIntensity], index) => ({
      code,
      category: category as EffectCategory,
      name,
      description,
      icon,
      thumbnail: null,
      sort_order: index + 1,
      prompt_fragment: fragment,
      supports_intensity: withoutIntensity === undefined,
      default_intensity: DEFAULT_INTENSITY,
    })),
  );
