import { BoundedCache } from "../../lib/memory/bounded-cache.ts";
import { canonicalDecimal } from "../../lib/json/canonical-decimal.ts";
import { isJsonNumber, type JsonValue, numberToken } from "../../lib/json/exact-json.ts";
import type { DateFormat, NumberFormat, Placeholder, TextFormat } from "../document/field.ts";
import { readDate } from "./read-date.ts";

/** Longer numbers print as their own token: the time that a locale's notation takes grows with the digits. */
const NUMBER_CHARACTERS_MAX = 1_000;

/**
 * The text that a value of a text, url, number or date field prints (docs/contract/templates.md#values). The field has
 * its defaults filled in; the value is one that `checkValues` took.
 */
export function formatValue(field: Placeholder, value: JsonValue): string {
  switch (field.placeholderType) {
    case "text":
    case "url":
      return formatText(printed(value), field.format);
    case "number":
      return isJsonNumber(value) ? formatNumber(numberToken(value), field.format) : printed(value);
    case "date":
      return formatDate(printed(value), field.format);
    default:
      return printed(value);
  }
}

function printed(value: JsonValue): string {
  if (isJsonNumber(value)) {
    return numberToken(value);
  }
  return typeof value === "string" || typeof value === "boolean" ? String(value) : "";
}

/** An empty text stays empty. */
function formatText(text: string, format: TextFormat | undefined): string {
  if (format === undefined || text === "") {
    return text;
  }
  const cased =
    format.case === "upper"
      ? text.toUpperCase()
      : format.case === "lower"
        ? text.toLowerCase()
        : text;
  return format.prefix + cased + format.suffix;
}

// Making a format reads locale data, and a table of rows formats thousands of numbers alike.
const numberFormats = new BoundedCache<string, Intl.NumberFormat>(64);
const dateFormats = new BoundedCache<string, Intl.DateTimeFormat>(64);

/** From the exact digits; halves are rounded away from zero. */
function formatNumber(token: string, format: NumberFormat | undefined): string {
  const plain = token.length > NUMBER_CHARACTERS_MAX ? token : canonicalDecimal(token);
  if (format === undefined || plain.length > NUMBER_CHARACTERS_MAX || /e/i.test(plain)) {
    return token;
  }
  const { locale, style, currency, minimumFractionDigits, maximumFractionDigits, useGrouping } =
    format;
  const key = JSON.stringify([
    locale,
    style,
    currency,
    minimumFractionDigits,
    maximumFractionDigits,
    useGrouping,
  ]);
  const intl = numberFormats.getOrMake(
    key,
    () =>
      new Intl.NumberFormat(locale, {
        style,
        ...(style === "currency" && currency !== undefined && { currency }),
        ...(minimumFractionDigits !== undefined && { minimumFractionDigits }),
        ...(maximumFractionDigits !== undefined && { maximumFractionDigits }),
        useGrouping,
        roundingMode: "halfExpand",
      }),
  );
  // As a text, so that no digit passes through a double.
  return format.prefix + intl.format(plain as Intl.StringNumericLiteral) + format.suffix;
}

/** A date without time and a time without zone print as they stand on the calendar, in any time zone. */
function formatDate(text: string, format: DateFormat | undefined): string {
  const date = readDate(text);
  if (format === undefined || date === undefined) {
    return text;
  }
  const { locale, dateStyle, timeStyle } = format;
  const timeZone = date.hasZone ? format.timeZone : "UTC";
  const withTime = date.hasTime ? timeStyle : undefined;
  const intl = dateFormats.getOrMake(
    JSON.stringify([locale, dateStyle, withTime, timeZone]),
    () =>
      new Intl.DateTimeFormat(locale, {
        dateStyle,
        ...(withTime !== undefined && { timeStyle: withTime }),
        timeZone,
      }),
  );
  return format.prefix + intl.format(date.ms) + format.suffix;
}
