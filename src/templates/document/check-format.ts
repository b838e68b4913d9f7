import { ExactNumber, isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { isLanguageTag, isTimeZone } from "./locale-names.ts";
import type { FieldType } from "./field.ts";
import type { Place } from "./place.ts";
import type { ProblemList } from "./problem-list.ts";

/** What the schema of a format does not state: locales, currencies and time zones that exist, digits in order. */
export function checkFormat(
  format: JsonValue | undefined,
  type: FieldType,
  place: Place,
  problems: ProblemList,
): void {
  if (!isJsonObject(format)) {
    return;
  }
  const at = (key: string): Place => ({ parent: place, key });
  const { locale, currency, timeZone } = format;
  if (typeof locale === "string" && !isLanguageTag(locale)) {
    problems.add(
      "invalid_value",
      at("locale"),
      "Must be a BCP 47 language tag such as en-US or de.",
    );
  }
  if (type === "number" && format["style"] === "currency" && currency === undefined) {
    problems.add(
      "missing_property",
      at("currency"),
      "Is missing. Amounts of money need their currency: add an ISO 4217 code such as EUR.",
    );
  }
  if (type === "date" && typeof timeZone === "string" && !isTimeZone(timeZone)) {
    problems.add(
      "invalid_value",
      at("timeZone"),
      "Must be the name of a time zone such as UTC or Europe/Berlin.",
    );
  }
  const least = numberOf(format["minimumFractionDigits"]);
  const most = numberOf(format["maximumFractionDigits"]);
  if (least !== undefined && most !== undefined && least > most) {
    problems.add(
      "invalid_value",
      at("minimumFractionDigits"),
      `Must not be more than maximumFractionDigits, ${most}.`,
    );
  }
}

function numberOf(value: JsonValue | undefined): number | undefined {
  const number = value instanceof ExactNumber ? value.toNumber() : value;
  return typeof number === "number" ? number : undefined;
}
