import { describe, expect, test } from "vitest";
import { WORD_TABLES, wordsIn } from "../../../../src/web/editor/locales/locales.ts";
import { ENGLISH, type WordKey, type WordTable } from "../../../../src/web/editor/words.ts";
import type { Plural } from "../../../../src/web/shared/plural.ts";

const KEYS = Object.keys(ENGLISH) as WordKey[];
/** Words that are the same in English, by language. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  de: ["optional", "zoom", "definition", "interfaceName"],
  fr: ["zoom", "definition", "interfaces", "interface", "type", "description"],
  es: ["zoom", "error", "interfaces"],
};

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();
/** Enough to meet each form of each language. */
const NUMBERS = Array.from({ length: 203 }, (_, number) => number);
const formsOf = (text: string | Plural): Plural =>
  typeof text === "string" ? { other: text } : text;

/** What is wrong with the words of a language, by their key. */
function faultsOf(locale: string, table: WordTable): string[] {
  const rules = new Intl.PluralRules(locale);
  return KEYS.flatMap((key) => {
    const wanted = placeholders(formsOf(ENGLISH[key]).other);
    const forms = formsOf(table[key]);
    const places = Object.entries(forms).filter(([form, text]) => {
      // A form for one number alone may say it in words.
      const isOneNumber = NUMBERS.filter((number) => rules.select(number) === form).length === 1;
      const mustHave = isOneNumber ? wanted.filter((name) => name !== "{count}") : wanted;
      return (
        text.trim() === "" ||
        !mustHave.every((name) => placeholders(text).includes(name)) ||
        placeholders(text).some((name) => !wanted.includes(name))
      );
    });
    // `other` is also that of fractions.
    const used = new Set<string>(NUMBERS.map((number) => rules.select(number)));
    const isWhole =
      typeof table[key] === "string" ||
      ([...used].every((form) => form in forms) &&
        Object.keys(forms).every((form) => form === "other" || used.has(form)));
    return [...places.map(([form]) => `${key}.${form}`), ...(isWhole ? [] : [key])];
  });
}

describe.each(Object.entries(WORD_TABLES))("the words of the editor in %s", (locale, table) => {
  test("have the places of the English ones, and each form that the language has", () => {
    expect(faultsOf(locale, table)).toEqual([]);
  });
});

test.each(Object.entries(WORD_TABLES).filter(([locale]) => locale !== "en"))(
  "the words of the editor in %s are translated",
  (locale, table) => {
    expect(
      KEYS.filter((key) => formsOf(table[key]).other === formsOf(ENGLISH[key]).other).sort(),
    ).toEqual([...(SAME[locale] ?? [])].sort());
  },
);

test("a form that is missing, too much, or without its number would be found", () => {
  const { ar } = WORD_TABLES;
  const { two: _two, ...without } = ar.copied;
  expect(faultsOf("ar", { ...ar, copied: without })).toEqual(["copied"]);
  expect(
    faultsOf("ja", { ...WORD_TABLES.ja, copied: { one: "{count}", other: "{count}" } }),
  ).toEqual(["copied"]);
  expect(faultsOf("en", { ...ENGLISH, copied: { one: "a", other: "b" } })).toEqual([
    "copied.other",
  ]);
});

test.each([
  ["en", ["Copied 1 node.", "Copied 2 nodes.", "Copied 5 nodes.", "Copied 1,000 nodes."]],
  ["de", ["1 Knoten kopiert.", "2 Knoten kopiert.", "5 Knoten kopiert.", "1.000 Knoten kopiert."]],
  ["fr", ["1 nœud copié.", "2 nœuds copiés.", "5 nœuds copiés.", "1\u202F000 nœuds copiés."]],
  ["es", ["1 nodo copiado.", "2 nodos copiados.", "5 nodos copiados.", "1000 nodos copiados."]],
  [
    "ja",
    [
      "1 個のノードをコピーしました。",
      "2 個のノードをコピーしました。",
      "5 個のノードをコピーしました。",
      "1,000 個のノードをコピーしました。",
    ],
  ],
  ["ar", ["نُسخت عقدة واحدة.", "نُسخت عقدتان.", "نُسخت 5 عقد.", "نُسخت 1,000 عقدة."]],
] as const)("a number of nodes has the form of its language: %s", (locale, texts) => {
  const numbers = [1, 2, 5, 1_000];
  expect(numbers.map((count) => wordsIn(locale)("copied", { count }))).toEqual(texts);
});

test("numbers are written as the language does, and names as they are", () => {
  expect(wordsIn("en")("tooMany", { max: 500, count: 1_000 })).toBe(
    "A definition may have at most 500 nodes; this one has 1,000 and cannot be saved.",
  );
  expect(wordsIn("de")("copied", { count: 12_345 })).toBe("12.345 Knoten kopiert.");
  expect(wordsIn("en")("added", { name: "{name} 1000" })).toBe("Added {name} 1000.");
  expect(wordsIn("en")("added")).toBe("Added {name}.");
});
