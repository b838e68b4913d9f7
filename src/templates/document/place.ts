import { fieldPath } from "../../lib/errors/field-path.ts";

/** A place in a document, as the way to it; paths are written only for problems. */
export interface Place {
  readonly parent: Place | null;
  readonly key: string | number;
}

/** `pages[0].elements[3]`; empty for the document itself. */
export function pathOf(place: Place | null): string {
  const keys: (string | number)[] = [];
  for (let at = place; at !== null; at = at.parent) {
    keys.push(at.key);
  }
  return fieldPath("", keys.reverse());
}

export function within(parent: Place | null, ...keys: readonly (string | number)[]): Place | null {
  return keys.reduce<Place | null>((place, key) => ({ parent: place, key }), parent);
}
