import {
  ADMIT_RUNS_MAX,
  type AdmitBatchReply,
  type CloseRequest,
} from "../../src/contracts/workspaces/admission.ts";
import type { ObjectAlarm } from "../shared/object-alarm.ts";
import { byGroup, mayBeGrouped } from "../../src/domain/batches/group-starts.ts";
import type { AdmittedRun, BatchEffects, PreparedRun, StartedRun } from "./batch-effects.ts";
import type { StartTurns } from "./start-turns.ts";
import type { LiveBatch } from "./live-batch.ts";

interface DriverParts {
  readonly batch: LiveBatch;
  readonly effects: BatchEffects;
  readonly alarm: ObjectAlarm;
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** Longest time without a look at the batch while it is live. */
  readonly watchdogMs: number;
  readonly turns: StartTurns;
  /** Admitted runs that have not started, while groups carry them out: a call for each half, and a commit of the workspace. */
  readonly groupedMax: number;
}

/** Moves a batch on: offers its items for admission, starts and cancels their runs, and keeps the workspace's list. */
export class BatchDriver {
  readonly #parts: DriverParts;
  #turning: Promise<void> | undefined;
  #isAgain = false;
  /** Items that the workspace has room for, as far as it has said. */
  #room = 0;
  /** Runs whose cancellation was requested. */
  readonly #cancelled = new Set<string>();
  /** Admitted runs whose start has not returned: those that are being started, and those that wait for their turn. */
  #unstarted = 0;
  /** Whether items wait for these starts. */
  #isHeld = false;
  /** Ends of runs that the workspace has not been told of. Lost with the memory: their runs then report them. */
  #ends: CloseRequest[] = [];
  /** Whether webhook endpoints receive the ends of the batch's runs, which then report them themselves. */
  #isHeard = false;
  #isCancelling = false;
  /** Whether runs of the last call to a group ended at once; undefined before the first. */
  #areQuick: boolean | undefined;

  constructor(parts: DriverParts) {
    this.#parts = parts;
  }

  /** Does all that is due now; calls that overlap share one turn. Never throws: the alarm repeats what fails. */
  turn(room = 0): Promise<void> {
    this.#room = Math.max(this.#room, room);
    this.#isAgain = true;
    this.#turning ??= this.#turn().finally(() => {
      this.#turning = undefined;
    });
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
    const { batch, effects, alarm, watchdogMs } = this.#parts;
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
    const { ledger } = batch;
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
    if (batch.isListed && batch.events.length === 0) {
      return;
    }
    const listeners = await effects.list(status);
    if (!batch.isListed) {
      batch.listed(status);
    }
    for (const event of batch.events) {
      await effects.announce(event, listeners);
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

  /** Requests the cancellation of live runs beside the turn, which a caller of a cancel waits for. */
  #cancelLive(): void {
    const { batch, effects, waitUntil } = this.#parts;
    if (batch.ledger.facts.cancel_requested_at_ms === null || this.#isCancelling) {
      return;
    }
    const live = batch.ledger.live
      .map((index) => batch.ledger.runOf(index))
      .filter((run) => !this.#cancelled.has(run));
    const cancelAll = async () => {
      for (let at = 0; at < live.length; at += CANCELS_AT_ONCE) {
        await Promise.all(
          live.slice(at, at + CANCELS_AT_ONCE).map(async (run) => {
            if (await effects.cancel(run)) {
              this.#cancelled.add(run);
            }
          }),
        );
      }
    };
    this.#isCancelling = true;
    waitUntil(
      cancelAll().finally(() => {
        this.#isCancelling = false;
      }),
    );
  }

  /** True if there may be room for more. */
  async #admit(): Promise<boolean> {
    const { batch, effects } = this.#parts;
    const wanted = batch.wantedAfter(this.#ends.length);
    if (wanted === 0 && this.#ends.length === 0) {
      if (this.#hasAsked) {
        this.#hasAsked = false;
        await this.#ask(0, 0, []);
      }
      return false;
    }
    const free = this.#unstartedMax - this.#unstarted;
    if (free < this.#unstartedMax / 2) {
      this.#isHeld = true;
      return false;
    }
    this.#hasAsked = wanted > 0;
    // Each end leaves a slot, which the batch mostly gets again: the workspace decides.
    const most = Math.min(
      Math.max(this.#room, this.#ends.length),
      batch.wanted,
      ADMIT_RUNS_MAX,
      free,
    );
    this.#room = 0;
    if (most === 0) {
      await this.#ask(0, wanted, []);
      return this.#room > 0 && batch.wanted > 0;
    }
    const { attempt } = batch.ledger.facts;
    const prepare = (index: number) => effects.startOf(index, batch.ledger.runOf(index), attempt);
    // What a retried item costs is known only once it is compared with its last run and bound to the batch's version.
    const retried = new Map<number, PreparedRun>(
      attempt === 1
        ? []
        : await Promise.all(
            batch.next(most).map(async (index) => [index, await prepare(index)] as const),
          ),
    );
    for (const [index, run] of retried) {
      if ("worst" in run && run.worst !== undefined) {
        batch.costsAtMost(index, run.worst);
      }
    }
    const offered = batch.offer(most);
    if (offered.length === 0) {
      if (this.#ends.length > 0) {
        await this.#ask(0, batch.wantedAfter(this.#ends.length), []);
        return true;
      }
      return false;
    }
    const prepared = await Promise.all(
      offered.map(async (index) => ({
        index,
        run: retried.get(index) ?? (await prepare(index)),
      })),
    );
    const ready = prepared.flatMap(({ index, run }) => ("start" in run ? [{ index, run }] : []));
    const runs = ready.map(({ run }) => run);
    const { offers } = batch.ledger.facts;
    const { outcomes } = await this.#ask(offers, Math.max(wanted, runs.length), runs);
    batch.settleOffers([
      ...prepared.flatMap(({ index, run }) =>
        "start" in run ? [] : [{ index, kind: "refused" as const, ...run }],
      ),
      ...ready.map(({ index, run }, at) => {
        const outcome = outcomes[at];
        switch (outcome?.kind) {
          case "admitted":
          case "known":
            return { index, kind: "accepted" as const };
          case "insufficient_credits":
            return { index, kind: "refused" as const, message: lackOf(outcome, run.liability) };
          default:
            return { index, kind: "withdrawn" as const };
        }
      }),
    ]);
    this.#startAll(
      outcomes.flatMap((outcome, at) => {
        const start = runs[at]?.start;
        return outcome.kind === "admitted" && start !== undefined
          ? [{ ...start, ...outcome.start }]
          : [];
      }),
    );
    return this.#room > 0;
  }

  /** Offers runs to the workspace, and reports the ends that wait. Notes the room that the batch has then. */
  async #ask(...[offer, wanted, runs]: OfferedRuns): Promise<AdmitBatchReply> {
    const { batch, effects, waitUntil } = this.#parts;
    const told = this.#ends.splice(0, ADMIT_RUNS_MAX);
    const reply = await effects.admit(offer, wanted, runs, told);
    batch.runsEnded(reply.ends);
    if (reply.is_heard) {
      this.#isHeard = true;
      for (const { run_id: run } of told) {
        waitUntil(effects.handOver(run));
      }
    }
    this.#room = reply.room;
    return reply;
  }

  /** Starts admitted runs: those that may end at once in their groups, the others in their own objects. */
  #startAll(runs: readonly AdmittedRun[]): void {
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
    const started = await this.#parts.effects.startGroup(runs);
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
    await this.#goOn();
    await Promise.all(last);
  }

  /** Starts an admitted run in its own object. */
  async #start(run: AdmittedRun): Promise<void> {
    this.#note(
      run,
      await this.#parts.turns.take(() => this.#parts.effects.start(run, this.#isHeard)),
    );
    await this.#goOn();
  }

  #note({ run_id: id }: AdmittedRun, { end, outputs }: StartedRun): void {
    this.#unstarted -= 1;
    if (outputs !== null) {
      this.#parts.batch.keepOutputs(id, outputs);
    }
    if (end !== null) {
      this.#ends.push(end);
    }
  }

  /** Goes on with items and ends that have waited for starts to return. */
  async #goOn(): Promise<void> {
    if ((this.#isHeld || this.#ends.length > 0) && this.#unstarted <= this.#unstartedMax / 2) {
      this.#isHeld = false;
      await this.turn();
    }
  }

  /** Runs that hand over events themselves are not grouped. */
  get #isGrouping(): boolean {
    return !this.#isHeard && this.#areQuick !== false;
  }

  get #unstartedMax(): number {
    return this.#isGrouping && this.#areQuick === true ? this.#parts.groupedMax : UNSTARTED_MAX;
  }

  /** Whether the workspace may believe that the batch wants slots. */
  #hasAsked = false;
}

type OfferedRuns = Parameters<BatchEffects["admit"]>;

/** A run that is just being started cannot be cancelled yet. */
const CANCEL_AGAIN_MS = 1_000;
/** Admitted runs that have not started: half of them are admitted by one call, while the others are started. */
const UNSTARTED_MAX = 16;
/** Concurrent cancellations. */
const CANCELS_AT_ONCE = 50;

function lackOf(
  { balance_milli_credits: balance }: { balance_milli_credits: number },
  cost: number,
) {
  return `The run may cost up to ${String(cost)} milli-credits and the balance is ${String(balance)}.`;
}
