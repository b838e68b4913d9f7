import type { EmbedLocale } from "../../../contracts/embeds/page-query.ts";
import { ENGLISH, type Words, wordsOf, type WordTable } from "../words.ts";
import { ar } from "./ar.ts";
import { de } from "./de.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { ja } from "./ja.ts";

/** The words of the editor in each language of the pages. */
export const WORD_TABLES: Readonly<Record<EmbedLocale, WordTable>> = {
  en: ENGLISH,
  de,
  fr,
  es,
  ja,
  ar,
};

/** The words of a language; numbers in them are written as the language does. */
export function wordsIn(locale: EmbedLocale): Words {
  return wordsOf(WORD_TABLES[locale], new Intl.NumberFormat(locale), new Intl.PluralRules(locale));
}
