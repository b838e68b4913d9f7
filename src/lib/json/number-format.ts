import { BoundedCache } from "../memory/bounded-cache.ts";

/** The number format of a locale. */
export interface NumberFormat {
  readonly isInvariant: boolean;
  /**
   * The digits of a number as a JSON number token; undefined if the text is not a number in this
   * format.
   */
  read(text: string): string | undefined;
}

/**
 * Only plain numbers with a decimal point, without leading zero, exponent or plus sign
 * (docs/contract/datasets.md#reading-rules).
 */
const PLAIN = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

const INVARIANT: NumberFormat = {
  isInvariant: true,
  read: (text) => {
    const trimmed = text.trim();
    return PLAIN.test(trimmed) ? trimmed : undefined;
  },
};

/** The characters that people type for a locale's group separator. */
const GROUP_SPELLINGS: readonly string[] = [" \u00a0\u202f\u2009", "'\u2019"];

/** The format of a BCP 47 tag, or `invariant`; undefined for any other text. */
export function findNumberFormat(locale: string): NumberFormat | undefined {
  return locale === "invariant" ? INVARIANT : formats.getOrMake(locale, () => localeFormat(locale));
}

/**
 * Formats are cached: creating one queries the locale data, and a fan-out reads ten thousand
 * numbers in one locale.
 */
const formats = new BoundedCache<string, NumberFormat | undefined>(64);

function localeFormat(locale: string): NumberFormat | undefined {
  let parts: Intl.NumberFormatPart[];
  try {
    // A well-formed tag of an unknown language would use the rules of the default locale.
    if (Intl.NumberFormat.supportedLocalesOf(locale).length === 0) {
      throw new RangeError("an unknown language");
    }
    const latin = new Intl.Locale(locale, { numberingSystem: "latn" });
    // Some locales group only numbers of five digits or more; nine digits show all group sizes.
    parts = new Intl.NumberFormat(latin).formatToParts(123_456_789.5);
  } catch {
    return undefined;
  }
  const decimal = parts.find(({ type }) => type === "decimal")?.value ?? ".";
  const group = parts.find(({ type }) => type === "group")?.value ?? "";
  const sizes = parts.filter(({ type }) => type === "integer").map(({ value }) => value.length);
  const groups = group === "" ? "" : (GROUP_SPELLINGS.find((all) => all.includes(group)) ?? group);
  const number = groupedNumber(groups, decimal, sizes.at(-1) ?? 3, sizes.at(-2) ?? 3);
  return {
    isInvariant: false,
    read: (text) => {
      const found = number.exec(text.trim());
      if (found === null) {
        return undefined;
      }
      const [, sign = "", whole = "", fraction = ""] = found;
      const digits = whole.replaceAll(/\D/g, "");
      return `${sign === "" ? "" : "-"}${digits}${fraction === "" ? "" : `.${fraction}`}`;
    },
  };
}

/** Digits with or without groups; groups of a wrong size make the text invalid. */
function groupedNumber(groups: string, decimal: string, last: number, others: number): RegExp {
  const plain = "0|[1-9]\\d*";
  const separator = `[${escapeClass(groups)}]`;
  const grouped =
    groups === ""
      ? plain
      : `[1-9]\\d{0,${others - 1}}(?:${separator}\\d{${others}})*${separator}\\d{${last}}|${plain}`;
  return new RegExp(`^([-\u2212]?)(${grouped})(?:[${escapeClass(decimal)}](\\d+))?$`);
}

function escapeClass(characters: string): string {
  return characters.replaceAll(/[\\\]^-]/g, String.raw`\$&`);
}

/**
 * Plain with a comma; thousands with one separator and a different decimal separator; Indian
 * groups.
 */
const SOMEWHERE = [
  /^[-\u2212]?(?:0|[1-9]\d*)(?:[.,]\d+)?$/,
  /^[-\u2212]?[1-9]\d{0,2}([., '\u2019\u00a0\u202f\u2009])\d{3}(?:\1\d{3})*(?:(?!\1)[.,]\d+)?$/,
  /^[-\u2212]?[1-9]\d?(?:,\d{2})+,\d{3}(?:\.\d+)?$/,
];

/**
 * Whether any locale reads the text as a number. It is then ambiguous in other locales
 * (docs/contract/datasets.md#reading-rules).
 */
export function isNumberSomewhere(text: string): boolean {
  const trimmed = text.trim();
  return SOMEWHERE.some((pattern) => pattern.test(trimmed));
}
