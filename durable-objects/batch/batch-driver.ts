import { ADMIT_RUNS_MAX } from "../../src/contracts/workspaces/admission.ts";
import type { ObjectAlarm } from "../shared/object-alarm.ts";
import type { BatchEffects, PreparedRun } from "./batch-effects.ts";
import type { LiveBatch } from "./live-batch.ts";

interface DriverParts {
  readonly batch: LiveBatch;
  readonly effects: BatchEffects;
  readonly alarm: ObjectAlarm;
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** Longest time without a look at the batch while it is live. */
  readonly watchdogMs: number;
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
  /** Calls that start an admitted run. */
  #starting = 0;
  /** Whether items wait for these calls. */
  #isHeld = false;
  #isCancelling = false;

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
    const wanted = batch.wanted;
    if (wanted === 0) {
      if (this.#hasAsked) {
        this.#hasAsked = false;
        await effects.admit(0, 0, []);
      }
      return false;
    }
    const free = STARTS_AT_ONCE - this.#starting;
    if (free < STARTS_AT_ONCE / 2) {
      this.#isHeld = true;
      return false;
    }
    this.#hasAsked = true;
    if (this.#room === 0) {
      ({ room: this.#room } = await effects.admit(0, wanted, []));
    }
    const most = Math.min(this.#room, ADMIT_RUNS_MAX, free);
    this.#room = 0;
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
    const { outcomes, room } = await effects.admit(offers, Math.max(wanted, runs.length), runs);
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
    for (const [at, outcome] of outcomes.entries()) {
      const run = runs[at];
      if (outcome.kind === "admitted" && run !== undefined) {
        this.#parts.waitUntil(this.#start(run.start, outcome.start));
      }
    }
    this.#room = room;
    return room > 0;
  }

  /** Starts an admitted run, and goes on with items that have waited for the end of such calls. */
  async #start(...run: Parameters<BatchEffects["start"]>): Promise<void> {
    this.#starting += 1;
    await this.#parts.effects.start(...run);
    this.#starting -= 1;
    if (this.#isHeld && this.#starting <= STARTS_AT_ONCE / 2) {
      this.#isHeld = false;
      await this.turn();
    }
  }

  /** Whether the workspace may believe that the batch wants slots. */
  #hasAsked = false;
}

/** A run that is just being started cannot be cancelled yet. */
const CANCEL_AGAIN_MS = 1_000;
/** Concurrent starts of runs: more make single submits wait, and the batch itself is not faster. */
const STARTS_AT_ONCE = 8;
/** Concurrent cancellations. */
const CANCELS_AT_ONCE = 50;

function lackOf(
  { balance_milli_credits: balance }: { balance_milli_credits: number },
  cost: number,
) {
  return `The run may cost up to ${String(cost)} milli-credits and the balance is ${String(balance)}.`;
}
