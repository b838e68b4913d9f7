import { canonicalJson } from "../../lib/json/canonical-json.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import type { FieldType } from "./field.ts";
import { within, type Place } from "./place.ts";
import type { ProblemList } from "./problem-list.ts";

/** At most this many fields in a document, keys of items included. */
export const FIELDS_MAX = 500;

/** A field of a template, or a key of the items of a list. */
export interface FieldSpec {
  readonly code: string;
  /** From the outermost list: `rows.price`. */
  readonly path: string;
  readonly type: FieldType;
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  /** As stored, without defaults. */
  readonly format: JsonValue | undefined;
  /** The first that an occurrence states. */
  readonly defaultValue: JsonValue | undefined;
  /** What the first element of the field shows without a value. */
  readonly content: JsonValue;
  /** Of a list: the fewest items that a region of it prints. */
  readonly itemsMax: number | undefined;
  /** Keys of the items of a list, in order of first occurrence; empty for other types. */
  readonly items: ReadonlyMap<string, FieldSpec>;
  /** Of every occurrence, in the order of the document. */
  readonly elementIds: readonly string[];
}

type MutableField = {
  -readonly [K in keyof FieldSpec]: K extends "items"
    ? Map<string, MutableField>
    : K extends "elementIds"
      ? string[]
      : FieldSpec[K];
} & { readonly place: Place | null };

/** The names that an element can read: the keys of the item, of the outer item, then the fields. */
export interface FieldScope {
  readonly outer: FieldScope | null;
  /** The list whose items they are; null for the fields of the template. */
  readonly list: MutableField | null;
}

/** One occurrence of a field. */
export interface Occurrence {
  readonly code: string;
  readonly type: FieldType;
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly format: JsonValue | undefined;
  readonly defaultValue: JsonValue | undefined;
  readonly content: JsonValue;
  readonly itemsMax: number | undefined;
  readonly elementId: string;
  readonly place: Place | null;
}

/** Collects the fields of a document, occurrence by occurrence. */
export class FieldTree {
  readonly #fields = new Map<string, MutableField>();
  /** Codes that are keys of some list. */
  readonly #listKeys = new Set<string>();
  #count = 0;
  readonly root: FieldScope = { outer: null, list: null };

  get fields(): ReadonlyMap<string, FieldSpec> {
    return this.#fields;
  }

  /** Adds an occurrence and returns its field; undefined if it contradicts an earlier one or is one too many. */
  add(occurrence: Occurrence, scope: FieldScope, problems: ProblemList): FieldSpec | undefined {
    const siblings = scope.list === null ? this.#fields : scope.list.items;
    const known = siblings.get(occurrence.code);
    if (known !== undefined) {
      return this.#repeat(known, occurrence, problems) ? known : undefined;
    }
    this.#count += 1;
    if (this.#count > FIELDS_MAX) {
      if (this.#count === FIELDS_MAX + 1) {
        problems.add(
          "limit_exceeded",
          within(occurrence.place, "code"),
          `A document has at most ${FIELDS_MAX} fields, keys of items included. Remove fields, or use one field in several places.`,
        );
      }
      return undefined;
    }
    const { elementId, ...field } = occurrence;
    const added: MutableField = {
      ...field,
      path: scope.list === null ? field.code : `${scope.list.path}.${field.code}`,
      items: new Map(),
      elementIds: [elementId],
    };
    siblings.set(field.code, added);
    if (scope.list !== null) {
      this.#listKeys.add(field.code);
    }
    return added;
  }

  /** The names inside a region of a list. */
  scopeOf(field: FieldSpec, outer: FieldScope): FieldScope {
    return { outer, list: field as MutableField };
  }

  /** The field that a condition or link names. */
  find(code: string, scope: FieldScope): FieldSpec | undefined {
    for (let at: FieldScope | null = scope; at !== null; at = at.outer) {
      const found = (at.list === null ? this.#fields : at.list.items).get(code);
      if (found !== undefined) {
        return found;
      }
    }
    return undefined;
  }

  /** Whether the name exists, though only inside some list. */
  isListKey(code: string): boolean {
    return this.#listKeys.has(code);
  }

  /** Where each field that states a default value states it first. */
  *defaults(): Iterable<{ readonly field: FieldSpec; readonly place: Place | null }> {
    const left: MutableField[] = [...this.#fields.values()];
    for (let field = left.pop(); field !== undefined; field = left.pop()) {
      if (field.defaultValue !== undefined) {
        yield { field, place: within(field.place, "defaultValue") };
      }
      left.push(...field.items.values());
    }
  }

  #repeat(known: MutableField, again: Occurrence, problems: ProblemList): boolean {
    const differences = (
      [
        ["placeholderType", known.type !== again.type],
        ["name", known.name !== again.name],
        ["required", known.required !== again.required],
        ["format", formText(known.format) !== formText(again.format)],
      ] as const
    ).flatMap(([name, differs]) => (differs ? [name] : []));
    for (const name of differences) {
      problems.add(
        "field_conflict",
        within(again.place, name),
        `The field "${known.path}" has another ${name} at an earlier element. Make them equal, or use another code.`,
      );
    }
    if (differences.length > 0) {
      return false;
    }
    known.elementIds.push(again.elementId);
    known.itemsMax = Math.min(known.itemsMax ?? Infinity, again.itemsMax ?? Infinity);
    if (known.defaultValue === undefined && again.defaultValue !== undefined) {
      known.defaultValue = again.defaultValue;
    }
    return true;
  }
}

function formText(format: JsonValue | undefined): string {
  return format === undefined ? "" : canonicalJson(format);
}
