import type { NodeOutputs, RunValue } from "../../src/nodes/define-ports.ts";
import type { ReferenceNode } from "./reference-nodes.ts";
import type { ReferenceScopes } from "./reference-scopes.ts";

export type CellState = "ok" | "failed" | "blocked" | "absent";

export interface ReferenceCell {
  readonly indices: readonly number[];
  readonly state: CellState;
  readonly code?: string;
  /** Milli-credits, omitted if it is charged nothing. */
  readonly charge?: number;
  readonly outputs?: NodeOutputs;
  /** For an enumerator: the outputs of each element. */
  readonly elements?: readonly NodeOutputs[];
}

export interface ReferenceTable {
  /** The axes that distinguish the cells. */
  readonly scope: readonly string[];
  /** By indices, in lexicographic order. */
  readonly cells: Map<string, ReferenceCell>;
  /** Set if the node as a whole exceeds the iteration limit: this cell represents all. */
  whole?: ReferenceCell;
}

export interface ReferenceWarning {
  readonly code: string;
  readonly node_id: string;
  readonly skipped: number;
  readonly of: number;
}

export interface ReferenceOutput {
  readonly state: "present" | "absent" | "missing";
  readonly items: readonly {
    readonly indices: readonly number[];
    readonly state: CellState;
    readonly value?: RunValue;
  }[];
}

export interface Interpretation {
  readonly status: "completed" | "partial_success" | "failed";
  readonly error_code: string | null;
  readonly error_node: string | null;
  readonly outputs: ReadonlyMap<string, ReferenceOutput>;
  /** One cell per run of a node, lexicographic; a node above the iteration limit has one cell without indices. */
  readonly cells: ReadonlyMap<
    string,
    readonly {
      readonly indices: readonly number[];
      readonly state: CellState;
      readonly code?: string;
      readonly charge?: number;
    }[]
  >;
  readonly warnings: readonly ReferenceWarning[];
}

/**
 * The run's status and outputs from the results of all nodes (docs/contract/iteration.md#status-of-a-run, last rules).
 * `isAxisAbsent` returns whether an axis is absent as a whole.
 */
export function summariseReference(
  nodes: ReadonlyMap<string, ReferenceNode>,
  scopes: ReferenceScopes,
  tables: ReadonlyMap<string, ReferenceTable>,
  warnings: readonly ReferenceWarning[],
  isAxisAbsent: (axis: string) => boolean,
): Interpretation {
  const cells = new Map(
    [...tables].map(([id, table]) => [
      id,
      table.whole === undefined ? [...table.cells.values()] : [table.whole],
    ]),
  );
  const outputs = new Map<string, ReferenceOutput>();
  for (const node of nodes.values()) {
    if (node.spec.role === "output") {
      const isAbsent = scopes.joined.get(node.id)!.some(isAxisAbsent);
      outputs.set(
        node.id,
        isAbsent ? { state: "absent", items: [] } : outputOf(cells.get(node.id)!),
      );
    }
  }
  // The tables are in topological order, their cells in that of the indices.
  const failures = [...cells].flatMap(([id, each]) =>
    each.filter((cell) => cell.state === "failed").map((cell) => ({ id, code: cell.code! })),
  );
  const isAnyPresent = [...outputs.values()].some((output) => output.state === "present");
  const failedStatus = isAnyPresent ? "partial_success" : "failed";
  return {
    status: failures.length === 0 ? "completed" : failedStatus,
    error_code: failures[0]?.code ?? null,
    error_node: failures[0]?.id ?? null,
    outputs,
    cells: new Map(
      [...cells].map(([id, each]) => [
        id,
        each.map(({ indices, state, code, charge }) => ({
          indices,
          state,
          ...(code === undefined ? {} : { code }),
          ...(charge === undefined || charge === 0 ? {} : { charge }),
        })),
      ]),
    ),
    warnings,
  };
}

function outputOf(cells: readonly ReferenceCell[]): ReferenceOutput {
  const items = cells.map(({ indices, state, outputs }) => {
    const [value] = outputs?.values() ?? [];
    return { indices, state, ...(value === undefined ? {} : { value }) };
  });
  // docs/contract/results.md#groups: present if any item is, or it has none; else missing if any failed; else absent.
  if (items.length === 0 || items.some((item) => item.state === "ok")) {
    return { state: "present", items };
  }
  const isMissing = items.some((item) => item.state === "failed" || item.state === "blocked");
  return { state: isMissing ? "missing" : "absent", items };
}
