/** The page docs/presets.md: every preset and effect with its words and a picture. */
import type { Effect, Preset } from "../src/contracts/models/preset.ts";

export const FOLDER = "pictures/vocabulary";

/** Texts have a tone and no picture. */
const WITHOUT_PICTURE = "text_tone";

export interface ShownWord {
  readonly kind: "preset" | "effect";
  readonly category: string;
  readonly code: string;
  /** Path below docs/. */
  readonly picture: string;
}

/** Every preset and effect that changes a picture. */
export function wordsShown(
  presets: readonly Preset[],
  effects: readonly Effect[],
): readonly ShownWord[] {
  const shown = (kind: ShownWord["kind"], { category, code }: Preset | Effect): ShownWord => ({
    kind,
    category,
    code,
    picture: pictureOf(kind, category, code),
  });
  return [
    ...presets
      .filter(({ category }) => category !== WITHOUT_PICTURE)
      .map((one) => shown("preset", one)),
    ...effects.map((one) => shown("effect", one)),
  ];
}

function pictureOf(kind: ShownWord["kind"], category: string, code: string): string {
  return `${FOLDER}/${kind === "effect" ? "effect-" : ""}${category}-${code}.png`;
}

export function vocabularyPage(presets: readonly Preset[], effects: readonly Effect[]): string {
  return `# Presets and effects

<!-- Written by scripts/draw-vocabulary.ts. -->

A preset and an effect add their words to the prompt of a node ([contract](contract/models.md#presets-and-effects)). The pictures
are those of \`sample-image\`, with the prompt "Teapot": they are not made by an AI model, and show which of its palettes,
scenes and filters a preset or an effect chooses. A model receives the words. \`GET /presets\` and \`GET /effects\` list them.

${sections("preset", presets)}
${sections("effect", effects)}`;
}

function sections(kind: ShownWord["kind"], words: readonly (Preset | Effect)[]): string {
  return [...Map.groupBy(words, ({ category }) => category)]
    .map(([category, ofCategory]) => {
      const heading = kind === "preset" ? `Preset \`${category}\`` : `Effects of \`${category}\``;
      const rows = ofCategory.map(({ code, name, prompt_fragment: fragment }) => {
        const picture =
          category === WITHOUT_PICTURE ? "" : `![${name}](${pictureOf(kind, category, code)})`;
        return `| \`${code}\` | ${picture} | ${fragment.replaceAll("|", "\\|")} |`;
      });
      return `## ${heading}\n\n| code | picture | words |\n|---|---|---|\n${rows.join("\n")}\n`;
    })
    .join("\n");
}
