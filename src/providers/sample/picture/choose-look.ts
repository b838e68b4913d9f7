import { columns, cubes, facets, type Motif, pixels, rings, tiles } from "./flat-motifs.ts";
import type { PaletteMood } from "./palette.ts";
import type { SamplePictureRequest } from "./picture-request.ts";
import { hills, room, stage, washes } from "./scene-motifs.ts";

/** How a picture is arranged: a motif beside the text, or one behind everything. */
export interface Look {
  readonly motif: Motif;
  readonly isScene: boolean;
  readonly mood: PaletteMood;
}

const PLAIN: PaletteMood = { chroma: 1 };

const flat = (motif: Motif, mood: PaletteMood = PLAIN): Look => ({ motif, isScene: false, mood });
const scene = (motif: Motif, mood: PaletteMood = PLAIN): Look => ({ motif, isScene: true, mood });

/** Without a preset the prompt chooses one of these. */
const FREE: readonly Look[] = [flat(tiles), flat(rings), scene(hills), flat(facets), flat(tiles)];

const BY_CATEGORY: Readonly<Record<string, Look>> = {
  image_style: flat(tiles),
  ad_layout: flat(rings),
  product_scene: scene(stage),
  lifestyle_scene: scene(room),
  interior_style: scene(room),
  fashion_shot: flat(columns),
  background_scene: scene(hills),
  art_style: flat(facets),
};

const BY_CODE: Readonly<Record<string, Look>> = {
  "image_style/photo": scene(hills, { chroma: 0.8 }),
  "image_style/cinematic": scene(hills, { chroma: 0.9, isDark: true }),
  "image_style/watercolor": scene(washes, { chroma: 0.8, isDark: false }),
  "image_style/line_art": flat(rings, { chroma: 0.2, isDark: false }),
  "image_style/isometric_3d": flat(cubes),
  "image_style/pixel_art": flat(pixels, { chroma: 1.2 }),
  "ad_layout/minimal": flat(rings, { chroma: 0.5, isDark: false }),
  "ad_layout/bold_type": flat(tiles, { chroma: 1.3 }),
  "ad_layout/split_screen": flat(columns),
  "ad_layout/magazine": flat(facets, { chroma: 0.7 }),
  "ad_layout/sale_banner": flat(rings, { chroma: 1.3, hue: 25 }),
  "product_scene/white_seamless": scene(stage, { chroma: 0.3, isDark: false }),
  "product_scene/marble": scene(stage, { chroma: 0.35, isDark: false, hue: 230 }),
  "product_scene/wood_table": scene(stage, { chroma: 0.8, hue: 60 }),
  "product_scene/concrete": scene(stage, { chroma: 0.15 }),
  "product_scene/water_splash": scene(hills, { chroma: 1, hue: 225 }),
  "lifestyle_scene/outdoor_cafe": scene(hills, { chroma: 1, hue: 120 }),
  "lifestyle_scene/beach": scene(hills, { chroma: 1, hue: 215 }),
  "interior_style/scandinavian": scene(room, { chroma: 0.55, isDark: false }),
  "interior_style/industrial": scene(room, { chroma: 0.4, isDark: true }),
  "interior_style/japandi": scene(room, { chroma: 0.45, isDark: false, hue: 75 }),
  "fashion_shot/street": flat(tiles, { chroma: 0.8 }),
  "fashion_shot/golden_hour": scene(hills, { chroma: 1.1, hue: 62 }),
  "background_scene/plain_white": scene(stage, { chroma: 0.15, isDark: false }),
  "background_scene/soft_gradient": scene(washes, { chroma: 0.7, isDark: false }),
  "background_scene/city_street": flat(columns, { chroma: 0.7 }),
  "background_scene/forest": scene(hills, { chroma: 0.9, hue: 150 }),
  "background_scene/beach": scene(hills, { chroma: 1, hue: 215 }),
  "background_scene/abstract_shapes": flat(tiles),
  "art_style/watercolor": scene(washes, { chroma: 0.8, isDark: false }),
  "art_style/ukiyo_e": scene(hills, { chroma: 0.8, hue: 245, isDark: false }),
  "art_style/pencil_sketch": flat(rings, { chroma: 0, isDark: false }),
  "art_style/pop_art": flat(tiles, { chroma: 1.5 }),
  "art_style/oil_painting": scene(washes, { chroma: 1.1, isDark: true }),
};

/** The look of a preset; of the prompt's hash without one. */
export function chooseLook(preset: SamplePictureRequest["preset"], share: number): Look {
  if (preset === null) {
    return FREE[Math.floor(share * FREE.length)] ?? scene(hills);
  }
  return (
    BY_CODE[`${preset.category}/${preset.code}`] ?? BY_CATEGORY[preset.category] ?? flat(tiles)
  );
}
