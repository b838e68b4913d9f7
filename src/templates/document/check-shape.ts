import type * as z from "zod";
import { ExactNumber, isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { adviseOnName } from "../../lib/errors/issue-text.ts";
import { showValue } from "../../lib/json/show-value.ts";
import { jsonValueProblem } from "../../lib/json/value-depth.ts";
import { countCharacters } from "../../lib/count-characters.ts";
import { boundsOf, describeSchema, isOptional } from "./describe-schema.ts";
import type { Place } from "./place.ts";
import type { ProblemCode } from "./problem.ts";
import type { ProblemList } from "./problem-list.ts";
import { RULES } from "./scalars.ts";

/** Checks `value`, which stands under `key` of `parent`. */
export type ShapeCheck = (
  value: unknown,
  parent: Place | null,
  key: string | number,
  problems: ProblemList,
) => void;

type Schema = z.core.$ZodType;

const compiled = new Map<ProblemCode, Map<Schema, ShapeCheck>>();

/**
 * Makes a check from a zod schema. It reads only the properties that a value has, where zod's own parser visits each
 * property of the schema and copies the value: a text element has fifty properties and states six. Its problems carry
 * the codes and words of this service (docs/decisions/template-validation.md). `code` is that of values that do not fit.
 */
export function checkOf(schema: Schema, code: ProblemCode = "invalid_value"): ShapeCheck {
  const own = RULES.get(schema as z.ZodType)?.code ?? code;
  let checks = compiled.get(own);
  if (checks === undefined) {
    checks = new Map();
    compiled.set(own, checks);
  }
  let check = checks.get(schema);
  if (check === undefined) {
    check = makeCheck(schema, own);
    checks.set(schema, check);
  }
  return check;
}

function makeCheck(schema: Schema, code: ProblemCode): ShapeCheck {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "default":
    case "optional":
      return checkOf(def.innerType, code);
    case "nullable": {
      const inner = checkOf(def.innerType, code);
      return (value, parent, key, problems) => {
        if (value !== null) {
          inner(value, parent, key, problems);
        }
      };
    }
    case "lazy": {
      // Resolved at the first use: the schema may refer to itself.
      let inner: ShapeCheck | undefined;
      return (value, parent, key, problems) => {
        inner ??= checkOf(def.getter(), code);
        inner(value, parent, key, problems);
      };
    }
    case "string":
      return checkText(schema, code);
    case "number":
      return checkNumber(schema, code);
    case "boolean":
      return checkThat((value) => typeof value === "boolean", schema, code);
    case "literal": {
      const values = new Set<unknown>(def.values);
      return checkThat((value) => values.has(value), schema, code);
    }
    case "enum": {
      const values = new Set<unknown>(Object.values(def.entries));
      return checkThat((value) => values.has(value), schema, code);
    }
    case "array":
      return checkList(schema, def, code);
    case "tuple":
      return checkTuple(schema, def, code);
    case "record":
      return checkRecord(def, code);
    case "object":
      return checkObject(def, code);
    case "union":
      return "discriminator" in def
        ? checkDiscriminated(def as z.core.$ZodDiscriminatedUnionDef, code)
        : checkUnion(def, code);
    case "unknown":
      return checkJson();
    default:
      throw new Error(`No check for schemas of type ${def.type}`);
  }
}

function misfit(
  code: ProblemCode,
  rule: string,
  value: unknown,
  place: Place,
  problems: ProblemList,
): void {
  const shown = value instanceof ExactNumber ? value.token : showValue(value).toWellFormed();
  problems.add(code, place, `Must be ${rule}, and is ${shown}.`);
}

function checkThat(
  fits: (value: unknown) => boolean,
  schema: Schema,
  code: ProblemCode,
): ShapeCheck {
  const rule = describeSchema(schema);
  return (value, parent, key, problems) => {
    if (!fits(value)) {
      misfit(code, rule, value, { parent, key }, problems);
    }
  };
}

function checkText(schema: Schema, code: ProblemCode): ShapeCheck {
  const rule = describeSchema(schema);
  const { minimum, maximum, patterns: forms } = boundsOf(schema);
  return (value, parent, key, problems) => {
    if (typeof value !== "string") {
      misfit(code, rule, value, { parent, key }, problems);
    } else if (!value.isWellFormed()) {
      problems.add(
        "invalid_value",
        { parent, key },
        "Contains half of a surrogate pair. Send whole Unicode characters.",
      );
    } else if (value.length > maximum && countCharacters(value) > maximum) {
      problems.add(
        "limit_exceeded",
        { parent, key },
        `Must have at most ${maximum} characters, and has ${countCharacters(value)}.`,
      );
    } else if (value.length < minimum) {
      problems.add("out_of_range", { parent, key }, "Must not be empty.");
    } else if (forms.some((form) => !form.test(value))) {
      misfit(
        code,
        rule === "a text" ? `a text that matches ${String(forms[0])}` : rule,
        value,
        { parent, key },
        problems,
      );
    }
  };
}

function checkNumber(schema: Schema, code: ProblemCode): ShapeCheck {
  const rule = describeSchema(schema);
  const { minimum, maximum, isWhole } = boundsOf(schema);
  return (value, parent, key, problems) => {
    const number = value instanceof ExactNumber ? value.toNumber() : value;
    if (typeof number !== "number" || Number.isNaN(number)) {
      misfit(code, rule, value, { parent, key }, problems);
    } else if (!(number >= minimum && number <= maximum) || !Number.isFinite(number)) {
      misfit("out_of_range", rule, value, { parent, key }, problems);
    } else if (isWhole && !Number.isSafeInteger(number)) {
      misfit(code, rule, value, { parent, key }, problems);
    }
  };
}

function checkList(schema: Schema, def: z.core.$ZodArrayDef, code: ProblemCode): ShapeCheck {
  const { minimum, maximum } = boundsOf(schema);
  const entry = checkOf(def.element, code);
  return (value, parent, key, problems) => {
    const place = { parent, key };
    if (!Array.isArray(value)) {
      misfit(code, "a list", value, place, problems);
      return;
    }
    if (value.length > maximum) {
      problems.add(
        "limit_exceeded",
        place,
        `Must have at most ${maximum} entries, and has ${value.length}.`,
      );
    } else if (value.length < minimum) {
      problems.add(
        "limit_exceeded",
        place,
        `Must have at least ${minimum} ${minimum === 1 ? "entry" : "entries"}, and has ${value.length}.`,
      );
    }
    for (let i = 0; i < value.length && !problems.isFull; i += 1) {
      entry(value[i], place, i, problems);
    }
  };
}

function checkTuple(schema: Schema, def: z.core.$ZodTupleDef, code: ProblemCode): ShapeCheck {
  const entries = def.items.map((item) => checkOf(item, code));
  const rule = describeSchema(schema);
  return (value, parent, key, problems) => {
    const place = { parent, key };
    if (!Array.isArray(value) || value.length !== entries.length) {
      misfit(code, rule, value, place, problems);
      return;
    }
    for (const [i, check] of entries.entries()) {
      check(value[i], place, i, problems);
    }
  };
}

function checkRecord(def: z.core.$ZodRecordDef, code: ProblemCode): ShapeCheck {
  const name = checkOf(def.keyType, code);
  const member = checkOf(def.valueType, code);
  return (value, parent, key, problems) => {
    const place = { parent, key };
    if (!isJsonObject(value)) {
      misfit(code, "an object", value, place, problems);
      return;
    }
    for (const [own, child] of Object.entries(value)) {
      name(own, place, own, problems);
      member(child, place, own, problems);
      if (problems.isFull) {
        return;
      }
    }
  };
}

function checkObject(def: z.core.$ZodObjectDef, code: ProblemCode): ShapeCheck {
  const names = Object.keys(def.shape);
  const properties = new Map<string, ShapeCheck>();
  const required: { readonly name: string; readonly form: string }[] = [];
  const missing: ProblemCode = code === "invalid_value" ? "missing_property" : code;
  for (const name of names) {
    const schema = def.shape[name] as Schema;
    properties.set(name, checkOf(schema, code));
    if (!isOptional(schema)) {
      required.push({ name, form: describeSchema(schema) });
    }
  }
  return (value, parent, key, problems) => {
    const place = key === "" && parent === null ? null : { parent, key };
    if (!isJsonObject(value)) {
      misfit(code, "an object", value, { parent, key }, problems);
      return;
    }
    for (const name of Object.keys(value)) {
      const property = properties.get(name);
      const child = value[name];
      if (property !== undefined) {
        if (child !== undefined) {
          property(child, place, name, problems);
        }
      } else if (!problems.isFull) {
        unknownProperty(name, place, names, problems);
      }
    }
    for (const { name, form } of required) {
      if (!Object.hasOwn(value, name)) {
        problems.add(missing, { parent: place, key: name }, `Is missing. Add it: ${form}.`);
      }
    }
  };
}

/** Reports a property that no schema names. */
export function unknownProperty(
  name: string,
  parent: Place | null,
  known: readonly string[],
  problems: ProblemList,
): void {
  problems.add(
    "unknown_property",
    { parent, key: name },
    `Unknown property. ${adviseOnName(name.toWellFormed(), known)}`,
  );
}

function checkDiscriminated(def: z.core.$ZodDiscriminatedUnionDef, code: ProblemCode): ShapeCheck {
  const variants = new Map<unknown, ShapeCheck>();
  for (const option of def.options) {
    const check = checkOf(option, code);
    for (const value of option._zod.propValues?.[def.discriminator] ?? []) {
      variants.set(value, check);
    }
  }
  const names = [...variants.keys()].map(showValue).join(", ");
  const missing: ProblemCode = code === "invalid_value" ? "missing_property" : code;
  return (value, parent, key, problems) => {
    const place = { parent, key };
    if (!isJsonObject(value)) {
      misfit(code, "an object", value, place, problems);
      return;
    }
    const at = { parent: place, key: def.discriminator };
    if (!Object.hasOwn(value, def.discriminator)) {
      problems.add(missing, at, `Is missing. Add it: one of ${names}.`);
      return;
    }
    const kind = value[def.discriminator];
    const variant = variants.get(kind);
    if (variant === undefined) {
      misfit(code, `one of ${names}`, kind, at, problems);
      return;
    }
    variant(value, parent, key, problems);
  };
}

/** A union of objects: the first of which the value has a required property, else the first. */
function checkUnion(def: z.core.$ZodUnionDef, code: ProblemCode): ShapeCheck {
  const options = def.options.map((option) => {
    const { shape } = (option as z.core.$ZodObject)._zod.def;
    return {
      names: Object.keys(shape).filter((name) => !isOptional(shape[name] as Schema)),
      check: checkOf(option, code),
    };
  });
  return (value, parent, key, problems) => {
    if (!isJsonObject(value)) {
      misfit(code, "an object", value, { parent, key }, problems);
      return;
    }
    const option =
      options.find(({ names }) => names.some((name) => Object.hasOwn(value, name))) ?? options[0];
    option?.check(value, parent, key, problems);
  };
}

/** Any JSON that may be stored: not too deep, and of whole characters. */
function checkJson(): ShapeCheck {
  return (value, parent, key, problems) => {
    if (value === null || typeof value === "number" || typeof value === "boolean") {
      return;
    }
    const problem = jsonValueProblem(value as JsonValue);
    if (problem !== undefined) {
      problems.add(
        problem.includes("deeper") ? "limit_exceeded" : "invalid_value",
        { parent, key },
        `The value cannot be stored: ${problem}.`,
      );
    }
  };
}
