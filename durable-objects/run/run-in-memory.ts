/** A run that ends within its start, carried out without storage of its own: nothing of it is stored, and it calls nobody. */
import type { KeptRun } from "../../src/contracts/runs/run-group-api.ts";
import type { BatchRunEnd } from "../../src/contracts/runs/run-object-api.ts";
import { isTerminal, type RunStart } from "../../src/contracts/runs/run.ts";
import type { Env } from "../../src/platform/env.ts";
import { isOfLongText } from "./blocks/long-texts.ts";
import { PART_VERSION } from "./blocks/part-rows.ts";
import { newRun, writeNewRun } from "./new-run.ts";
import { runParts } from "./run-parts.ts";
import { MustBeStoredError } from "./state/must-be-stored.ts";

/** Characters of a run that are kept in its group. */
const KEPT_CHARS_MAX = 32_000;

/** Pieces of work after which a run has not ended at once: a graph with a fan-out of some rows takes four. */
const SLICES_MAX = 8;

export interface EndedRun {
  readonly end: BatchRunEnd;
  /** Without its definition, which all runs of a version have in common. */
  readonly kept: KeptRun;
}

/**
 * Null for a run that does not end at once, or needs more than memory: a task, a stored value, a second attempt. Nothing is left
 * of that, and the run must begin in its own object. Throws what a start throws.
 */
export async function runInMemory(env: Env, start: RunStart): Promise<EndedRun | null> {
  const storage = new NoStorage();
  try {
    const ended = await tryInMemory(env, start, storage as unknown as DurableObjectStorage);
    return storage.wasNeeded ? null : ended;
  } catch (error) {
    if (storage.wasNeeded) {
      return null;
    }
    throw error;
  }
}

async function tryInMemory(
  env: Env,
  start: RunStart,
  storage: DurableObjectStorage,
): Promise<EndedRun | null> {
  const waitUntil = () => undefined;
  const { store, access, inlineRetries } = runParts({ env, storage, runId: undefined, waitUntil });
  writeNewRun(store, await newRun(env, start, inlineRetries, store));
  const { loop, run, lines } = access.awake();
  if (run.machine?.plan.nodes.every(({ placement }) => placement === "inline") !== true) {
    return null;
  }
  lines.hold();
  loop.begin();
  await loop.firstSlices(SLICES_MAX);
  if (!store.exists || !isTerminal(run.state.status)) {
    return null;
  }
  const parts = store.unsavedParts().filter(([key]) => !isOfLongText(key, "definition"));
  if (parts.reduce((sum, [key, text]) => sum + key.length + text.length, 0) > KEPT_CHARS_MAX) {
    return null;
  }
  const end = access.endForBatch(loop);
  return end === null ? null : { end, kept: { version: PART_VERSION, parts } };
}

/** The storage of an object, as far as a run that is in memory only uses it: empty. A write throws. */
class NoStorage {
  /** Whether the run had to be stored, whatever has become of the error. */
  wasNeeded = false;

  readonly sql = {
    exec: (query: string) => {
      if (!query.startsWith("SELECT")) {
        this.#refuse();
      }
      return { toArray: () => [] };
    },
  };

  transactionSync<T>(work: () => T): T {
    return work();
  }

  setAlarm(): Promise<void> {
    return this.#refuse();
  }

  #refuse(): never {
    this.wasNeeded = true;
    throw new MustBeStoredError("The run must be stored before it goes on.");
  }
}
