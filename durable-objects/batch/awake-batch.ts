import type { BatchRecord } from "../../src/contracts/batches/batch-object-api.ts";
import type { Env } from "../../src/platform/env.ts";
import type { ObjectAlarm } from "../shared/object-alarm.ts";
import { BatchDriver } from "./batch-driver.ts";
import { BatchEffects } from "./batch-effects.ts";
import type { BatchStore } from "./batch-store.ts";
import { LiveBatch } from "./live-batch.ts";
import { StartTurns } from "./start-turns.ts";

/** A batch in memory, rebuilt from its rows when its object wakes, with what moves it on. */
export interface AwakeBatch {
  readonly batch: LiveBatch;
  readonly effects: BatchEffects;
  readonly driver: BatchDriver;
}

interface ObjectParts {
  readonly env: Env;
  readonly store: BatchStore;
  readonly alarm: ObjectAlarm;
  /** Longest time without a look at the batch while it is live. */
  readonly watchdogMs: number;
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** Called after each commit that made an event. */
  readonly onEvents: () => void;
  /** Called if a change could not be stored, which memory is ahead of then. */
  readonly onFault: () => void;
}

/** The batch of the object. `record` is the record from before a retry could change it. */
export function awakeBatch(
  { env, store, alarm, watchdogMs, waitUntil, onEvents, onFault }: ObjectParts,
  record: BatchRecord,
): AwakeBatch {
  const isLocal = env.ENVIRONMENT === "local";
  const batch = new LiveBatch(store, record, onFault);
  batch.onEvents = onEvents;
  const effects = new BatchEffects(env, () => store.record ?? record, store, waitUntil);
  const driver = new BatchDriver({
    batch,
    effects,
    alarm,
    waitUntil,
    watchdogMs,
    turns: startTurns(isLocal),
    groupedMax: isLocal ? LOCAL_GROUPED_MAX : GROUPED_MAX,
  });
  return { batch, effects, driver };
}

/** Concurrent starts of runs: more make single submits wait, and the batch itself is not faster. */
const STARTS_AT_ONCE = 8;
/** The same in the local service. */
const LOCAL_STARTS_AT_ONCE = 2;
/** Runs that are being carried out in groups, or wait for that. Locally each commit of many would keep other requests waiting. */
const GROUPED_MAX = 64;
const LOCAL_GROUPED_MAX = 16;

/**
 * All objects of the local service share one thread, which looks for new requests only once nothing else is ready to go on: while
 * starts follow each other without a pause, no request is answered.
 */
function startTurns(isLocal: boolean): StartTurns {
  return isLocal
    ? new StartTurns(LOCAL_STARTS_AT_ONCE, () => scheduler.wait(0))
    : new StartTurns(STARTS_AT_ONCE);
}
