/** The inputs of two runs. */
import type { InputDifference } from "../../../contracts/runs/comparison.ts";
import type { ComparableInput, ComparableRun } from "../../../contracts/runs/run-comparison-api.ts";
import type { StoredValue } from "../../../contracts/runs/task.ts";
import { parseDefinition } from "../../../contracts/workflows/parse-definition.ts";
import { canonicalJson } from "../../../engine/values/canonical-json.ts";
import { encodeValue } from "../../../engine/values.ts";
import { parseJson } from "../../../lib/json/exact-json.ts";
import { findNodeType } from "../../../nodes/registry.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { partsOfDraft } from "../../workflows/contract/interface-parts.ts";
import type { ComparedRun } from "./compared-run.ts";
import { type DescribedValue, describeValue, shownDifference } from "./describe-value.ts";

interface NamedInput extends Pick<ComparableInput, "node" | "content"> {
  readonly key: string;
  readonly type: string;
  /** Of a parameter that the interface has set, which is not in the rows. */
  readonly stored?: StoredValue;
}

/** The inputs that differ, by their keys. */
export async function compareInputs(
  ctx: CallerContext,
  a: ComparedRun,
  b: ComparedRun,
): Promise<InputDifference[]> {
  const [inA, inB] = [namedInputs(a.run), namedInputs(b.run)];
  const keys = [...new Set([...inA.keys(), ...inB.keys()])].toSorted();
  const differences: InputDifference[] = [];
  for (const key of keys) {
    const [before, after] = [inA.get(key), inB.get(key)];
    if (before?.content === after?.content) {
      continue;
    }
    const type = after?.type ?? before?.type ?? "";
    const [aValue, bValue] = await Promise.all([
      inputValue(a, before, type),
      inputValue(b, after, type),
    ]);
    differences.push({
      key,
      change: before === undefined ? "added" : after === undefined ? "removed" : "changed",
      type,
      a: digestOf(aValue),
      b: digestOf(bValue),
      ...(aValue !== null && bValue !== null && (await shownDifference(ctx, aValue, bValue, type))),
    });
  }
  return differences;
}

async function inputValue(
  run: ComparedRun,
  input: NamedInput | undefined,
  type: string,
): Promise<DescribedValue | null> {
  if (input === undefined) {
    return null;
  }
  const [value] =
    input.stored === undefined
      ? await run.values([{ node: input.node, element: 0 }])
      : [input.stored];
  return value == null ? null : describeValue(value, type);
}

function digestOf(value: DescribedValue | null): InputDifference["a"] {
  return value === null ? null : { sha256: value.sha256, size_bytes: value.size_bytes };
}

/** By the key that a submit sends. An input that its interface does not show has the id of its node. */
function namedInputs({
  inputs,
  parameters,
  definition_json,
  execution,
}: ComparableRun): ReadonlyMap<string, NamedInput> {
  if (inputs.length + parameters.length === 0) {
    return new Map();
  }
  const definition = parseDefinition(definition_json);
  const parts = partsOfDraft(definition, findNodeType).inputs;
  const fields = definition.interfaces.find(({ id }) => id === execution.interface)?.fields;
  const fieldOf = (node: string, parameter?: string) =>
    fields?.find(({ bind }) => bind.node === node && bind.parameter === parameter);
  const named = [
    ...inputs.map((input) => {
      const { node_id: id } = input;
      const part = parts.find(({ nodeId }) => nodeId === id);
      const key = (fields === undefined ? part?.name : fieldOf(id)?.key) ?? id;
      return { ...input, key, type: part?.type.type.slice("input/".length) ?? "" };
    }),
    ...parameters.map(({ node_id: id, parameter, value_json }) => {
      const { key = `${id}.${parameter}`, type = "" } = fieldOf(id, parameter) ?? {};
      const value = parseJson(value_json);
      return { node: -1, stored: encodeValue(value), content: canonicalJson(value), key, type };
    }),
  ];
  return new Map(named.map((input) => [input.key, input]));
}
