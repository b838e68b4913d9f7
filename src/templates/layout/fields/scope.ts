import { ExactNumber, type JsonValue } from "../../../lib/json/exact-json.ts";
import type { Placeholder } from "../../document/field.ts";
import type { FieldTable } from "./field-table.ts";
import type { Values } from "../options.ts";

/** The values that an element sees: those of its item, of the items around, and of the document. */
export class Scope {
  readonly #values: Values;
  readonly #fields: FieldTable;
  readonly #outer: Scope | null;
  /** Before a code, in the values: `rows[2].`; and in the report: `rows.`. */
  readonly #valuePrefix: string;
  readonly #codePrefix: string;
  /** Indices of the rows, from 0, outermost first. */
  readonly item: readonly number[];

  private constructor(
    values: Values,
    fields: FieldTable,
    outer: Scope | null,
    prefixes: readonly [value: string, code: string],
    item: readonly number[],
  ) {
    this.#values = values;
    this.#fields = fields;
    this.#outer = outer;
    [this.#valuePrefix, this.#codePrefix] = prefixes;
    this.item = item;
  }

  static ofDocument(values: Values, fields: FieldTable): Scope {
    return new Scope(values, fields, null, ["", ""], []);
  }

  /** The scope of one item of a list of this scope. */
  ofItem(list: string, index: number, fields: FieldTable, values: Values): Scope {
    const prefixes = [
      `${this.#valuePrefix}${list}[${index}].`,
      `${this.#codePrefix}${list}.`,
    ] as const;
    return new Scope(values, fields, this, prefixes, [...this.item, index]);
  }

  /** The value of the element's own field: given, else its default, which any occurrence may state. */
  read(field: Placeholder): JsonValue | undefined {
    const byDefault = field.defaultValue ?? this.#fields.get(field.code)?.defaultValue;
    return this.#given(field) ?? byDefault ?? undefined;
  }

  /** The value that a condition or a link reads, in this scope or the nearest around; null if there is none. */
  lookup(code: string): {
    readonly value: JsonValue | null;
    readonly field: Placeholder | undefined;
  } {
    const field = this.#fields.get(code);
    if (field === undefined && this.#outer !== null) {
      return this.#outer.lookup(code);
    }
    return {
      value: (field === undefined ? this.#values[code] : this.read(field)) ?? null,
      field,
    };
  }

  fieldsOf(list: string): FieldTable | undefined {
    return this.#fields.itemsOf(list);
  }

  /** `rows.k`. */
  codeOf(field: Placeholder): string {
    return this.#codePrefix + field.code;
  }

  /** `rows[2].k`. */
  pathOf(field: Placeholder): string {
    return this.#valuePrefix + field.code;
  }

  /** Null is not given; an empty text is not given for a required field. */
  #given({ code, required }: Placeholder): JsonValue | undefined {
    const value = Object.hasOwn(this.#values, code) ? this.#values[code] : undefined;
    return value === null || (required && value === "") ? undefined : value;
  }
}

/** The items of a list's value; what is not an object has no keys. */
export function itemsOf(value: JsonValue | undefined): Values[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).map(keysOf) : [];
}

function keysOf(item: JsonValue): Values {
  return typeof item === "object" &&
    item !== null &&
    !Array.isArray(item) &&
    !(item instanceof ExactNumber)
    ? (item as Values)
    : {};
}
