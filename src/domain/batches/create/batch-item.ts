import type { CustomInterface } from "../../../contracts/workflows/definition.ts";
import type { Plan } from "../../../engine/plan/plan.ts";
import type { FieldError } from "../../../lib/errors/errors.ts";
import { type JsonValue, stringifyJson } from "../../../lib/json/exact-json.ts";
import { BATCH_INPUT, batchItemValue } from "../../../nodes/define-batch-item.ts";
import { inputOf } from "../../executions/retry/rebind-inputs.ts";
import type { KeptValues } from "../../executions/submit/bind-inputs.ts";
import { readInputEntry } from "../../executions/submit/read-input-entry.ts";
import { partsOfPlan } from "../../workflows/contract/interface-parts.ts";

type Inputs = { readonly [key: string]: JsonValue };

interface SplitInputs {
  /** The entries of all other inputs. */
  readonly given: Inputs;
  /** The values of the nodes `input/batch`. */
  readonly values: KeptValues;
  readonly errors: readonly FieldError[];
}

/**
 * Takes what an item gives to nodes `input/batch` out of its inputs (docs/contract/batches.md#batch-input): the value
 * under a node's key, else `row`, else all other inputs as an object.
 */
export function splitBatchItem(
  { plan, entry }: { readonly plan: Plan; readonly entry: CustomInterface | undefined },
  inputs: Inputs,
  index: number,
  row: (() => JsonValue) | undefined,
): SplitInputs {
  const parts = partsOfPlan(plan).inputs;
  const nodes = parts.filter(({ type }) => type.type === BATCH_INPUT);
  const values = new Map<string, string>();
  const errors: FieldError[] = [];
  if (nodes.length === 0) {
    return { given: inputs, values, errors };
  }
  const put = (nodeId: string, item: JsonValue) =>
    values.set(nodeId, stringifyJson(batchItemValue(index, item)));
  const others = Object.entries(inputs).filter(([key, sent]) => {
    const input = inputOf(key, parts, entry);
    if (input?.type.type !== BATCH_INPUT) {
      return true;
    }
    const read = readInputEntry(`inputs.${key}`, sent, "json");
    if ("error" in read) {
      errors.push(read.error);
    } else if ("assetPath" in read) {
      const message = "This input does not accept a stored file. Send its content as a value.";
      errors.push({ field: `inputs.${key}`, message });
    } else {
      put(input.nodeId, read.value);
    }
    return false;
  });
  const left = nodes.filter(({ nodeId }) => !values.has(nodeId));
  if (left.length > 0 && errors.length === 0) {
    const whole = row?.() ?? Object.fromEntries(others.map(([key, sent]) => [key, decoded(sent)]));
    for (const { nodeId } of left) {
      put(nodeId, whole);
    }
  }
  return { given: Object.fromEntries(others), values, errors };
}

/** What an entry holds; one that holds nothing is refused when it is bound. */
function decoded(sent: JsonValue): JsonValue {
  const read = readInputEntry("", sent, "json");
  return "value" in read ? read.value : "assetPath" in read ? { asset_path: read.assetPath } : null;
}
