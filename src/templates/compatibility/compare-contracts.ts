/** Whether a node that was made for one revision of a template still works with another. Pure. */
import type { JsonValue } from "../../lib/json/exact-json.ts";

/** A field, or a key of a list's items, as far as compatibility depends on it. */
export interface ComparedField {
  readonly code: string;
  readonly type: string;
  readonly required: boolean;
  /** Null if the field has no `defaultValue`, nor content of its own that prints without a value. */
  readonly default: JsonValue;
  /** Of a list: the fewest items that a region of it prints; null for other fields. */
  readonly items_max: number | null;
  readonly item_keys?: readonly ComparedField[];
}

export interface ComparedPage {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  readonly fit_height: boolean;
}

export interface ComparedContract {
  readonly pages: readonly ComparedPage[];
  readonly fields: readonly ComparedField[];
}

/** Codes of changes that break a node (docs/contract/templates.md#compatibility). */
export const INCOMPATIBLE = [
  "field_removed",
  "field_retyped",
  "required_added",
  "item_key_removed",
  "item_key_retyped",
  "item_required_added",
  "list_limit_lowered",
  "pages_changed",
] as const;
export type IncompatibleCode = (typeof INCOMPATIBLE)[number];
export type ChangeCode =
  | IncompatibleCode
  | "field_added"
  | "item_key_added"
  | "field_changed"
  | "restyled";

export interface ContractChange {
  readonly code: ChangeCode;
  /** The field, `rows.price`; `pages`; or empty for the whole document. */
  readonly path: string;
  readonly from: JsonValue;
  readonly to: JsonValue;
  readonly compatible: boolean;
}

/** Every change of what callers send and select, from one revision to another. */
export function compareContracts(from: ComparedContract, to: ComparedContract): ContractChange[] {
  const changes: ContractChange[] = [];
  if (pagesText(from) !== pagesText(to)) {
    changes.push(change("pages_changed", "pages", pagesOf(from), pagesOf(to)));
  }
  compareFields(from.fields, to.fields, "", changes);
  return changes;
}

function compareFields(
  from: readonly ComparedField[],
  to: readonly ComparedField[],
  list: string,
  changes: ContractChange[],
): void {
  const isItem = list !== "";
  const after = new Map(to.map((field) => [field.code, field]));
  const before = new Map(from.map((field) => [field.code, field]));
  for (const old of from) {
    const path = `${list}${old.code}`;
    const now = after.get(old.code);
    if (now === undefined) {
      changes.push(change(isItem ? "item_key_removed" : "field_removed", path, old.type, null));
    } else if (now.type !== old.type) {
      changes.push(change(isItem ? "item_key_retyped" : "field_retyped", path, old.type, now.type));
    } else {
      compareField(old, now, path, isItem, changes);
    }
  }
  for (const now of to) {
    if (!before.has(now.code)) {
      const path = `${list}${now.code}`;
      const added = isItem ? "item_key_added" : "field_added";
      const required = isItem ? "item_required_added" : "required_added";
      changes.push(change(mustBeGiven(now) ? required : added, path, null, now.type));
    }
  }
}

function compareField(
  old: ComparedField,
  now: ComparedField,
  path: string,
  isItem: boolean,
  changes: ContractChange[],
): void {
  if (mustBeGiven(now) && !mustBeGiven(old)) {
    const required = isItem ? "item_required_added" : "required_added";
    changes.push(change(required, path, false, true));
  } else if (
    now.required !== old.required ||
    JSON.stringify(now.default) !== JSON.stringify(old.default)
  ) {
    changes.push(change("field_changed", path, old.default, now.default));
  }
  if (old.items_max !== null && now.items_max !== null && now.items_max < old.items_max) {
    changes.push(change("list_limit_lowered", path, old.items_max, now.items_max));
  }
  compareFields(old.item_keys ?? [], now.item_keys ?? [], `${path}.`, changes);
}

/** Whether a render under `fail_required` fails without a value. */
export function mustBeGiven(field: ComparedField): boolean {
  return field.required && field.default === null;
}

function change(code: ChangeCode, path: string, from: JsonValue, to: JsonValue): ContractChange {
  return { code, path, from, to, compatible: !INCOMPATIBLE.some((one) => one === code) };
}

function pagesOf({ pages }: ComparedContract): JsonValue {
  return pages.map(({ id, width, height, fit_height }) => ({ id, width, height, fit_height }));
}

function pagesText(contract: ComparedContract): string {
  return JSON.stringify(pagesOf(contract));
}
