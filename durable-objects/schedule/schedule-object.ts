import { DurableObject } from "cloudflare:workers";
import type { Execution } from "../../src/contracts/runs/run.ts";
import type {
  ChangedSchedule,
  ChangeScheduleRequest,
  FiringRow,
  ScheduleObjectApi,
  ScheduleRecord,
  ScheduleState,
  TriggerRequest,
} from "../../src/contracts/schedules/schedule-object-api.ts";
import {
  changeClock,
  needsLiveRuns,
  nextStep,
  nextWakeMs,
  noteRefused,
  noteStarted,
  noteTriggered,
  pauseClock,
  resumeClock,
  takeDue,
} from "../../src/domain/schedules/clock/clock-rules.ts";
import { newClock } from "../../src/domain/schedules/clock/clock-state.ts";
import { clockRules, isRetimed, stateOf } from "../../src/domain/schedules/schedule-clock.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import { type Failure, fail, failureOfError, ok, type Result } from "../../src/lib/result.ts";
import { isEnvUsable } from "../../src/platform/check-env.ts";
import type { Env } from "../../src/platform/env.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { parseEntries } from "../shared/entries.ts";
import { ObjectAlarm } from "../shared/object-alarm.ts";
import { ScheduleEffects, type StartOutcome } from "./schedule-effects.ts";
import { SCHEDULE_ENTRIES } from "./schedule-entries.ts";
import { ScheduleStore, type TriggerCall } from "./schedule-store.ts";

/** A creation has inserted its row long before. */
const UNCREATED_MS = 15 * 60_000;
/** Delay after which the object looks for the row of a creation that has not confirmed it. */
const CONFIRM_AGAIN_MS = 5_000;
/** Delay after a failure, when a store or another object is unavailable. */
const AGAIN_MS = 2_000;

interface OfWorkspace {
  readonly v: 1;
  readonly workspace_id: string;
}

/**
 * One schedule; its alarm is the clock. This class is the RPC surface and the loop, `domain/schedules/clock` makes the
 * decisions, ScheduleStore has the rows.
 *
 * A start is stored before it is made and names its run by schedule and nominal time, so that a start that is cut off is
 * made again and finds the run of the first attempt. Nothing but its outcome ends it.
 */
export class ScheduleObject extends DurableObject<Env> implements ScheduleObjectApi {
  readonly #store = new ScheduleStore(this.ctx.storage);
  readonly #effects = new ScheduleEffects(this.env, (promise) => this.ctx.waitUntil(promise));
  readonly #alarm = new ObjectAlarm(this.ctx.storage, {
    object: "schedule",
    failedEvent: "schedule.failed",
    retryMs: AGAIN_MS,
  });
  readonly #wokeMs = Date.now();

  create({ record }: { v: 1; record: ScheduleRecord }): Promise<ScheduleState> {
    if (this.#store.lastRecord === undefined) {
      this.#store.create(record, newClock(record.created_at_ms), this.env.BOOT_ID);
      this.#alarm.arm(Date.now() + CONFIRM_AGAIN_MS);
    }
    return Promise.resolve(this.#state(this.#store.lastRecord ?? record));
  }

  confirm(request: OfWorkspace): Promise<void> {
    const record = this.#recordOf(request);
    if (record !== undefined && !this.#store.isConfirmed) {
      this.#store.confirm();
      this.#arm(record);
    }
    return Promise.resolve();
  }

  read(
    request: OfWorkspace & { readonly tells_elsewhere?: boolean },
  ): Promise<ScheduleState | "elsewhere" | null> {
    const record = this.#recordOf(request);
    if (record !== undefined) {
      return Promise.resolve(this.#state(record));
    }
    const isElsewhere = this.#store.record !== undefined && this.#store.isConfirmed;
    return Promise.resolve(isElsewhere && request.tells_elsewhere === true ? "elsewhere" : null);
  }

  async change(request: ChangeScheduleRequest): Promise<Result<ChangedSchedule>> {
    const before = this.#recordOf(request);
    if (before === undefined) {
      return gone();
    }
    if (before.revision !== request.base_revision) {
      return ok({ kind: "moved" });
    }
    const record = this.#changed(before, request.fields);
    const nowMs = Date.now();
    this.#store.transaction(() => {
      this.#store.putRecord(record);
      const { state, firings } = changeClock(this.#store.clock, clockRules(record), {
        isRetimed: isRetimed(before, record),
        nowMs,
      });
      this.#store.advance(state, firings);
    });
    await this.#list(record);
    this.#arm(record);
    return ok({ kind: "changed", state: this.#state(record) });
  }

  async setStatus(
    request: OfWorkspace & { readonly action: "pause" | "resume" },
  ): Promise<Result<ScheduleState>> {
    const before = this.#recordOf(request);
    if (before === undefined) {
      return gone();
    }
    const { clock } = this.#store;
    if (clock.status === "ended" && request.action === "resume") {
      return fail(
        "invalid_state",
        `The schedule ${before.id} has ended. Change its ends_at or max_runs, or create another one.`,
      );
    }
    if (clock.status !== (request.action === "pause" ? "active" : "paused")) {
      return ok(this.#state(before));
    }
    const record = this.#changed(before, {});
    const rules = clockRules(record);
    const { state, firings } =
      request.action === "pause"
        ? pauseClock(clock)
        : { state: resumeClock(clock, rules, Date.now()), firings: [] };
    this.#store.transaction(() => {
      this.#store.putRecord(record);
      this.#store.advance(state, firings);
    });
    await this.#list(record);
    this.#arm(record);
    return ok(this.#state(record));
  }

  async remove(request: OfWorkspace): Promise<void> {
    const record = this.#recordOf(request);
    if (record !== undefined) {
      this.#store.markDeleted(Date.now());
      this.#alarm.arm(Date.now() + AGAIN_MS);
      await this.#effects.unlist(record);
    }
  }

  async trigger(request: TriggerRequest): Promise<Result<Execution>> {
    const record = this.#recordOf(request);
    if (record === undefined) {
      return gone();
    }
    const call = this.#store.addTrigger(request.key, Date.now());
    this.#alarm.arm(Date.now() + AGAIN_MS);
    const outcome = await this.#makeTriggered(record, call);
    switch (outcome.kind) {
      case "started":
        return ok(outcome.execution);
      case "refused":
        return failureOfError(outcome.refusal);
      case "unknown":
        return fail("service_unavailable", "The run could not be started now. Try again.", {
          headers: { "retry-after": "1" },
        });
    }
  }

  listFirings(
    request: OfWorkspace & { readonly limit: number; readonly below_seq: number | null },
  ): Promise<{ readonly rows: readonly FiringRow[]; readonly total: number }> {
    return Promise.resolve(
      this.#recordOf(request) === undefined
        ? { rows: [], total: 0 }
        : this.#store.listFirings(request.limit, request.below_seq),
    );
  }

  override alarm(): Promise<void> {
    return this.#alarm.fire(async () => {
      const last = this.#store.lastRecord;
      if (last === undefined) {
        return;
      }
      if (this.#store.record === undefined) {
        await this.#effects.unlist(last);
        await this.#store.forget();
        return;
      }
      if (!this.#store.isConfirmed && !(await this.#confirmOrForget(last))) {
        return;
      }
      for (const call of this.#store.triggers()) {
        const outcome = await this.#makeTriggered(last, call);
        if (outcome.kind === "unknown") {
          throw outcome.cause;
        }
      }
      await this.#run();
      const { record } = this.#store;
      if (record !== undefined) {
        await this.#list(record);
        this.#arm(record);
      } else {
        this.#alarm.arm(Date.now() + AGAIN_MS);
      }
    });
  }

  /** Makes every start that is due. Other calls may change the schedule at each `await`. */
  async #run(): Promise<void> {
    for (;;) {
      const { record } = this.#store;
      if (record === undefined) {
        return;
      }
      const rules = clockRules(record);
      const taken = takeDue(this.#store.clock, rules, this.#moment());
      this.#store.advance(taken.state, taken.firings);
      this.#store.noteBoot(this.env.BOOT_ID);
      if (needsLiveRuns(this.#store.clock, rules)) {
        const looked = this.#store.clock.live;
        const live = await this.#effects.liveOf(record, looked);
        const { clock } = this.#store;
        const ended = new Set(looked.filter((run) => !live.includes(run)));
        this.#store.advance({ ...clock, live: clock.live.filter((run) => !ended.has(run)) }, []);
      }
      if (this.#store.record !== record) {
        // Changed meanwhile: other rules.
        continue;
      }
      const step = nextStep(this.#store.clock, rules, Date.now());
      this.#store.advance(step.state, step.firings);
      if (step.kind === "settled") {
        return;
      }
      if (step.kind === "cancel") {
        await this.#effects.cancel(record, step.runs);
        continue;
      }
      await this.#start(record, step);
    }
  }

  async #start(
    record: ScheduleRecord,
    { nominalMs, isRepeat }: { readonly nominalMs: number; readonly isRepeat: boolean },
  ): Promise<void> {
    const outcome = await this.#effects.start(record, {
      key: new Date(nominalMs).toISOString(),
      scheduledForMs: nominalMs,
      isRepeat,
      recorded: () => this.#store.recordedRuns(),
    });
    if (this.#store.lastRecord === undefined) {
      return;
    }
    const nowMs = Date.now();
    const { clock } = this.#store;
    switch (outcome.kind) {
      case "started": {
        const { state, firings } = noteStarted(clock, nominalMs, outcome.execution.id, nowMs);
        this.#store.advance(state, firings);
        return;
      }
      case "refused": {
        const { run, refusal } = outcome;
        const { state, firings } = noteRefused(
          clock,
          nominalMs,
          { code: refusal.code, run },
          nowMs,
        );
        this.#store.advance(state, firings);
        return;
      }
      case "unknown":
        throw outcome.cause;
    }
  }

  async #makeTriggered(record: ScheduleRecord, call: TriggerCall): Promise<StartOutcome> {
    const outcome = await this.#effects.start(record, {
      key: `trigger ${call.key}`,
      scheduledForMs: call.at_ms,
      isRepeat: call.isRepeat,
      recorded: () => this.#store.recordedRuns(),
    });
    if (this.#store.lastRecord === undefined) {
      return outcome;
    }
    if (outcome.kind === "started") {
      const { state, firings } = noteTriggered(this.#store.clock, call.at_ms, {
        run: outcome.execution.id,
        nowMs: Date.now(),
      });
      this.#store.endTrigger(call.key, state, firings);
    } else if (outcome.kind === "refused") {
      this.#store.dropTrigger(call.key);
    }
    return outcome;
  }

  /** Whether the creation of the schedule was committed. One that never was is forgotten. */
  async #confirmOrForget(record: ScheduleRecord): Promise<boolean> {
    if (await this.#effects.isCreated(record)) {
      this.#store.confirm();
      return true;
    }
    if (Date.now() >= record.created_at_ms + UNCREATED_MS) {
      await this.#store.forget();
    } else {
      this.#alarm.arm(Date.now() + CONFIRM_AGAIN_MS);
    }
    return false;
  }

  #changed(record: ScheduleRecord, fields: Partial<ScheduleRecord>): ScheduleRecord {
    return { ...record, ...fields, revision: record.revision + 1, updated_at_ms: Date.now() };
  }

  /** Updates the row for lists before the response; a failure is left to the alarm. */
  async #list(record: ScheduleRecord): Promise<void> {
    if (this.#store.isListed) {
      return;
    }
    this.#alarm.arm(Date.now() + AGAIN_MS);
    try {
      const { status } = this.#store.clock;
      await this.#effects.list(record, status);
      this.#store.markListed(record, status);
    } catch (error) {
      createLogger({ service: "edgeloom", object: "schedule" }).error(
        "schedule.lists_left_to_the_alarm",
        { schedule_id: record.id, cause: describeCause(error) },
      );
    }
  }

  /** Sets the alarm to the next time at which the clock has work, which may be later than the time it was set to. */
  #arm(record: ScheduleRecord): void {
    const nowMs = Date.now();
    const wakes = [
      this.#store.isConfirmed ? null : nowMs + CONFIRM_AGAIN_MS,
      this.#store.isListed && this.#store.triggers().length === 0 ? null : nowMs + AGAIN_MS,
      this.#store.isConfirmed ? nextWakeMs(this.#store.clock, clockRules(record), nowMs) : null,
    ].filter((ms) => ms !== null);
    if (wakes.length > 0) {
      this.#alarm.moveTo(Math.min(...wakes));
    } else {
      this.#alarm.disarm();
    }
  }

  /** A clock that was last looked at by another start of the service cannot have fired before this object woke. */
  #moment() {
    return {
      nowMs: Date.now(),
      runningSinceMs: this.#store.boot === this.env.BOOT_ID ? -Infinity : this.#wokeMs,
    };
  }

  #state(record: ScheduleRecord): ScheduleState {
    return stateOf(record, clockRules(record), this.#store.clock);
  }

  #recordOf({ workspace_id }: OfWorkspace): ScheduleRecord | undefined {
    const { record } = this.#store;
    return record?.workspace_id === workspace_id ? record : undefined;
  }
}

function gone(): Failure {
  return fail("not_found", "There is no such schedule. It may have been deleted.");
}

parseEntries(ScheduleObject, isEnvUsable, SCHEDULE_ENTRIES);
