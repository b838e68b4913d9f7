import type { RunStart } from "../../src/contracts/run.ts";
import type { CellRow } from "../../src/engine/drive/run-rows.ts";
import type { RunWorld } from "../../src/engine/drive/run-world.ts";
import {
  isEnumerator,
  isPreparedInput,
  SUBMITTED_PORT,
  submittedNode,
} from "../../src/engine/plan/node-kind.ts";
import type { Plan } from "../../src/engine/plan/plan.ts";
import { joinOutputs } from "../../src/engine/values/cell-outputs.ts";
import { parseJson } from "../../src/lib/exact-json.ts";

/**
 * The submitted values as cells: an input's own element, absent without a value; for an input that
 * works on its value first, the value it will work on. What is too long for a row is stored first.
 */
export async function inputCells(
  plan: Plan,
  start: Pick<RunStart, "inputs" | "input_files">,
  world: RunWorld,
): Promise<CellRow[]> {
  const values = new Map(start.inputs.map((input) => [input.node_id, input.value_json]));
  const files = new Map(start.input_files?.map((input) => [input.node_id, input.stored]));
  const cells: CellRow[] = [];
  for (const { node: index } of plan.inputs) {
    const node = plan.nodes[index];
    if (node === undefined) {
      continue;
    }
    const fansOut = isEnumerator(node);
    const isWorkedOn = fansOut || isPreparedInput(node.type);
    const at = isWorkedOn ? submittedNode(node) : node.index;
    const port = isWorkedOn ? SUBMITTED_PORT : (node.type.outputs[0]?.name ?? SUBMITTED_PORT);
    const file = files.get(node.id);
    const text = values.get(node.id);
    if (file !== undefined) {
      cells.push({ node: at, ord: 0, status: "ok", body: joinOutputs([[port, file]]) });
    } else if (text !== undefined) {
      const stored = await world.store(node, 0, port, parseJson(text));
      cells.push({ node: at, ord: 0, status: "ok", body: joinOutputs([[port, stored]]) });
    } else if (!fansOut) {
      cells.push({ node: at, ord: 0, status: "absent", body: "" });
    }
  }
  return cells;
}
