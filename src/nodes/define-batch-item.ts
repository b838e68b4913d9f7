/** The value of a node `input/batch`: a list in a submit, and one item in the run of a batch's item. */
import { isJsonObject, type JsonValue } from "../lib/json/exact-json.ts";

export const BATCH_INPUT = "input/batch";

/** The value of the node in the run of a batch's item: an object, which no submit can send. */
export function batchItemValue(index: number, item: JsonValue): JsonValue {
  return { index, item };
}

/** The items of a stored value, with the index of the first. */
export function batchItemsOf(value: JsonValue): {
  readonly first: number;
  readonly items: readonly JsonValue[];
} {
  if (Array.isArray(value)) {
    return { first: 0, items: value as readonly JsonValue[] };
  }
  const { index, item = null } = isJsonObject(value) ? value : {};
  return { first: Number(index), items: [item] };
}
