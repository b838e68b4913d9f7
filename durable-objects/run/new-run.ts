import type { RunStart } from "../../src/contracts/runs/run.ts";
import type { CellRow } from "../../src/engine/drive/run-rows.ts";
import type { RunHost } from "../../src/engine/drive/run-host.ts";
import {
  isEnumerator,
  isPreparedInput,
  SUBMITTED_PORT,
  submittedNode,
} from "../../src/engine/plan/node-kind.ts";
import type { Plan } from "../../src/engine/plan/plan.ts";
import { joinOutputs } from "../../src/engine/values/cell-outputs.ts";
import { EMPTY_OUTLINE } from "../../src/engine/plan/outline.ts";
import { newRunState, type RunState } from "../../src/engine/step/run-state.ts";
import { parseJson } from "../../src/lib/json/exact-json.ts";
import type { Env } from "../../src/platform/env.ts";
import type { InlineRetries } from "./tasks/inline-retries.ts";
import { storedPlanOf, NO_PLAN, pricedAtAdmission } from "./state/stored-plan.ts";
import type { RunMetadata } from "./live-run.ts";
import { isHeldFile } from "./tasks/reported-files.ts";
import { HELD_FACT } from "./state/run-schema.ts";
import type { RunStore } from "./state/run-store.ts";
import { tryPlanOf } from "./wake-run.ts";
import { createHost } from "./run-host.ts";

/** Everything that the first commit of a run writes. */
export interface NewRun {
  readonly metadata: RunMetadata;
  readonly definitionJson: string;
  readonly seed: string;
  readonly state: RunState;
  readonly cells: readonly CellRow[];
  /** The scope of each node's outputs. */
  readonly scopes: readonly number[];
  /** Whether a submitted file is not an R2 object. */
  readonly hasHeldFiles: boolean;
}

/**
 * A new run. If this code cannot make a plan of its definition, because of a deploy between admission and start, the
 * run is created anyway, and its first wake ends it.
 */
export async function newRun(
  env: Env,
  start: RunStart,
  inlineRetries: InlineRetries,
  store: RunStore,
): Promise<NewRun> {
  // Values are stored as cells, with the same retention.
  const { definition_json, inputs: _inputs, input_files: _files, unit_costs, ...begun } = start;
  const compiled = tryPlanOf(begun, () => definition_json);
  const plan = compiled === undefined ? undefined : pricedAtAdmission(compiled, unit_costs);
  const metadata: RunMetadata = {
    ...begun,
    kept_plan: plan === undefined ? NO_PLAN : storedPlanOf(plan),
  };
  const seed = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex");
  const cells =
    plan === undefined
      ? []
      : await inputCells(plan, start, createHost(env, metadata, seed, inlineRetries, store));
  const state = newRunState(plan ?? EMPTY_OUTLINE);
  const hasHeldFiles = start.input_files?.some(({ stored }) => isHeldFile(stored)) === true;
  const scopes = plan?.nodes.map(({ outputScope }) => outputScope) ?? [];
  return { metadata, definitionJson: definition_json, seed, state, cells, scopes, hasHeldFiles };
}

/** In memory only; the store's `keep` writes it. */
export function writeNewRun(store: RunStore, run: NewRun): void {
  store.transaction(() => {
    store.create(run.scopes);
    store.putText("facts", JSON.stringify(run.metadata));
    store.putText("definition", run.definitionJson);
    store.putMetadata("seed", run.seed);
    if (run.hasHeldFiles) {
      store.putMetadata(HELD_FACT, 1);
    }
    store.commit({ state: run.state, cells: run.cells });
  });
}

/**
 * The submitted values as cells: an input's own element, absent without a value; for an input that processes its value,
 * the value to process. A value too long for a row is stored first.
 */
async function inputCells(
  plan: Plan,
  start: Pick<RunStart, "inputs" | "input_files">,
  host: RunHost,
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
      cells.push({ node: at, element: 0, status: "ok", body: joinOutputs([[port, file]]) });
    } else if (text !== undefined) {
      const stored = await host.store(node, 0, port, parseJson(text));
      cells.push({ node: at, element: 0, status: "ok", body: joinOutputs([[port, stored]]) });
    } else if (!fansOut) {
      cells.push({ node: at, element: 0, status: "absent", body: "" });
    }
  }
  return cells;
}
