import { ADMIT_RUNS_MAX, type AdmitBatchReply } from "../../src/contracts/workspaces/admission.ts";
import type { ObjectAlarm } from "../shared/object-alarm.ts";
import type { BatchEffects, PreparedRun } from "./batch-effects.ts";
import { ItemFaults, UNPREPARED } from "./item-faults.ts";
import type { LiveBatch } from "./live-batch.ts";
import { RunCancels } from "./run-cancels.ts";
import { RunStarts } from "./run-starts.ts";
import type { StartTurns } from "./start-turns.ts";

interface DriverParts {
  readonly batch: LiveBatch;
  readonly effects: BatchEffects;
  readonly alarm: ObjectAlarm;
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** Longest time without a look at the batch while it is live. */
  readonly watchdogMs: number;
  readonly turns: StartTurns;
  /** As `RunStarts` has it. */
  readonly groupedMax: number;
}

/** A run of an item, or null if the service could not prepare it now. */
type Prepared = PreparedRun | null;

/** Moves a batch on: offers its items for admission, starts and cancels their runs, and keeps the workspace's list. */
export class BatchDriver {
  readonly #parts: DriverParts;
  readonly #starts: RunStarts;
  readonly #cancels: RunCancels;
  readonly #faults = new ItemFaults();
  #turning: Promise<void> | undefined;
  #isAgain = false;
  /** Items that the workspace has room for, as far as it has said. */
  #room = 0;
  /** Whether items wait for starts to return. */
  #isHeld = false;
  /** Whether the workspace may believe that the batch wants slots. */
  #hasAsked = false;

  constructor(parts: DriverParts) {
    const { batch, effects, waitUntil, turns, groupedMax } = parts;
    this.#parts = parts;
    this.#cancels = new RunCancels((run) => effects.cancel(run));
    this.#starts = new RunStarts({
      effects,
      turns,
      groupedMax,
      waitUntil,
      onOutputs: (run, outputs) => {
        batch.keepOutputs(run, outputs);
      },
      onReturned: () => this.#goOn(),
    });
  }

  /** Does all that is due now; calls that overlap share one turn. Never throws: the alarm repeats what fails. */
  turn(room = 0): Promise<void> {
    this.#room = Math.max(this.#room, room);
    this.#isAgain = true;
    this.#turning ??= this.#turn();
    return this.#turning;
  }

  /** Asks for the ends of live runs, whose messages may be lost, and does what is due. */
  async watch(): Promise<void> {
    const { batch, effects } = this.#parts;
    const { live } = batch.ledger;
    if (live.length > 0) {
      const { ends } = await effects.runs(live.map((index) => batch.ledger.runOf(index)));
      batch.runsEnded(ends);
    }
    await this.turn();
  }

  async #turn(): Promise<void> {
    const { effects } = this.#parts;
    try {
      while (this.#isAgain) {
        this.#isAgain = false;
        await this.#settleOffers();
        this.#cancelLive();
        if (await this.#admit()) {
          this.#isAgain = true;
        }
        await this.#tell();
      }
    } catch (error) {
      effects.failed(error);
    }
    // Without an await after the last look: a call that came later would have no turn.
    this.#turning = undefined;
    this.#endTurn();
  }

  #endTurn(): void {
    const { batch, alarm, watchdogMs } = this.#parts;
    const { ledger } = batch;
    if (ledger.isTerminal) {
      this.#faults.clear();
    }
    if (
      !batch.isListed ||
      batch.events.length > 0 ||
      (ledger.facts.attempt > 0 && !ledger.isTerminal)
    ) {
      const isCancelling = ledger.facts.cancel_requested_at_ms !== null;
      alarm.arm(Date.now() + (isCancelling ? Math.min(watchdogMs, CANCEL_AGAIN_MS) : watchdogMs));
    }
  }

  /**
   * Resolves when the workspace lists the batch with its status: a list that a caller reads after that agrees with what the
   * caller has read. If the workspace cannot be reached, the next turn tells it.
   */
  async told(): Promise<void> {
    const { batch, effects } = this.#parts;
    const { status } = batch.ledger;
    try {
      await effects.list(status);
      if (batch.isListedAsBefore) {
        batch.listed(status);
      }
    } catch (error) {
      effects.failed(error);
    }
  }

  /** Tells the workspace of a new status, and webhook endpoints of the ends of attempts. */
  async #tell(): Promise<void> {
    const { batch, effects } = this.#parts;
    const { status } = batch.ledger;
    // Events come last: an endpoint that cannot be reached must not keep items waiting.
    const events = this.#isAgain ? [] : batch.events;
    if (batch.isListed && events.length === 0) {
      return;
    }
    const listeners = await effects.list(status);
    if (!batch.isListed) {
      batch.listed(status);
    }
    for (const event of events) {
      try {
        await effects.announce(event, listeners);
      } catch (error) {
        effects.failed(error);
        return;
      }
      batch.announced(event.event_id);
    }
  }

  /** Offers whose outcome is unknown: the run of an offer exists, or the item waits again. */
  async #settleOffers(): Promise<void> {
    const { batch, effects } = this.#parts;
    const { offered, offers } = batch.ledger.facts;
    if (offered.length > 0) {
      const runs = offered.map((index) => batch.ledger.runOf(index));
      const { known, ends } = await effects.runs(runs, offers);
      const exists = new Set(known);
      batch.settleOffers(
        offered.map((index) => ({
          index,
          kind: exists.has(batch.ledger.runOf(index)) ? "accepted" : "withdrawn",
        })),
      );
      batch.runsEnded(ends);
    }
  }

  /** Beside the turn, which a caller of a cancel waits for. */
  #cancelLive(): void {
    const { ledger } = this.#parts.batch;
    if (ledger.facts.cancel_requested_at_ms !== null) {
      const live = ledger.live.map((index) => ledger.runOf(index));
      this.#parts.waitUntil(this.#cancels.request(live));
    }
  }

  /** True if there may be room for more. */
  async #admit(): Promise<boolean> {
    const { batch } = this.#parts;
    const { endCount } = this.#starts;
    const wanted = batch.wantedAfter(endCount);
    if (wanted === 0 && endCount === 0) {
      if (this.#hasAsked) {
        this.#hasAsked = false;
        await this.#ask(0, 0, []);
      }
      return false;
    }
    if (this.#starts.isBusy) {
      this.#isHeld = true;
      return false;
    }
    this.#hasAsked = wanted > 0;
    // Each end leaves a slot, which the batch mostly gets again: the workspace decides.
    const most = Math.min(
      Math.max(this.#room, endCount),
      batch.wanted,
      ADMIT_RUNS_MAX,
      this.#starts.free,
    );
    this.#room = 0;
    if (most === 0) {
      await this.#ask(0, wanted, []);
      return this.#room > 0 && batch.wanted > 0;
    }
    const { attempt, run_base: base } = batch.ledger.facts;
    // What a retried item costs is known only once it is compared with its last run and bound to the batch's version.
    const retried = await this.#prepare(attempt === 1 ? [] : batch.next(most));
    if (batch.ledger.facts.run_base !== base) {
      // The batch was cancelled and retried meanwhile: these are not the runs of its attempt.
      return true;
    }
    for (const [index, run] of retried) {
      if (run !== null && "worst" in run && run.worst !== undefined) {
        batch.costsAtMost(index, run.worst);
      }
    }
    const offered = batch.offer(most);
    if (offered.length === 0) {
      if (this.#starts.endCount > 0) {
        await this.#ask(0, batch.wantedAfter(this.#starts.endCount), []);
        return true;
      }
      return false;
    }
    return await this.#admitOffered(offered, retried, wanted);
  }

  /** Sends offered items to their admission, and starts those that are admitted. True if there may be room for more. */
  async #admitOffered(
    offered: readonly number[],
    retried: ReadonlyMap<number, Prepared>,
    wanted: number,
  ): Promise<boolean> {
    const { batch } = this.#parts;
    const { offers } = batch.ledger.facts;
    const others = await this.#prepare(offered.filter((index) => !retried.has(index)));
    const prepared = offered.map((index) => ({
      index,
      run: retried.get(index) ?? others.get(index) ?? null,
    }));
    const ready = prepared.flatMap(({ index, run }) =>
      run !== null && "start" in run ? [{ index, run }] : [],
    );
    const runs = ready.map(({ run }) => run);
    const { outcomes } = await this.#ask(offers, Math.max(wanted, runs.length), runs);
    batch.settleOffers([
      ...prepared.flatMap(({ index, run }): OfferOutcome[] => {
        if (run === null) {
          return [{ index, kind: "withdrawn" }];
        }
        return "start" in run ? [] : [{ index, kind: "refused", ...run }];
      }),
      ...ready.map(({ index, run }, at): OfferOutcome => {
        const outcome = outcomes[at];
        switch (outcome?.kind) {
          case "admitted":
          case "known":
            return { index, kind: "accepted" };
          case "insufficient_credits":
            return { index, kind: "refused", message: lackOf(outcome, run.liability) };
          default:
            return { index, kind: "withdrawn" };
        }
      }),
    ]);
    this.#starts.begin(
      outcomes.flatMap((outcome, at) => {
        const start = runs[at]?.start;
        return outcome.kind === "admitted" && start !== undefined
          ? [{ ...start, ...outcome.start }]
          : [];
      }),
    );
    // Where no item could be prepared, the alarm tries again.
    return this.#room > 0 && prepared.some(({ run }) => run !== null);
  }

  /** The runs of items in this attempt; null for one that the service cannot prepare now. */
  async #prepare(indices: readonly number[]): Promise<ReadonlyMap<number, Prepared>> {
    const { batch, effects } = this.#parts;
    const { attempt } = batch.ledger.facts;
    const prepare = async (index: number): Promise<Prepared> => {
      const id = batch.ledger.runOf(index);
      try {
        const run = await effects.startOf(index, id, attempt);
        this.#faults.forget(id);
        return run;
      } catch (error) {
        effects.unprepared(index, error);
        return this.#faults.isFinal(id, Date.now()) ? UNPREPARED : null;
      }
    };
    return new Map(
      await Promise.all(indices.map(async (index) => [index, await prepare(index)] as const)),
    );
  }

  /** Offers runs to the workspace, and reports the ends that wait. Notes the room that the batch has then. */
  async #ask(...[offer, wanted, runs]: OfferedRuns): Promise<AdmitBatchReply> {
    const { batch, effects, waitUntil } = this.#parts;
    const told = this.#starts.takeEnds(ADMIT_RUNS_MAX);
    const reply = await effects.admit(offer, wanted, runs, told);
    batch.runsEnded(reply.ends);
    if (reply.is_heard) {
      this.#starts.isHeard = true;
      for (const { run_id: run } of told) {
        waitUntil(effects.handOver(run));
      }
    }
    this.#room = reply.room;
    return reply;
  }

  /** Goes on with items and ends that have waited for starts to return. */
  async #goOn(): Promise<void> {
    if ((this.#isHeld || this.#starts.endCount > 0) && !this.#starts.isBusy) {
      this.#isHeld = false;
      await this.turn();
    }
  }
}

type OfferOutcome = Parameters<LiveBatch["settleOffers"]>[0][number];
type OfferedRuns = Parameters<BatchEffects["admit"]>;

/** A run that is just being started cannot be cancelled yet. */
const CANCEL_AGAIN_MS = 1_000;

function lackOf(
  { balance_milli_credits: balance }: { balance_milli_credits: number },
  cost: number,
) {
  return `The run may cost up to ${String(cost)} milli-credits and the balance is ${String(balance)}.`;
}
