import * as z from "zod";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import { HEX_COLOR } from "../../lib/hex-color.ts";
import type { ProblemCode } from "./problem.ts";

/**
 * What the validation says where a schema alone does not tell: the code of a value of the wrong form, and how the form
 * is described to people.
 */
export interface SchemaRule {
  /** The code of a value of this schema that is not accepted; `invalid_value` if left out. */
  readonly code?: ProblemCode;
  /** The form, after "must be": "a color such as #1A2B3C". */
  readonly form?: string;
  /** Most characters of a text. Code points, as in JSON Schema, where zod's own `max` counts units of UTF-16. */
  readonly charactersMax?: number;
}

export const RULES = z.registry<SchemaRule>();

function withRule<T extends z.ZodType>(schema: T, rule: SchemaRule): T {
  RULES.add(schema, rule);
  return schema;
}

/** A text of at most so many characters. */
export function textUpTo(charactersMax: number, charactersMin = 0): z.ZodString {
  const schema = charactersMin === 0 ? z.string() : z.string().min(charactersMin);
  return withRule(schema.meta({ maxLength: charactersMax }), { charactersMax });
}

/** A dashed UUID in any letter case. */
export const GUID = /^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$/;

export const guid = withRule(z.string().regex(GUID), {
  form: "a GUID such as 3f2b8c1e-9a4d-4e6f-8b7a-0c1d2e3f4a5b",
});

export const color = withRule(z.string().regex(HEX_COLOR), {
  form: "a color such as #1A2B3C",
});

/** Null paints nothing. */
export const colorOrNone = color.nullable();

/** Points from the top left. */
export const coordinate = z.number().min(-14_400).max(14_400);
/** Points. */
export const size = z.number().min(0).max(14_400);
/** 0 to 1. */
export const share = z.number().min(0).max(1);
export const finite = z.number();
export const flag = z.boolean();
export const text = z.string();

/** `a b c d e f` as in SVG. */
export const transform = z.tuple([finite, finite, finite, finite, finite, finite]);

/** Any JSON; exact numbers keep their digits. */
export const jsonValue = z.unknown() as z.ZodType<JsonValue>;

/** The name of a family of fonts. */
export const familyName = textUpTo(200, 1);

export const languageTag = withRule(z.string().regex(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/), {
  form: "a BCP 47 language tag such as en or pt-BR",
});

export const fieldCode = withRule(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/), {
  code: "invalid_field_code",
  form: "a letter or _ followed by at most 63 letters, digits or _",
});

/** Read by `geometry/read-path-data.ts`. */
export const pathData = textUpTo(100_000);
