/**
 * One endpoint with its runs, its queue, its sender and its receiver, on a simulated clock. The delivery scheduler and
 * the alarm are the real ones; all messages between them are lost, repeated and delayed, and each part is killed
 * between any two steps.
 */
import { EndpointAlarms } from "../../../durable-objects/webhook-endpoint/endpoint-alarms.ts";
import type { EndpointAction } from "../../../src/domain/webhooks/endpoints/decide-endpoint.ts";
import {
  DeliveryScheduler,
  IN_FLIGHT_MAX,
  type LeasedAttempt,
} from "../../../src/domain/webhooks/deliveries/delivery-scheduler.ts";
import type { AttemptOutcome } from "../../../src/domain/webhooks/deliveries/delivery-record.ts";
import { RETRY_STEPS_MS } from "../../../src/domain/webhooks/deliveries/next-attempt.ts";
import type { SeededRandom } from "../seeded-random.ts";
import { EventQueue } from "./event-queue.ts";
import { finishedEvent, MemorySchedulerRows, newEndpoint } from "./memory-scheduler-rows.ts";
import { anyResponse, type Request, SimulatedReceiver } from "./simulated-receiver.ts";
import type { WorldOptions } from "./world-options.ts";

const HOUR = 3_600_000;
const ATTEMPT_MAX_MS = 15_000;
/** Thrown to simulate a kill: uncommitted data is gone. */
class Killed extends Error {}

interface Run {
  readonly eventId: string;
  readonly endedMs: number;
  /** Some hand-over found the endpoint in a state that accepts events; if its response is lost, it is repeated. */
  isTaken: boolean | undefined;
  isClosed: boolean;
}

export class WebhookWorld {
  readonly runs: Run[] = [];
  readonly answered2xx = new Set<string>();
  readonly rows: MemorySchedulerRows;
  nowMs = 1_800_000_000_000;
  steps = 0;
  kills = 0;
  sent = 0;

  readonly #random: SeededRandom;
  readonly #options: WorldOptions;
  readonly #queue = new EventQueue();
  #boot = 1;
  #scheduler: DeliveryScheduler;
  #alarms: EndpointAlarms;
  /** The platform keeps it over any kill. */
  #alarmMs: number | null = null;
  #isHinted = false;
  #ids = 0;
  /** The sender's lifetime: its attempts in flight are lost with it. */
  #sender = { life: 0, inFlight: 0 };
  readonly #receiver = new SimulatedReceiver();

  constructor(random: SeededRandom, options: WorldOptions) {
    this.#random = random;
    this.#options = options;
    this.rows = new MemorySchedulerRows(newEndpoint(this.nowMs));
    [this.#scheduler, this.#alarms] = this.#wakeObject();
  }

  get violations(): string[] {
    return this.#receiver.violations;
  }

  /** Runs until nothing is left to do; at most `maxMs` of simulated time. */
  run(maxMs = 80 * HOUR): void {
    const endMs = this.nowMs + maxMs;
    const spanMs = this.#options.changes ? 20 * HOUR : 10_000;
    this.#prove();
    for (let i = 0; i < this.#options.events; i++) {
      const run: Run = {
        eventId: `evt_${i}`,
        endedMs: this.nowMs + Math.floor(this.#random.next() * spanMs),
        isTaken: undefined,
        isClosed: false,
      };
      this.runs.push(run);
      this.#at(run.endedMs, "hand over", () => this.#handOver(run));
    }
    if (this.#options.changes) {
      for (let at = HOUR / 2; at < 22 * HOUR; at += this.#random.next() * 3 * HOUR) {
        this.#at(this.nowMs + at, "change", () => this.#changeSomething());
      }
      this.#at(this.nowMs + 22.5 * HOUR, "settle down", () => this.#reactivate());
    }
    for (;;) {
      const event = this.#queue.take();
      if (event === undefined || event.atMs > endMs) {
        return;
      }
      this.nowMs = Math.max(this.nowMs, event.atMs);
      try {
        event.act();
      } catch (error) {
        if (!(error instanceof Killed)) {
          throw error;
        }
      }
    }
  }

  // What happens

  /** An ended run: its outbox row is stored, and its alarm repeats until all receivers have the event. */
  #handOver(run: Run): void {
    if (run.isClosed) {
      return;
    }
    this.#at(this.nowMs + 15_000, "hand over", () => this.#handOver(run));
    this.#step("run: before the hand-over");
    const isTaken = this.#objectCall(() => this.#scheduler.accept(finishedEvent(run.eventId)));
    run.isTaken = run.isTaken === true || isTaken;
    this.#step("run: the answer of the hand-over is lost");
    run.isClosed = true;
  }

  #alarm(atMs: number): void {
    if (this.#alarmMs !== atMs) {
      return;
    }
    this.#alarmMs = null;
    this.#alarms.fired();
    try {
      this.#step("object: the alarm is cut off");
      this.#scheduler.sweep();
      this.#isHinted = false;
      this.#goOn();
    } catch (error) {
      // The platform repeats an alarm that was interrupted.
      this.#setAlarm(Math.floor(this.nowMs) + 2_000);
      throw error;
    }
  }

  #goOn(): void {
    if (!this.#isHinted && this.#scheduler.hasWork) {
      this.#isHinted = true;
      this.#alarms.hinted(this.nowMs);
      const copies = this.#random.next() < 0.1 ? 0 : this.#random.next() < 0.1 ? 2 : 1;
      for (let copy = 0; copy < copies; copy++) {
        this.#at(this.nowMs + this.#random.next() * 2_000, "hint", () => this.#wakeSender());
      }
    }
    this.#alarms.arm(this.nowMs, {
      workMs: this.#scheduler.nextDueMs,
      isInFlight: this.#scheduler.isInFlight,
      purgeMs: null,
      isSynced: true,
    });
  }

  #wakeSender(): void {
    this.#step("sender: the hint is lost with it");
    const room = IN_FLIGHT_MAX - this.#sender.inFlight;
    if (room > 0) {
      this.#start(this.#claim(room));
    }
  }

  #claim(max: number): readonly LeasedAttempt[] {
    const claimed = this.#objectCall(() => {
      this.#isHinted = false;
      return this.#scheduler.claim(max);
    });
    const {
      status,
      url,
      url_revision: revision,
      verified_revision: verified,
    } = this.rows.endpoint();
    for (const attempt of claimed) {
      if (status !== "active" || verified !== revision || !this.#receiver.isProven(url)) {
        this.violations.push(`an attempt was let out to ${attempt.url}, which is ${status}`);
      }
    }
    this.#step("sender: claimed attempts are lost");
    return claimed;
  }

  #start(attempts: readonly LeasedAttempt[]): void {
    for (const attempt of attempts) {
      this.#make(attempt);
    }
  }

  #make({ delivery, url }: LeasedAttempt): void {
    const sender = this.#sender;
    const { id, event_id: eventId } = delivery;
    sender.inFlight++;
    this.sent++;
    const request: Request = { deliveryId: id, eventId, atMs: this.nowMs, endMs: Infinity };
    this.#receiver.begin(request, url, delivery.lease?.url_revision ?? 0, this.rows.body(id));
    const response = (this.#options.answer ?? anyResponse)(this.#random);
    const delayMs = Math.min(response.delayMs, ATTEMPT_MAX_MS);
    const isLate = response.delayMs > ATTEMPT_MAX_MS;
    this.#at(this.nowMs + delayMs, "answer", () => {
      if (sender !== this.#sender) {
        return;
      }
      request.endMs = this.nowMs;
      this.#receiver.end(request);
      const status = isLate ? null : response.status;
      if (status !== null && status >= 200 && status < 300) {
        this.answered2xx.add(eventId);
      }
      const asked = isLate ? undefined : response.retryAfter?.(this.nowMs);
      const outcome: AttemptOutcome = {
        duration_ms: delayMs,
        response_status: status,
        error_code: isLate ? "timeout" : null,
        response_excerpt: "",
        retry_after: asked?.header ?? null,
      };
      try {
        this.#report(delivery, outcome, asked?.floorMs ?? null);
      } finally {
        if (sender === this.#sender) {
          sender.inFlight--;
        }
      }
    });
  }

  #report(
    delivery: LeasedAttempt["delivery"],
    outcome: AttemptOutcome,
    floorMs: number | null,
  ): void {
    this.#step("sender: a report is lost with it");
    const { id, fence } = delivery;
    const isTaken = this.#objectCall(() => this.#scheduler.report(id, fence, outcome));
    const status = outcome.response_status;
    const failed = status === null || status < 200 || status >= 300;
    if (isTaken && failed) {
      const failures = this.rows.find(id)?.failures ?? 0;
      const waitMs = 0.8 * (RETRY_STEPS_MS[failures - 1] ?? 0);
      const deadlineMs = this.rows.find(id)?.deadline_at_ms ?? 0;
      // The deadline limits the schedule, but not a delay that the receiver requested.
      const atMs = Math.max(Math.min(this.nowMs + waitMs, deadlineMs), floorMs ?? 0);
      this.#receiver.expectNotBefore(id, atMs, delivery.lease?.url_revision ?? 0);
    }
    this.#step("sender: the answer to a report is lost with it");
    this.#start(this.#claim(IN_FLIGHT_MAX - (this.#sender.inFlight - 1)));
  }

  #changeSomething(): void {
    const { url_revision: revision } = this.rows.endpoint();
    const choice = this.#random.next();
    if (choice < 0.35) {
      this.#apply({ type: "pause" });
    } else if (choice < 0.6) {
      this.#apply({
        type: "patch",
        changes: { url: `https://receiver.example/${revision + 1}` },
      });
    } else {
      this.#reactivate();
    }
  }

  #reactivate(): void {
    try {
      const { status } = this.rows.endpoint();
      if (status === "disabled" || status === "pending_verification") {
        this.#test();
      }
      this.#apply({ type: "activate" });
    } catch (error) {
      // Repeated if it was interrupted.
      this.#at(this.nowMs + 60_000, "activate again", () => this.#reactivate());
      throw error;
    }
  }

  #prove(): void {
    this.#receiver.prove(this.rows.endpoint().url);
    this.rows.putEndpoint({
      ...this.rows.endpoint(),
      status: "active",
      verified_revision: 1,
      verified_at_ms: this.nowMs,
      was_verified: true,
    });
  }

  #test(): void {
    const begun = this.#objectCall(() =>
      this.#scheduler.beginTest({
        event_id: `evt_test_${this.#ids}`,
        event_type: "",
        execution: null,
        body: "",
      }),
    );
    if (!begun.ok) {
      return;
    }
    this.#step("test: lost before its report");
    const passes = this.#random.next() < 0.8;
    if (passes) {
      this.#receiver.prove(begun.value.url);
    }
    this.#objectCall(() =>
      this.#scheduler.report(begun.value.delivery.id, begun.value.delivery.fence, {
        duration_ms: 1,
        response_status: passes ? 204 : 410,
        error_code: null,
        response_excerpt: "",
        retry_after: null,
      }),
    );
  }

  #apply(action: EndpointAction): void {
    this.#objectCall(() => this.#scheduler.apply(action));
  }

  // The world's own machinery

  /** A call to the object: its transaction may fail, and its response may be lost after the commit. */
  #objectCall<T>(work: () => T): T {
    if (this.#dies()) {
      this.rows.failNext = new Killed("object: cut off in its transaction");
    }
    try {
      const result = work();
      this.rows.failNext = undefined;
      this.#goOn();
      return result;
    } catch (error) {
      this.rows.failNext = undefined;
      [this.#scheduler, this.#alarms] = this.#wakeObject();
      throw error;
    }
  }

  #wakeObject(): [DeliveryScheduler, EndpointAlarms] {
    this.#isHinted = false;
    const storage = {
      setAlarm: (atMs: number) => {
        this.#setAlarm(atMs);
        return Promise.resolve();
      },
    } as unknown as DurableObjectStorage;
    return [
      new DeliveryScheduler(this.rows, {
        nowMs: () => Math.floor(this.nowMs),
        random: () => this.#random.next(),
        newDeliveryId: () => `whd_${String(this.#ids++).padStart(8, "0")}`,
        boot: `boot ${this.#boot}`,
      }),
      new EndpointAlarms(storage, false),
    ];
  }

  #setAlarm(atMs: number): void {
    this.#alarmMs = atMs;
    this.#at(atMs, "alarm", () => this.#alarm(atMs));
  }

  /** A point where a kill may happen. It also kills the sender, and half of the time the whole process. */
  #step(_what: string): void {
    if (!this.#dies()) {
      return;
    }
    this.#sender = { life: this.#sender.life + 1, inFlight: 0 };
    this.#receiver.cutOff();
    if (this.#random.next() < 0.5) {
      this.#boot++;
      [this.#scheduler, this.#alarms] = this.#wakeObject();
      // A start checks existing alarms; one that was running fires again.
      this.#setAlarm(this.#alarmMs ?? Math.floor(this.nowMs) + 1_000);
    }
    throw new Killed();
  }

  #dies(): boolean {
    const step = this.steps++;
    const dies =
      this.#options.killAtStep === undefined
        ? this.#random.next() < this.#options.killChance
        : step === this.#options.killAtStep;
    this.kills += dies ? 1 : 0;
    return dies;
  }

  #at(atMs: number, what: string, act: () => void): void {
    this.#queue.push(atMs, what, act);
  }
}
