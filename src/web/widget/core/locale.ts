/** The language of the page: its texts, its direction, and its numbers, sizes and durations. */
import { ar } from "../locales/ar.ts";
import { de } from "../locales/de.ts";
import { en } from "../locales/en.ts";
import { es } from "../locales/es.ts";
import { fr } from "../locales/fr.ts";
import { ja } from "../locales/ja.ts";
import { formOf, type Plural } from "../../shared/plural.ts";
import type { ErrorText, Messages } from "../locales/messages.ts";

export const LOCALES: Readonly<Record<string, Messages>> = { en, de, fr, es, ja, ar };
const RIGHT_TO_LEFT = new Set(["ar"]);

/** Returns the supported language of a tag: `de-AT` is `de`, anything unknown is `en`. */
export function localeOf(tag: unknown): string {
  const language =
    typeof tag === "string" ? (/^[a-z]{2,3}(?=$|[-_])/i.exec(tag)?.[0].toLowerCase() ?? "") : "";
  return Object.hasOwn(LOCALES, language) ? language : "en";
}

/** A duration in seconds from which on tenths say nothing. */
const EXACT_MAX_S = 10;
/** A duration in seconds that is written as minutes from here on. */
const MINUTE_S = 60;
/** Limits of files are powers of two; so are their megabytes. */
const MIB = 1_048_576;

/** Texts and figures of one language. */
export class Language {
  readonly locale: string;
  readonly direction: "ltr" | "rtl";
  readonly texts: Messages;

  constructor(locale: string, texts: Messages = LOCALES[locale] ?? en) {
    this.locale = locale;
    this.texts = texts;
    this.direction = RIGHT_TO_LEFT.has(locale) ? "rtl" : "ltr";
  }

  /** Fills the figures into a text. Numbers are written as the language does. */
  fill(text: string, values: Readonly<Record<string, string | number>> = {}): string {
    return text.replaceAll(/\{(\w+)\}/g, (all, name: string) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      return value === undefined ? all : typeof value === "number" ? this.number(value) : value;
    });
  }

  plural(forms: Plural, n: number, values: Readonly<Record<string, string | number>> = {}): string {
    return this.fill(formOf(forms, new Intl.PluralRules(this.locale), n), { ...values, n });
  }

  number(value: number): string {
    return new Intl.NumberFormat(this.locale, { maximumFractionDigits: 6 }).format(value);
  }

  percent(value: number): string {
    return new Intl.NumberFormat(this.locale, { style: "percent" }).format(value / 100);
  }

  /** A number of bytes as a size, with at most one decimal. */
  size(bytes: number): string {
    const [unit, scale] =
      bytes < 1024
        ? (["byte", 1] as const)
        : bytes < MIB
          ? (["kilobyte", 1024] as const)
          : (["megabyte", MIB] as const);
    return new Intl.NumberFormat(this.locale, {
      style: "unit",
      unit,
      maximumFractionDigits: bytes < MIB ? 0 : 1,
    }).format(bytes / scale);
  }

  /** In whole seconds; with `isExact`, below ten seconds, in tenths, at least one. */
  duration(seconds: number, isExact = false): string {
    const unit = (name: string, value: number) =>
      new Intl.NumberFormat(this.locale, {
        style: "unit",
        unit: name,
        unitDisplay: "short",
        maximumFractionDigits: 1,
      }).format(value);
    if (isExact && seconds < EXACT_MAX_S) {
      return unit("second", Math.max(0.1, seconds));
    }
    const whole = Math.max(0, Math.round(seconds));
    return whole < MINUTE_S
      ? unit("second", whole)
      : `${unit("minute", Math.floor(whole / MINUTE_S))} ${unit("second", whole % MINUTE_S)}`;
  }

  /** The sentence for a code; that of a failed run for codes that have none. */
  sentence(code: string, values: Readonly<Record<string, string | number>> = {}): string {
    const { errors } = this.texts;
    return this.fill(
      Object.hasOwn(errors, code) ? errors[code as ErrorText] : errors.execution_failed,
      values,
    );
  }
}
