import { describe, expect, test } from "vitest";
import { WORD_TABLES, wordsIn } from "../../../../src/web/editor/locales/locales.ts";
import { ENGLISH, type WordKey } from "../../../../src/web/editor/words.ts";

const KEYS = Object.keys(ENGLISH) as WordKey[];
/** Words that are the same in English, by language. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  de: ["optional", "zoom", "definition", "interfaceName"],
  fr: ["zoom", "definition", "interfaces", "interface", "type", "description"],
  es: ["zoom", "error", "interfaces"],
};

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

describe.each(Object.entries(WORD_TABLES).filter(([locale]) => locale !== "en"))(
  "the words of the editor in %s",
  (locale, table) => {
    test("have the places of the English ones, and no others", () => {
      expect(
        KEYS.filter(
          (key) =>
            placeholders(table[key]).join(" ") !== placeholders(ENGLISH[key]).join(" ") ||
            table[key].trim() === "",
        ),
      ).toEqual([]);
    });

    test("are translated", () => {
      expect(KEYS.filter((key) => table[key] === ENGLISH[key]).sort()).toEqual(
        [...(SAME[locale] ?? [])].sort(),
      );
    });
  },
);

test("numbers are written as the language does, and names as they are", () => {
  expect(wordsIn("en")("tooMany", { max: 500, count: 1_000 })).toBe(
    "A definition may have at most 500 nodes; this one has 1,000 and cannot be saved.",
  );
  expect(wordsIn("de")("copied", { count: 12_345 })).toBe("12.345 Knoten kopiert.");
  expect(wordsIn("en")("added", { name: "{name} 1000" })).toBe("Added {name} 1000.");
  expect(wordsIn("en")("added")).toBe("Added {name}.");
});
