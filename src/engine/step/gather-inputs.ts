import { NodeError } from "../../lib/errors/node-error.ts";
import { type ListPlaces, NodeInputs, type RunValue } from "../../nodes/define-ports.ts";
import type { Layout } from "../layout/layout.ts";
import type { PlanInput, PlanNode } from "../plan/plan.ts";
import type { CellValue } from "../values/cell-outputs.ts";
import { fitInput } from "../values/fit-input.ts";
import { isSpilled } from "../values.ts";
import type { Cell, CellFailure, ReadCell } from "./cells.ts";

/** Values of one element's input ports before they are loaded and checked. */
export type RawInputs = ReadonlyMap<PlanInput, CellValue | readonly CellValue[]>;

export type Gathered =
  /** An input has not settled. */
  | { readonly kind: "pending" }
  | { readonly kind: "blocked" }
  | { readonly kind: "absent" }
  | { readonly kind: "ready"; readonly values: RawInputs; readonly places: ListPlaces };

const PENDING: Gathered = { kind: "pending" };
const BLOCKED: Gathered = { kind: "blocked" };
const ABSENT: Gathered = { kind: "absent" };

/**
 * [E10] Determines one element's inputs: any failed or blocked input, even an optional one, blocks it; otherwise an
 * absent required input makes it absent; otherwise it runs with the present inputs.
 */
export function gatherInputs(
  node: PlanNode,
  element: number,
  layout: Layout,
  read: ReadCell,
): Gathered {
  const values = new Map<PlanInput, CellValue | CellValue[]>();
  const places = new Map<string, readonly number[]>();
  let isBlocked = false;
  let isAbsent = false;
  for (const input of node.inputs) {
    const present: CellValue[] = [];
    const presentAt: number[] = [];
    for (const [place, source] of input.sources.entries()) {
      const cell = read(source.node, project(layout, node.scope, source.scope, element));
      if (cell === undefined) {
        return PENDING;
      }
      isBlocked ||= cell.status === "failed" || cell.status === "blocked";
      const value = cell.status === "ok" ? cell.outputs.get(source.port) : undefined;
      if (value !== undefined) {
        present.push(value);
        presentAt.push(place);
      }
    }
    const [first] = present;
    if (first === undefined || (input.isList && present.length < input.minCount)) {
      isAbsent ||= input.required;
    } else {
      values.set(input, input.isList ? present : first);
      if (input.isList && present.length < input.sources.length) {
        places.set(input.port, presentAt);
      }
    }
  }
  if (isBlocked) {
    return BLOCKED;
  }
  return isAbsent ? ABSENT : { kind: "ready", values, places };
}

/** [E18] A merge takes its first input that is not absent, in connection order. */
export function mergeInputs(
  node: PlanNode,
  element: number,
  layout: Layout,
  read: ReadCell,
): Cell | undefined {
  const onFailed = node.type.role === "merge" ? node.type.onFailed(node.params) : "block";
  let taken: Cell | undefined;
  let sawFailed = false;
  for (const source of node.inputs.flatMap((input) => input.sources)) {
    const cell = read(source.node, project(layout, node.scope, source.scope, element));
    if (cell === undefined) {
      return undefined;
    }
    const isBad = cell.status === "failed" || cell.status === "blocked";
    const value = cell.status === "ok" ? cell.outputs.get(source.port) : undefined;
    if (taken === undefined && value !== undefined) {
      taken = { status: "ok", outputs: new Map([["value", value]]) };
    } else if (taken === undefined && isBad && onFailed === "block") {
      taken = { status: "blocked", outputs: new Map() };
    }
    sawFailed ||= isBad;
  }
  return taken ?? { status: sawFailed ? "blocked" : "absent", outputs: new Map() };
}

/**
 * The loaded values in the form that the node's `run` expects, each checked against its port. `load` returns the value
 * of a spilled one. A value that does not match fails the element, not the run.
 */
export function fitInputs(
  raw: RawInputs,
  load: (value: CellValue) => RunValue,
  places?: ListPlaces,
): NodeInputs | CellFailure {
  const values = new Map<string, RunValue | readonly RunValue[]>();
  try {
    for (const [input, value] of raw) {
      values.set(
        input.port,
        input.isList
          ? (value as readonly CellValue[]).map((item) => fitInput(load(item), input))
          : fitInput(load(value as CellValue), input),
      );
    }
  } catch (error) {
    if (error instanceof NodeError) {
      return { code: error.code, message: error.message };
    }
    throw error;
  }
  return new NodeInputs(values, places);
}

/** Every value whose text is in R2, to load before `fitInputs`. */
export function spilledIn(raw: RawInputs): CellValue[] {
  const spilled: CellValue[] = [];
  for (const [input, value] of raw) {
    for (const item of listOf(input, value)) {
      if (isSpilled(item)) {
        spilled.push(item);
      }
    }
  }
  return spilled;
}

export function project(layout: Layout, from: number, to: number, element: number): number {
  return from === to ? element : to === 0 ? 0 : (layout.project(from, to)[element] ?? 0);
}

/** A port's values; a single one unless the port is a list. */
export function listOf(
  input: PlanInput,
  value: CellValue | readonly CellValue[],
): readonly CellValue[] {
  return input.isList ? (value as readonly CellValue[]) : [value as CellValue];
}
