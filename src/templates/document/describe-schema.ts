import type * as z from "zod";
import { showValue } from "../../lib/json/show-value.ts";
import { RULES } from "./scalars.ts";

/** What a schema accepts, for people, after "must be": `a number from 0 to 14400`. */
export function describeSchema(schema: z.core.$ZodType): string {
  const form = RULES.get(schema as z.ZodType)?.form;
  if (form !== undefined) {
    return form;
  }
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "default":
    case "optional":
      return describeSchema(def.innerType);
    case "nullable":
      return `${describeSchema(def.innerType)} or null`;
    case "lazy":
      return describeSchema(def.getter());
    case "literal":
      return def.values.map(showValue).join(" or ");
    case "enum":
      return `one of ${Object.values(def.entries).map(showValue).join(", ")}`;
    case "number":
      return describeNumber(schema);
    case "string":
      return "a text";
    case "boolean":
      return "true or false";
    case "array":
      return "a list";
    case "tuple":
      return `a list of ${def.items.length} numbers`;
    default:
      return "an object";
  }
}

function describeNumber(schema: z.core.$ZodType): string {
  const { minimum, maximum, isWhole } = boundsOf(schema);
  const kind = isWhole ? "a whole number" : "a number";
  if (minimum === -Infinity && maximum === Infinity) {
    return kind;
  }
  return maximum === Infinity
    ? `${kind} from ${minimum} on`
    : `${kind} from ${minimum} to ${maximum}`;
}

/** The bounds of a schema: of a number's value, a text's characters, a list's entries; and the patterns of a text. */
export interface Bounds {
  readonly minimum: number;
  readonly maximum: number;
  readonly isWhole: boolean;
  readonly patterns: readonly RegExp[];
}

export function boundsOf(schema: z.core.$ZodType): Bounds {
  const def = schema._zod.def as {
    readonly checks?: readonly z.core.$ZodCheck[];
    readonly format?: string;
  };
  let minimum = -Infinity;
  let maximum = RULES.get(schema as z.ZodType)?.charactersMax ?? Infinity;
  const patterns: RegExp[] = [];
  for (const check of def.checks ?? []) {
    const rule = (check as z.core.$ZodChecks)._zod.def;
    switch (rule.check) {
      case "greater_than":
        minimum = Number(rule.value);
        break;
      case "less_than":
        maximum = Number(rule.value);
        break;
      case "min_length":
        minimum = rule.minimum;
        break;
      case "max_length":
        maximum = rule.maximum;
        break;
      case "string_format": {
        const { pattern } = rule as { readonly pattern?: RegExp };
        patterns.push(...(pattern === undefined ? [] : [pattern]));
        break;
      }
      default:
        throw new Error(`No rule for checks of kind ${rule.check}`);
    }
  }
  return { minimum, maximum, isWhole: def.format === "safeint", patterns };
}

/** Whether a property may be left out. */
export function isOptional(schema: z.core.$ZodType): boolean {
  const { optin } = schema._zod;
  return optin === "optional" || optin === "defaulted";
}
