import { NodeError } from "../../lib/errors/node-error.ts";
import type { Plan } from "../plan/plan.ts";
import type { CellWrite } from "../step/cells.ts";
import { worstCaseCharge } from "../step/charge.ts";
import { joinOutputs } from "../values/cell-outputs.ts";
import { encodeSpilled, isSpilled } from "../values.ts";
import type { CellRow } from "./run-rows.ts";
import type { RunHost } from "./run-host.ts";

/** Encodes cells as rows. An output that is too large fails its element. */
export async function encodeCells(
  host: RunHost,
  plan: Plan,
  writes: readonly CellWrite[],
): Promise<CellRow[]> {
  const rows: CellRow[] = [];
  for (const write of writes) {
    const encoded = encodeCell(host, plan, write);
    rows.push(encoded instanceof Promise ? await encoded : encoded);
  }
  return rows;
}

function encodeCell(host: RunHost, plan: Plan, write: CellWrite): CellRow | Promise<CellRow> {
  const { node, element, status } = write;
  if (status === "failed") {
    return { node, element, status, body: JSON.stringify(write.failure) };
  }
  if (status !== "ok") {
    return { node, element, status, body: "" };
  }
  const planNode = plan.nodes[node];
  if (planNode === undefined) {
    throw new Error(`cell of unknown node ${node}`);
  }
  // The cells of an enumerator are its items; it is charged at the elements that opened them.
  const charge = planNode.axis < 0 ? (write.charge ?? worstCaseCharge(planNode)) : undefined;
  const { digests, reused } = write;
  const kept = {
    node,
    element,
    charge,
    ...(digests !== undefined && { digests }),
    ...(reused !== undefined && { reused }),
  };
  if (write.body !== undefined) {
    return { ...kept, status, body: write.body };
  }
  try {
    const stored: [port: string, text: string | Promise<string>][] = [];
    let isStored = true;
    for (const [port, value] of write.outputs) {
      const text = isSpilled(value)
        ? encodeSpilled(value.spilled)
        : host.store(planNode, element, port, value);
      isStored &&= typeof text === "string";
      stored.push([port, text]);
    }
    return isStored
      ? { ...kept, status, body: joinOutputs(stored as [string, string][]) }
      : settle(kept, stored);
  } catch (error) {
    return failedRow(node, element, error);
  }
}

async function settle(
  kept: Omit<CellRow, "status" | "body">,
  stored: readonly (readonly [string, string | Promise<string>])[],
): Promise<CellRow> {
  try {
    const texts: [string, string][] = [];
    for (const [port, text] of stored) {
      texts.push([port, await text]);
    }
    return { ...kept, status: "ok", body: joinOutputs(texts) };
  } catch (error) {
    return failedRow(kept.node, kept.element, error);
  }
}

function failedRow(node: number, element: number, error: unknown): CellRow {
  if (!(error instanceof NodeError)) {
    throw error;
  }
  const { code, message } = error;
  return { node, element, status: "failed", body: JSON.stringify({ code, message }) };
}
