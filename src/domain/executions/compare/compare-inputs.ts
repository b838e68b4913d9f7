/** The inputs of two runs. */
import type { InputDifference } from "../../../contracts/runs/comparison.ts";
import type { ComparableInput, ComparableRun } from "../../../contracts/runs/run-comparison-api.ts";
import { parseDefinition } from "../../../contracts/workflows/parse-definition.ts";
import { findNodeType } from "../../../nodes/registry.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { partsOfDraft } from "../../workflows/contract/interface-parts.ts";
import type { ComparedRun } from "./compared-run.ts";
import { type DescribedValue, describeValue, shownDifference } from "./describe-value.ts";

interface NamedInput extends ComparableInput {
  readonly key: string;
  readonly type: string;
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
  const [value] = await run.values([{ node: input.node, element: 0 }]);
  return value == null ? null : describeValue(value, type);
}

function digestOf(value: DescribedValue | null): InputDifference["a"] {
  return value === null ? null : { sha256: value.sha256, size_bytes: value.size_bytes };
}

/** By the key that a submit sends. */
function namedInputs({ inputs, definition_json }: ComparableRun): ReadonlyMap<string, NamedInput> {
  if (inputs.length === 0) {
    return new Map();
  }
  const parts = partsOfDraft(parseDefinition(definition_json), findNodeType).inputs;
  const named = new Map(parts.map(({ nodeId, name, type }) => [nodeId, { name, type }]));
  return new Map(
    inputs.map((input) => {
      const part = named.get(input.node_id);
      const key = part?.name ?? input.node_id;
      return [key, { ...input, key, type: part?.type.type.slice("input/".length) ?? "" }];
    }),
  );
}
