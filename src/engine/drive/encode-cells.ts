import { NodeError } from "../../lib/node-error.ts";
import type { Plan } from "../plan/plan.ts";
import type { CellWrite } from "../step/cells.ts";
import { worstCaseCharge } from "../step/charge.ts";
import { joinOutputs } from "../values/cell-outputs.ts";
import { encodeSpilled, isSpilled } from "../values.ts";
import type { CellRow } from "./run-rows.ts";
import type { RunWorld } from "./run-world.ts";

/** Cells as rows; an output too large to keep fails its element. */
export async function encodeCells(
  world: RunWorld,
  plan: Plan,
  writes: readonly CellWrite[],
): Promise<CellRow[]> {
  const rows: CellRow[] = [];
  for (const write of writes) {
    const encoded = encodeCell(world, plan, write);
    rows.push(encoded instanceof Promise ? await encoded : encoded);
  }
  return rows;
}

function encodeCell(world: RunWorld, plan: Plan, write: CellWrite): CellRow | Promise<CellRow> {
  const { node, ord, status } = write;
  if (status === "failed") {
    return { node, ord, status, body: JSON.stringify(write.failure) };
  }
  if (status !== "ok") {
    return { node, ord, status, body: "" };
  }
  const planNode = plan.nodes[node];
  if (planNode === undefined) {
    throw new Error(`cell of unknown node ${node}`);
  }
  // Cells of an enumerator are what it opened; it is charged where it opened them.
  const charge = planNode.axis < 0 ? (write.charge ?? worstCaseCharge(planNode)) : undefined;
  try {
    const stored = [...write.outputs].map(
      ([port, value]) =>
        [
          port,
          isSpilled(value) ? encodeSpilled(value.spilled) : world.store(planNode, ord, port, value),
        ] as const,
    );
    if (stored.some(([, text]) => text instanceof Promise)) {
      return settle(node, ord, stored, charge);
    }
    return { node, ord, status, body: joinOutputs(stored as [string, string][]), charge };
  } catch (error) {
    return failedRow(node, ord, error);
  }
}

async function settle(
  node: number,
  ord: number,
  stored: readonly (readonly [string, string | Promise<string>])[],
  charge: CellRow["charge"],
): Promise<CellRow> {
  try {
    const texts: [string, string][] = [];
    for (const [port, text] of stored) {
      texts.push([port, await text]);
    }
    return { node, ord, status: "ok", body: joinOutputs(texts), charge };
  } catch (error) {
    return failedRow(node, ord, error);
  }
}

function failedRow(node: number, ord: number, error: unknown): CellRow {
  if (!(error instanceof NodeError)) {
    throw error;
  }
  const { code, message } = error;
  return { node, ord, status: "failed", body: JSON.stringify({ code, message }) };
}
