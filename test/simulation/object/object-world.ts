/**
 * The world of one run object: its clock, storage and alarm, the services that it calls, and its callers. The object is
 * the real one; the connections to it lose, repeat, delay and reorder messages, and it dies at any await. A seed
 * determines everything.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { RunObject } from "../../../durable-objects/run/run-object.ts";
import { describeCause } from "../../../src/lib/errors/describe-cause.ts";
import type { Env } from "../../../src/platform/env.ts";
import type { SeededRandom } from "../seeded-random.ts";
import type { Fault } from "./faults.ts";
import { type Happening, HappeningQueue } from "./happening-queue.ts";
import type { SimulatedDeploys } from "./simulated-deploys.ts";
import { setSimulatedClock } from "./simulated-clock.ts";
import { Dead, SimulatedStorage } from "./simulated-storage.ts";
import { StoredRun } from "./stored-run.ts";

/** The platform repeats an alarm that failed. */
const ALARM_RETRY_MS = 2_000;
const DAY_MS = 86_400_000;

/** Who runs the code of a promise: its timers are lost with it. */
export interface Doer {
  isAlive(): boolean;
}

const doers = new AsyncLocalStorage<Doer>();

/** Runs code of another process than the object's. */
export function doneBy<T>(doer: Doer, act: () => T): T {
  return doers.run(doer, act);
}

interface Rpc<T> {
  readonly send: (object: RunObject) => Promise<T>;
  /**
   * Its writes before its first await are durable. A crash may follow while it waits for a call of its own: then
   * neither `onWritten` nor a response follows.
   */
  readonly onKept?: () => void;
  /** Its effects are durable; its response may still be lost. */
  readonly onWritten?: (response: T) => void;
  readonly onResponse?: (response: T) => void;
  /** No response will arrive. The call may still have succeeded. */
  readonly onLost?: () => void;
}

export class ObjectWorld {
  readonly random: SeededRandom;
  readonly storage = new SimulatedStorage();
  readonly stored = new StoredRun(this.storage, () => this.nowMs);
  /** Violated invariants. */
  readonly violations: string[] = [];
  /** Real time; the object's clock may differ. */
  trueMs = 1_800_000_000_000;
  /** Total forward jumps of the object's clock. */
  forwardMs = 0;
  boot = 1;
  crashes = 0;
  /** A deploy between two steps. */
  deploys: SimulatedDeploys | undefined;
  events = 0;

  readonly #faults: ReadonlySet<Fault>;
  readonly #env: () => Env;
  readonly #isForgotten: () => boolean;
  /** A world that keeps dying would also rescue hanging runs. */
  readonly #crashesMax: number;
  #offsetMs = 0;
  readonly #queue = new HappeningQueue();
  #object: RunObject | undefined;
  #life = 0;
  #lateMs = 0;
  #isAlarmLost = false;
  /** Calls in progress whose writes are not durable yet. */
  #unkept: (() => void)[] = [];
  #written: { readonly life: number; readonly deliver: () => void }[] = [];
  readonly #waiting = new Set<() => void>();

  /** `isForgotten` returns whether the run has not ended and only its own alarm would resume it. */
  constructor(
    random: SeededRandom,
    faults: ReadonlySet<Fault>,
    env: () => Env,
    isForgotten: () => boolean,
  ) {
    this.random = random;
    this.#isForgotten = isForgotten;
    this.#faults = faults;
    this.#env = env;
    setSimulatedClock({
      nowMs: () => this.nowMs,
      random: () => random.next(),
      // A pause lets other events in: the rest of the slice is a separate event.
      pause: () => this.#pause(),
      later: (delayMs, act) => this.#later(delayMs, act),
    });
    this.storage.onAlarm = (atMs) => {
      this.#isAlarmLost = atMs !== null && this.strikes("lost alarms", 0.05);
      this.#lateMs = this.strikes("late alarms", 0.2) ? random.int(1, 60_000) : 0;
    };
    this.storage.onFlush = () => {
      for (const keep of this.#unkept.splice(0)) {
        keep();
      }
    };
    this.#crashesMax = random.int(0, 5);
    this.#planJumps();
  }

  /** The object's clock. */
  get nowMs(): number {
    return this.trueMs + this.#offsetMs;
  }

  /** Whether a fault of this kind occurs now. */
  strikes(fault: Fault, chance: number): boolean {
    return this.#faults.has(fault) && this.random.chance(chance);
  }

  after(delayMs: number, act: () => void): void {
    this.#queue.push({ atMs: this.trueMs + delayMs, act });
  }

  /** A call to the object; a crash on the way loses it. */
  rpc<T>({ send, onKept, onWritten, onResponse, onLost }: Rpc<T>): void {
    const life = this.#wake();
    if (onKept !== undefined) {
      this.#unkept.push(onKept);
    }
    const lost = () => {
      this.after(this.random.int(1, 50), () => onLost?.());
    };
    this.#waiting.add(lost);
    const answered = (deliver: () => void) => {
      if (life === this.#life) {
        this.#written.push({
          life,
          deliver: () => {
            this.#waiting.delete(lost);
            deliver();
          },
        });
      }
    };
    this.#inObject(() => sent(send, this.#object!)).then(
      (response) => {
        answered(() => {
          onWritten?.(response);
          this.after(this.random.int(1, 30), () => onResponse?.(response));
        });
      },
      (error: unknown) => {
        this.#threw("a call to the object", error);
        answered(lost);
      },
    );
  }

  /** A call of the object. Its writes become durable before the call leaves. `lateMs`: how much later it is answered. */
  call<T>(make: () => T | Promise<T>, lateMs = 0): Promise<T> {
    if (!this.#leave()) {
      return new Promise(() => {});
    }
    const life = this.#life;
    return new Promise((resolve, reject) => {
      const response = (act: () => void) => {
        this.after(this.random.int(0, 20) + lateMs, () => {
          if (life === this.#life) {
            act();
          }
        });
      };
      const refuse = () => {
        response(() => reject(new Error("refused")));
      };
      if (this.strikes("refused calls", 0.06)) {
        refuse();
        return;
      }
      this.after(this.random.int(0, 20), () => {
        const made = make();
        if (this.strikes("refused calls", 0.1)) {
          void make();
        }
        if (this.strikes("refused calls", 0.06)) {
          refuse();
        } else {
          response(() => resolve(made));
        }
      });
    });
  }

  /** Processes events one after the other until `isOver` or none is left; false if it takes too long. */
  async run(isOver: () => boolean, untilMs: number, eventsMax: number): Promise<boolean> {
    while (!isOver()) {
      const next = this.#next();
      if (next === undefined) {
        return true;
      }
      if (next.atMs > untilMs || this.events > eventsMax) {
        return false;
      }
      this.events++;
      this.trueMs = Math.max(this.trueMs, next.atMs);
      next.act();
      // Promises settle as far as possible without another event.
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      this.#endOfHappening();
    }
    return true;
  }

  /** The last attempt of some task is in progress or pending: losing it would be final. */
  get isCareful(): boolean {
    return this.stored.tasks.some(({ attempt }) => attempt >= 3);
  }

  #planJumps(): void {
    for (let left = this.random.int(-1, 4); left > 0; left--) {
      const isBack = this.random.chance(0.5);
      const byMs = this.random.chance(0.5)
        ? this.random.int(1, 90_000)
        : this.random.int(90_000, DAY_MS);
      this.after(this.random.int(1, this.random.chance(0.5) ? 3_000 : 60_000), () => {
        if (isBack && this.#faults.has("clock back")) {
          this.#offsetMs -= byMs;
        } else if (!isBack && this.#faults.has("clock forward") && !this.isCareful) {
          this.#offsetMs += byMs;
          this.forwardMs += byMs;
        }
      });
    }
  }

  #next(): Happening | undefined {
    const first = this.#queue.first;
    const alarmMs = this.#alarmDueMs();
    if (alarmMs !== null && (first === undefined || alarmMs <= first.atMs)) {
      return { atMs: alarmMs, act: () => this.#fireAlarm() };
    }
    return this.#queue.take();
  }

  #alarmDueMs(): number | null {
    const { alarmMs, runningAlarmMs } = this.storage;
    if (alarmMs === null || runningAlarmMs !== null || this.#isAlarmLost) {
      return null;
    }
    return Math.max(this.trueMs, alarmMs - this.#offsetMs + this.#lateMs);
  }

  #fireAlarm(): void {
    const setForMs = this.storage.alarmMs!;
    this.storage.placeAlarm(null);
    this.storage.runningAlarmMs = setForMs;
    const life = this.#wake();
    // Done once its writes are durable; after an earlier crash the platform repeats it.
    const markDone = () => {
      this.#written.push({
        life,
        deliver: () => {
          this.storage.runningAlarmMs = null;
        },
      });
    };
    const run = async (object: RunObject) => {
      try {
        await object.alarm();
      } catch (error) {
        this.#threw("alarm()", error);
      }
      markDone();
    };
    void this.#inObject(() => run(this.#object!));
  }

  #inObject<T>(act: () => T): T {
    const life = this.#life;
    return doneBy({ isAlive: () => life === this.#life }, act);
  }

  #wake(): number {
    if (this.#object === undefined) {
      this.#life++;
      const ctx = {
        id: {},
        storage: this.storage.open(),
        waitUntil: (work: Promise<unknown>) => {
          work.catch((error: unknown) => this.#threw("waitUntil", error));
        },
      };
      this.#object = new RunObject(ctx as unknown as DurableObjectState, this.#env());
    }
    return this.#life;
  }

  #pause(): Promise<void> {
    if (!this.#leave()) {
      return new Promise(() => {});
    }
    const life = this.#life;
    return new Promise((resolve) => {
      this.after(0, () => {
        if (life === this.#life) {
          resolve();
        }
      });
    });
  }

  /** A timer is in the memory of who sets it and is lost with it. */
  #later(delayMs: number, act: () => void): () => void {
    const doer = doers.getStore();
    let isCalledOff = false;
    this.after(delayMs, () => {
      if (!isCalledOff && doer?.isAlive() !== false) {
        act();
      }
    });
    return () => {
      isCalledOff = true;
    };
  }

  /** The object awaits something: its writes become durable, unless it dies before; false if it died. */
  #leave(): boolean {
    if (this.#maybeCrash(0.02)) {
      return false;
    }
    this.storage.flush();
    return !this.#maybeCrash(0.02);
  }

  #endOfHappening(): void {
    this.#maybeCrash(0.015);
    this.storage.flush();
    const written = this.#written.splice(0);
    for (const { life, deliver } of written) {
      if (life === this.#life) {
        deliver();
      }
    }
    this.#maybeCrash(0.015);
    const { alarmMs, runningAlarmMs } = this.storage;
    if (alarmMs === null && runningAlarmMs === null && this.#isForgotten()) {
      this.violations.push(`nobody will see the run to its end, ${this.events} happenings in`);
    }
  }

  #maybeCrash(chance: number): boolean {
    if (this.deploys?.strikes() === true) {
      this.#crash();
      this.deploys.look();
      return true;
    }
    if (this.#object === undefined || this.crashes >= this.#crashesMax) {
      return false;
    }
    if (this.strikes("machine crashes", chance / 2)) {
      this.boot++;
      this.#crash();
      return true;
    }
    if (this.strikes("object crashes", chance) && !this.isCareful) {
      this.#crash();
      return true;
    }
    return false;
  }

  #crash(): void {
    this.crashes++;
    this.#life++;
    this.#object = undefined;
    this.#unkept = [];
    this.storage.crash();
    if (this.storage.runningAlarmMs !== null) {
      this.storage.runningAlarmMs = null;
      if (this.storage.alarmMs === null) {
        this.storage.placeAlarm(this.nowMs + ALARM_RETRY_MS);
        this.#isAlarmLost = false;
        this.#lateMs = 0;
      }
    }
    for (const lost of this.#waiting) {
      lost();
    }
    this.#waiting.clear();
  }

  #threw(where: string, error: unknown): void {
    if (!(error instanceof Dead)) {
      this.violations.push(`${where} threw ${JSON.stringify(describeCause(error))}`);
    }
  }
}

/** A call that throws before its first await is refused like one that throws later. */
function sent<T>(send: (object: RunObject) => Promise<T>, object: RunObject): Promise<T> {
  try {
    return send(object);
  } catch (error) {
    return Promise.reject(error as Error);
  }
}
