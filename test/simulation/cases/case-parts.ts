import type { Definition } from "../../../src/contracts/workflows/definition.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import type { CellState, Interpretation, ReferenceOutput } from "../reference-result.ts";

type Item = readonly [indices: readonly number[], state: CellState, value?: JsonValue];
type Cell = readonly [indices: readonly number[], state: CellState, code?: string];

export interface EngineCase {
  /** Starts with the rules of src/engine/SPEC.md that the case states. */
  readonly name: string;
  /** The sentence of the text that the case checks. */
  readonly sentence: string;
  readonly definition: Definition;
  /** Submitted values by input node id. */
  readonly inputs: Readonly<Record<string, JsonValue>>;
  readonly iterationLimit?: number;
  readonly expected: {
    readonly status: Interpretation["status"];
    /** Code and node; null if nothing failed. */
    readonly error: readonly [code: string, node: string] | null;
    /** Every output node. */
    readonly outputs: Readonly<
      Record<string, readonly [ReferenceOutput["state"], readonly Item[]]>
    >;
    /** The nodes whose cells the sentence describes. */
    readonly cells?: Readonly<Record<string, readonly Cell[]>>;
    /** Without codes, which the text does not define. */
    readonly warnings?: readonly { node_id: string; skipped: number; of: number }[];
  };
}

export type Parameters = Readonly<Record<string, unknown>>;

export function columns(...names: readonly (readonly [path: string, type: string])[]): Parameters {
  return {
    jsonConfig: {
      properties: names.map(([path, outputType]) => ({ path, outputPort: path, outputType })),
    },
  };
}

export function gather(ports: readonly string[], more: Parameters = {}): Parameters {
  return { jsonAggregateConfig: { columns: ports.map((inputPort) => ({ inputPort })) }, ...more };
}

export function write(template: string, ...ports: readonly string[]): Parameters {
  return { template, placeholders: ports.map((inputPort) => ({ inputPort })) };
}

export const OPTIONAL = { required: false };
export const ROWS = ["rows", "input/json"] as const;
export const DIVIDE = ["divide", "utility/calculate", { expression: "10 / row.n" }] as const;
export const DIVIDED = "rows.item > divide.row";
export const BY_ZERO = "CALC_DIVISION_BY_ZERO";
export const IS_ON = { operator: "is_true", path: "on" };
export const BRANCHED = [ROWS, ["gate", "utility/condition", IS_ON]] as const;
export const EACH_LIST = ["each", "enumerate/json", { path: "$.list" }] as const;
export const TEXT_OUT = ["out", "output/text"] as const;
export const JSON_OUT = ["out", "output/json"] as const;

export const range = (id: string, start: number, end: number, step = 1) =>
  [id, "enumerate/range", { start, end, step }] as const;
