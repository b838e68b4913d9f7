import type { CloseRequest } from "../../src/contracts/workspaces/admission.ts";
import { byGroup, mayBeGrouped } from "../../src/domain/batches/group-starts.ts";
import type { AdmittedRun, BatchEffects, StartedRun } from "./batch-effects.ts";
import type { StartTurns } from "./start-turns.ts";

/** Admitted runs that have not started. Once half of them have, others are admitted. */
const UNSTARTED_MAX = 16;

interface StartParts {
  readonly effects: Pick<BatchEffects, "start" | "startGroup">;
  readonly turns: StartTurns;
  /** The same while groups carry them out: at most as many are admitted by one call, and carried out by another. */
  readonly groupedMax: number;
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** The short outputs of a run that has ended within its start. */
  readonly onOutputs: (run: string, outputs: string) => void;
  /** Starts have returned. Never throws. */
  readonly onReturned: () => Promise<void>;
}

/**
 * The starts of a batch's admitted runs: those that may end at once in their groups, all others in their own objects. Nothing
 * of this is stored: the workspace repeats a start whose end it does not learn.
 */
export class RunStarts {
  readonly #parts: StartParts;
  /** Admitted runs whose start has not returned: those that are being started, and those that wait for their turn. */
  #unstarted = 0;
  /** Ends of runs that the workspace has not been told of. Lost with the memory: their runs then report them. */
  readonly #ends: CloseRequest[] = [];
  /** Whether runs of the last call to a group ended at once; undefined before the first. */
  #areQuick: boolean | undefined;
  /** Whether webhook endpoints receive the ends of the batch's runs, which then report them themselves. */
  isHeard = false;

  constructor(parts: StartParts) {
    this.#parts = parts;
  }

  /** Ends that the workspace has not been told of. */
  get endCount(): number {
    return this.#ends.length;
  }

  /** Takes the oldest of these ends, at most `count`. */
  takeEnds(count: number): readonly CloseRequest[] {
    return this.#ends.splice(0, count);
  }

  /** Runs that may be admitted now. */
  get free(): number {
    return this.#max - this.#unstarted;
  }

  /** Whether more than half of the runs that may wait for their start do: others are admitted once they have returned. */
  get isBusy(): boolean {
    return this.#unstarted > this.#max / 2;
  }

  begin(runs: readonly AdmittedRun[]): void {
    const { waitUntil } = this.#parts;
    this.#unstarted += runs.length;
    const grouped = this.#isGrouping ? runs.filter((run) => mayBeGrouped(run)) : [];
    for (const group of byGroup(grouped)) {
      waitUntil(this.#startGroup(group));
    }
    for (const run of runs) {
      if (!grouped.includes(run)) {
        waitUntil(this.#start(run));
      }
    }
  }

  async #startGroup(runs: readonly AdmittedRun[]): Promise<void> {
    const { effects, onReturned } = this.#parts;
    const started = await effects.startGroup(runs);
    // Items of one batch mostly have the same graph: where no run ends at once, none is tried any more.
    this.#areQuick = this.#areQuick !== false && started.some((run) => run !== null);
    const last: Promise<void>[] = [];
    for (const [at, run] of runs.entries()) {
      const outcome = started[at] ?? null;
      if (outcome === null) {
        last.push(this.#start(run));
      } else {
        this.#note(run, outcome);
      }
    }
    await onReturned();
    await Promise.all(last);
  }

  /** Starts an admitted run in its own object. */
  async #start(run: AdmittedRun): Promise<void> {
    const { effects, turns, onReturned } = this.#parts;
    this.#note(run, await turns.take(() => effects.start(run, this.isHeard)));
    await onReturned();
  }

  #note({ run_id: id }: AdmittedRun, { end, outputs }: StartedRun): void {
    this.#unstarted -= 1;
    if (outputs !== null) {
      this.#parts.onOutputs(id, outputs);
    }
    if (end !== null) {
      this.#ends.push(end);
    }
  }

  /** Runs that hand over events themselves are not grouped. */
  get #isGrouping(): boolean {
    return !this.isHeard && this.#areQuick !== false;
  }

  get #max(): number {
    return this.#isGrouping && this.#areQuick === true ? this.#parts.groupedMax : UNSTARTED_MAX;
  }
}
