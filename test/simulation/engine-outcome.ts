import { restoreLayout } from "../../src/engine/drive/restore-layout.ts";
import { isAggregator, isEnumerator } from "../../src/engine/plan/node-kind.ts";
import type { Plan } from "../../src/engine/plan/plan.ts";
import type { CellFailure } from "../../src/engine/step/cells.ts";
import type { RunState } from "../../src/engine/step/run-state.ts";
import { readOutputs } from "../../src/engine/values/cell-outputs.ts";
import type { RunValue } from "../../src/nodes/define-ports.ts";
import type { CellRow, RunRows, SkippedItems } from "../../src/engine/drive/run-rows.ts";
import type { CellState, Interpretation, ReferenceOutput } from "./reference-result.ts";

/** The rows of an ended run. */
interface EndedRows extends Pick<RunRows, "cellsAt" | "axisRows"> {
  readonly state: RunState;
  cellsOf(node: number): readonly CellRow[];
  readonly skippedItems: ReadonlyMap<number, SkippedItems>;
}

/** The content of the rows in the form of the reference. */
export function engineOutcome(plan: Plan, rows: EndedRows): Interpretation {
  const { state } = rows;
  const layout = restoreLayout(plan, state, rows);
  const cells = new Map<
    string,
    { indices: number[]; state: CellState; code?: string; charge?: number }[]
  >();
  for (const node of plan.nodes) {
    const now = state.nodes[node.index]!;
    if (now.whole !== null) {
      const { status, code } = now.whole;
      cells.set(node.id, [
        { indices: [], state: status, ...(status === "failed" ? { code } : {}) },
      ]);
      continue;
    }
    const scope = isAggregator(node) ? node.outputScope : node.scope;
    const own = isEnumerator(node)
      ? rows.axisRows(node.axis).map((row) => ({
          element: row.parent,
          status: row.status,
          failure: row.failure,
          charge: 0,
        }))
      : rows.cellsOf(node.index).map((row) => ({
          element: row.element,
          status: row.status,
          failure: row.status === "failed" ? (JSON.parse(row.body) as CellFailure) : null,
          charge: row.charge?.milliCredits ?? 0,
        }));
    cells.set(
      node.id,
      own.map(({ element, status, failure, charge }) => ({
        indices: layout.indices(scope, element),
        state: status,
        ...(failure === null ? {} : { code: failure.code }),
        ...(charge === 0 ? {} : { charge }),
      })),
    );
  }
  const outputs = new Map<string, ReferenceOutput>();
  for (const output of plan.outputs) {
    const node = plan.nodes[output.node]!;
    const axes = plan.scopes[node.scope]!.axes;
    const items = cells.get(node.id)!.map(({ indices, state: itemState }, element) => {
      const row = rows.cellsAt(node.index, [element])[0];
      const value = row?.status === "ok" ? [...readOutputs(row.body).values()][0] : undefined;
      return {
        indices,
        state: itemState,
        ...(value === undefined ? {} : { value: value as RunValue }),
      };
    });
    outputs.set(
      node.id,
      layout.hasAbsentAxis(axes, 0, 0)
        ? { state: "absent", items: [] }
        : { state: groupState(items), items },
    );
  }
  const failedNode = plan.nodes.find((node) => {
    const now = state.nodes[node.index]!;
    return now.failed > 0 || now.whole?.status === "failed";
  });
  const code =
    failedNode && cells.get(failedNode.id)?.find((cell) => cell.state === "failed")?.code;
  return {
    status: state.status as Interpretation["status"],
    error_code: code ?? null,
    error_node: failedNode?.id ?? null,
    outputs,
    cells,
    warnings: plan.nodes.flatMap((node) => {
      const known = rows.skippedItems.get(node.index);
      return known === undefined || known.skipped === 0
        ? []
        : [{ code: "ITEMS_SKIPPED", node_id: node.id, skipped: known.skipped, of: known.of }];
    }),
  };
}

function groupState(items: readonly { state: CellState }[]): "present" | "absent" | "missing" {
  if (items.length === 0 || items.some((item) => item.state === "ok")) {
    return "present";
  }
  return items.some((item) => item.state !== "absent") ? "missing" : "absent";
}
