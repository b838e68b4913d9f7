import type { JsonValue } from "../../lib/json/exact-json.ts";
import {
  type ComparedContract,
  type ComparedField,
  type ContractChange,
  mustBeGiven,
} from "./compare-contracts.ts";

/** A request that renders with one revision and not with the other. */
export interface Counterexample {
  readonly values: { readonly [code: string]: JsonValue };
  readonly page_selection?: string;
  /** Of both renders; `template` if left out. */
  readonly overflow_policy?: "fail";
  readonly reason: string;
}

/** One white pixel: nothing has to be fetched to print it. */
const PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg==";

/** One value that each type accepts. */
const VALID: Readonly<Record<string, JsonValue>> = {
  text: "Text",
  number: 1,
  date: "2026-01-31",
  url: "https://example.com/",
  image: PICTURE,
  color: "#336699",
  boolean: true,
};

/** Values of one type that another does not accept. */
const REFUSED: Readonly<Record<string, readonly JsonValue[]>> = {
  text: ["Text", 1, true],
  number: [1],
  date: ["2026-01-31"],
  url: ["https://example.com/"],
  image: [PICTURE],
  color: ["#336699"],
  boolean: [true],
  list: [[]],
};

const ACCEPTS: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  text: (value) => ["string", "number", "boolean"].includes(typeof value),
  number: (value) => typeof value === "number",
  date: (value) => typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value),
  url: (value) => typeof value === "string",
  image: (value) => typeof value === "string",
  color: (value) => typeof value === "string" && /^#[0-9A-Fa-f]{6}$/.test(value),
  boolean: (value) => typeof value === "boolean",
  list: (value) => Array.isArray(value),
};

/**
 * For each incompatible change in turn, a request that it should break, from the contracts alone; some types accept all
 * values of another, and have none.
 */
export function* findCounterexamples(
  from: ComparedContract,
  to: ComparedContract,
  changes: readonly ContractChange[],
): Generator<Counterexample> {
  for (const change of changes) {
    const example = change.compatible ? null : exampleOf(from, to, change);
    if (example !== null) {
      yield example;
    }
  }
}

function exampleOf(
  from: ComparedContract,
  to: ComparedContract,
  change: ContractChange,
): Counterexample | null {
  const path = change.path.split(".");
  switch (change.code) {
    case "pages_changed":
      return {
        values: valuesFor(from.fields),
        page_selection: differentPage(from, to),
        reason: "The selection means other pages, or there is no such page.",
      };
    case "field_removed":
    case "item_key_removed":
      return {
        values: valuesWith(from.fields, path, (field) => valueOf(field)),
        reason: `There is no ${change.path}.`,
      };
    case "field_retyped":
    case "item_key_retyped": {
      const accepts = ACCEPTS[textOf(change.to)];
      const refused = (REFUSED[textOf(change.from)] ?? []).find(
        (value) => accepts?.(value) === false,
      );
      return refused === undefined
        ? null
        : {
            values: valuesWith(from.fields, path, () => refused),
            reason: `${change.path} is of type ${textOf(change.to)}.`,
          };
    }
    case "required_added":
    case "item_required_added":
      return {
        // With a row in each list around it, so that the key is missing from one.
        values: valuesWith(from.fields, path.slice(0, -1), (field) => valueOf(field), path.at(-1)),
        reason: `${change.path} is required and not given.`,
      };
    case "list_limit_lowered":
      return {
        values: valuesWith(from.fields, path, (field) =>
          Array.from({ length: Number(change.from) }, () => valuesFor(field.item_keys ?? [])),
        ),
        overflow_policy: "fail",
        reason: `${change.path} prints at most ${textOf(change.to)} items.`,
      };
    default:
      return null;
  }
}

/** A type or a limit of a change. */
function textOf(value: JsonValue): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** The first page that is another one; all, if pages were only added at the end. */
function differentPage(from: ComparedContract, to: ComparedContract): string {
  const at = from.pages.findIndex(
    (page, index) => JSON.stringify(page) !== JSON.stringify(to.pages[index]),
  );
  return at === -1 ? "all" : String(at + 1);
}

/** The fewest values under which nothing required is missing, without `omitted`. */
function valuesFor(
  fields: readonly ComparedField[],
  omitted?: string,
): { readonly [code: string]: JsonValue } {
  return Object.fromEntries(
    fields
      .filter((field) => mustBeGiven(field) && field.code !== omitted)
      .map((field) => [field.code, valueOf(field)]),
  );
}

function valueOf(field: ComparedField): JsonValue {
  return field.type === "list" ? [valuesFor(field.item_keys ?? [])] : (VALID[field.type] ?? null);
}

/** The same with a value at a path; lists on the way have one row. */
function valuesWith(
  fields: readonly ComparedField[],
  [code, ...rest]: readonly string[],
  make: (field: ComparedField) => JsonValue,
  omitted?: string,
): { readonly [code: string]: JsonValue } {
  const field = fields.find((one) => one.code === code);
  if (field === undefined) {
    return valuesFor(fields, omitted);
  }
  const value =
    rest.length === 0
      ? omitted === undefined
        ? make(field)
        : [valuesFor(field.item_keys ?? [], omitted)]
      : [valuesWith(field.item_keys ?? [], rest, make, omitted)];
  return { ...valuesFor(fields), [field.code]: value };
}
