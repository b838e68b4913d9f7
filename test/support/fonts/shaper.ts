import { createHash } from "node:crypto";
import { Shaper } from "../../../src/render/shaping/shaper.ts";
import type { ShapedFace } from "../../../src/render/shaping/shaped-face.ts";
import { compiled } from "./font-trial.ts";
import { realFont } from "./real-fonts.ts";

/** A shaper in Node, with the modules that the renderer has. */
export function makeShaper(): Shaper {
  return new Shaper({
    harfBuzz: compiled("node_modules/harfbuzzjs/dist/harfbuzz.wasm"),
    subsetter: compiled("src/render/shaping/harfbuzz-subset.wasm"),
  });
}

const GOOGLE = "@expo-google-fonts";
export const FONT_PATHS = {
  sans: `${GOOGLE}/noto-sans/400Regular/NotoSans_400Regular.ttf`,
  bold: `${GOOGLE}/noto-sans/700Bold/NotoSans_700Bold.ttf`,
  serif: `${GOOGLE}/noto-serif/400Regular/NotoSerif_400Regular.ttf`,
  arabic: `${GOOGLE}/noto-sans-arabic/400Regular/NotoSansArabic_400Regular.ttf`,
  hebrew: `${GOOGLE}/noto-sans-hebrew/400Regular/NotoSansHebrew_400Regular.ttf`,
  thai: `${GOOGLE}/noto-sans-thai/400Regular/NotoSansThai_400Regular.ttf`,
  code: "source-code-pro/OTF/SourceCodePro-Regular.otf",
} as const;

const digests = new Map<string, string>();

export function openFont(shaper: Shaper, name: keyof typeof FONT_PATHS): ShapedFace {
  const bytes = realFont(FONT_PATHS[name]);
  const digest = digests.get(name) ?? createHash("sha256").update(bytes).digest("hex");
  digests.set(name, digest);
  return shaper.open(digest, bytes);
}
