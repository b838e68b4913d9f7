/**
 * Restores a run from its rows, under whatever code has woken it (docs/decisions/deploys.md). An ended run needs
 * nothing of that code. A live run continues if its plan still has the fingerprint of its start; otherwise it ends
 * here, without needing a plan.
 */
import { isTerminal } from "../../src/contracts/runs/run.ts";
import { restoreLayout } from "../../src/engine/drive/restore-layout.ts";
import type { LookUps } from "../../src/engine/drive/asked-elements.ts";
import type { DriverSource } from "../../src/engine/drive/driver-source.ts";
import type { RunHost } from "../../src/engine/drive/run-host.ts";
import { EMPTY_OUTLINE, type Outline, outlineOf } from "../../src/engine/plan/outline.ts";
import type { Compiled, Plan } from "../../src/engine/plan/plan.ts";
import { finalStatus } from "../../src/engine/step/final-status.ts";
import { newRunState, type RunState } from "../../src/engine/step/run-state.ts";
import { FutureDatabaseError } from "../shared/migrations.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import { DamagedRunError } from "./damaged-run.ts";
import { storedPlanOf, outlineIn, resumablePlan } from "./state/stored-plan.ts";
import { endedRun, liveRun, type LiveRun, type RunMetadata } from "./live-run.ts";
import { runLogger } from "./run-logging.ts";
import type { RunStore } from "./state/run-store.ts";
import type { RunTasks } from "./tasks/run-tasks.ts";
import {
  compileVersion,
  knownVersion,
} from "../../src/domain/workflows/versions/compiled-versions.ts";
import type { FindNodeType } from "../../src/engine/compile/read-nodes.ts";
import { References } from "../../src/engine/compile/references.ts";
import { overrideParameters } from "../../src/engine/compile/override-parameters.ts";
import { findNodeType } from "../../src/nodes/registry.ts";

const INCOMPATIBLE = {
  code: "DEFINITION_INCOMPATIBLE",
  message:
    "The service was updated during the run, and the new version cannot continue it. Submit the run again.",
} as const;

const STATE_LOST = {
  code: "INTERNAL_ERROR",
  message: "The service can no longer read the state of the run. Submit the run again.",
} as const;

interface WakeParts {
  readonly store: RunStore;
  readonly tasks: RunTasks;
  readonly createHost: (metadata: RunMetadata, seed: string) => RunHost;
  readonly createSource: (metadata: RunMetadata) => DriverSource | undefined;
  /** How a run asks the result cache. */
  readonly createLookUp: (metadata: RunMetadata) => LookUps["lookUp"];
}

export interface Woken {
  readonly run: LiveRun;
  /** The seed of its secret names. */
  readonly seed: string;
  /** The run was live until now, and was ended because this code cannot continue it. */
  readonly isEndedNow: boolean;
}

export function wakeRun(parts: WakeParts): Woken {
  const { metadata, seed } = readFacts(parts.store);
  const createHost = (of: RunMetadata) => parts.createHost(of, seed);
  return { ...wakeWith(metadata, { ...parts, createHost }), seed };
}

function wakeWith(
  metadata: RunMetadata,
  {
    store,
    tasks,
    createHost,
    createSource,
    createLookUp,
  }: Omit<WakeParts, "createHost"> & { createHost: (of: RunMetadata) => RunHost },
): Omit<Woken, "seed"> {
  const kept = metadata.kept_plan;
  const state = readState(metadata, store);
  if (state === undefined) {
    const outline = kept === undefined ? EMPTY_OUTLINE : outlineIn(kept);
    const ended = endNow(outline, newRunState(outline), STATE_LOST, store, tasks);
    return { run: endedRun(metadata, outline, ended, store), isEndedNow: true };
  }
  const isOver = isTerminal(state.status);
  if (kept !== undefined && isOver) {
    return { run: endedRun(metadata, outlineIn(kept), state, store), isEndedNow: false };
  }
  const plan = tryPlanOf(metadata, () => store.getText("definition"));
  if (kept === undefined && plan !== undefined) {
    // From before outlines were stored: the code that wakes the run first is taken for the code that started it.
    const since = { ...metadata, kept_plan: storedPlanOf(plan) };
    store.putText("facts", JSON.stringify(since));
    const outline = outlineOf(plan);
    const run = isOver
      ? endedRun(since, outline, state, store)
      : liveRun(
          since,
          outline,
          plan,
          state,
          store,
          createHost(since),
          createSource(since),
          createLookUp(since),
        );
    return { run, isEndedNow: false };
  }
  const outline = kept === undefined ? EMPTY_OUTLINE : outlineIn(kept);
  if (isOver) {
    return { run: endedRun(metadata, outline, state, store), isEndedNow: false };
  }
  const resumable =
    kept === undefined || plan === undefined
      ? undefined
      : resumablePlan(plan, kept.fingerprint, outline);
  if (resumable !== undefined) {
    const host = createHost(metadata);
    const source = createSource(metadata);
    const lookUp = createLookUp(metadata);
    const run = liveRun(metadata, outline, resumable, state, store, host, source, lookUp);
    return { run, isEndedNow: false };
  }
  runLogger(metadata).error("run.incompatible", { compiles: plan !== undefined });
  const ended = endNow(outline, state, INCOMPATIBLE, store, tasks);
  return { run: endedRun(metadata, outline, ended, store), isEndedNow: true };
}

/** Throws DamagedRunError if the rows are missing or incomplete. */
function readFacts(store: RunStore): { readonly metadata: RunMetadata; readonly seed: string } {
  try {
    const metadata = JSON.parse(store.getText("facts")) as RunMetadata;
    // If the seed is lost with the state, a new one is made: names derived from a known seed could be guessed.
    const seed = String(store.getMetadata("seed") ?? crypto.randomUUID());
    if (store.isDamaged) {
      runLogger(metadata).error("run.partly_unreadable");
    }
    return { metadata, seed };
  } catch (error) {
    if (error instanceof FutureDatabaseError) {
      throw error;
    }
    throw new DamagedRunError("The metadata of the run cannot be read.", { cause: error });
  }
}

/** The run's plan under current code; undefined if this code cannot compile its definition. */
export function tryPlanOf(metadata: RunMetadata, definitionJson: () => string): Plan | undefined {
  try {
    return planOf(metadata, definitionJson);
  } catch (error) {
    runLogger(metadata).error("run.does_not_compile", { cause: describeCause(error) });
    return undefined;
  }
}

/**
 * The last committed state; undefined if its text is damaged. Throws FutureDatabaseError for a state of newer code,
 * which is left unchanged.
 */
function readState(metadata: RunMetadata, store: RunStore): RunState | undefined {
  let state: RunState;
  try {
    state = store.state();
  } catch (error) {
    runLogger(metadata).error("run.state_unreadable", { cause: describeCause(error) });
    return undefined;
  }
  const version: number = state.v;
  const known = newRunState({ nodes: [] }).v;
  if (version > known) {
    throw new FutureDatabaseError(
      `The state of the run has version ${String(version)}; this code knows versions up to ${String(known)}. Deploy the newer code again.`,
    );
  }
  return state;
}

/** The state of a run that ends without ever having had a plan under this code. */
function endedState(
  outline: Outline,
  state: RunState,
  reason: { readonly code: string; readonly message: string },
  store: Pick<RunStore, "axisRows">,
): RunState {
  if (state.status === "cancelling") {
    return { ...state, status: "cancelled", progress: 100 };
  }
  const layout = restoreLayout(outline, state, store);
  return {
    ...state,
    status: finalStatus(outline, layout, state.nodes, true),
    stopped: state.stopped ?? { node: -1, ...reason },
    progress: 100,
  };
}

/** Ends the run in one commit: its tasks and leases are dropped, its results stay. */
function endNow(
  outline: Outline,
  state: RunState,
  reason: { readonly code: string; readonly message: string },
  store: RunStore,
  tasks: RunTasks,
): RunState {
  const ended = endedState(outline, state, reason, store);
  store.transaction(() => {
    tasks.dropAll();
    store.commit({
      state: ended,
      delta: {
        status: ended.status,
        progress: ended.progress === state.progress ? null : ended.progress,
        stopped: ended.stopped === state.stopped ? null : ended.stopped,
        nodes: [],
        outputs: [],
      },
    });
  });
  return ended;
}

/**
 * The plan of a run under this code: that of its version, compiled once per isolate, with the parameters that the run's
 * interface overrides. Throws if the definition does not compile.
 */
export function planOf(
  metadata: Pick<
    RunMetadata,
    | "workspace_id"
    | "workflow_id"
    | "workflow_version"
    | "run_id"
    | "is_draft"
    | "references"
    | "parameter_overrides"
  >,
  definitionJson: () => string,
  find: FindNodeType = findNodeType,
): Plan {
  const { workflow_id, run_id } = metadata;
  const key = {
    workspaceId: metadata.workspace_id,
    // A draft has no version: its copy belongs to the run.
    workflowId: metadata.is_draft === true ? `${workflow_id}/${run_id}` : workflow_id,
    version: metadata.workflow_version,
  };
  const references = new References(metadata.references ?? []);
  const known = knownVersion(key);
  // [E32] Another run of the version may have started when a newer resource was stored.
  const isUsable = known?.references.agreesOn(known.needed, references) === true;
  const compiled =
    known !== undefined && isUsable
      ? { version: known }
      : compileVersion(key, definitionJson(), references, find);
  if ("issues" in compiled) {
    throw doesNotCompile(compiled.issues);
  }
  const { definition, plan } = compiled.version;
  const given = overrideParameters(
    definition,
    plan,
    metadata.parameter_overrides,
    find,
    references,
  );
  if (given.plan === undefined) {
    throw doesNotCompile(given.issues);
  }
  return given.plan;
}

function doesNotCompile(issues: Compiled["issues"]): Error {
  return new Error(`published version does not compile: ${JSON.stringify(issues[0])}`);
}
