import type { RunStart } from "../../src/contracts/run.ts";
import type { CellRow } from "../../src/engine/drive/run-rows.ts";
import type { RunWorld } from "../../src/engine/drive/run-world.ts";
import { isEnumerator } from "../../src/engine/plan/node-kind.ts";
import type { Plan } from "../../src/engine/plan/plan.ts";
import { SUBMITTED_PORT, submittedNode } from "../../src/engine/step/enumerate-axis.ts";
import { joinOutputs } from "../../src/engine/values/cell-outputs.ts";
import { parseJson } from "../../src/lib/exact-json.ts";

/**
 * The submitted values as cells: an input's own element, absent without a value; for an input that
 * fans out, the value it will enumerate. What is too long for a row is stored first.
 */
export async function inputCells(
  plan: Plan,
  inputs: RunStart["inputs"],
  world: RunWorld,
): Promise<CellRow[]> {
  const values = new Map(inputs.map((input) => [input.node_id, input.value_json]));
  const cells: CellRow[] = [];
  for (const { node: index } of plan.inputs) {
    const node = plan.nodes[index];
    const text = node === undefined ? undefined : values.get(node.id);
    if (node === undefined) {
      continue;
    }
    const fansOut = isEnumerator(node);
    const at = fansOut ? submittedNode(node) : node.index;
    if (text === undefined) {
      if (!fansOut) {
        cells.push({ node: at, ord: 0, status: "absent", body: "" });
      }
      continue;
    }
    const port = fansOut ? SUBMITTED_PORT : (node.type.outputs[0]?.name ?? SUBMITTED_PORT);
    const stored = await world.store(node, 0, port, parseJson(text));
    cells.push({ node: at, ord: 0, status: "ok", body: joinOutputs([[port, stored]]) });
  }
  return cells;
}
