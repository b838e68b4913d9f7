import type { Placeholder } from "../../document/field.ts";

/** The fields of a document, or the keys of the items of a list, by code and in order of first occurrence. */
export class FieldTable {
  readonly #fields = new Map<string, { readonly field: Placeholder; readonly items: FieldTable }>();

  /** Keeps the first occurrence, or the first with a default; returns the table of its items. */
  add(field: Placeholder): FieldTable {
    let known = this.#fields.get(field.code);
    if (known === undefined) {
      known = { field, items: new FieldTable() };
      this.#fields.set(field.code, known);
    } else if (known.field.defaultValue === undefined && field.defaultValue !== undefined) {
      this.#fields.set(field.code, { field, items: known.items });
    }
    return known.items;
  }

  get(code: string): Placeholder | undefined {
    return this.#fields.get(code)?.field;
  }

  all(): Placeholder[] {
    return [...this.#fields.values()].map(({ field }) => field);
  }

  itemsOf(code: string): FieldTable | undefined {
    return this.#fields.get(code)?.items;
  }

  /** All codes, keys of items as `rows.k`. */
  codes(before = ""): string[] {
    return [...this.#fields].flatMap(([code, { items }]) => [
      before + code,
      ...items.codes(`${before}${code}.`),
    ]);
  }
}
