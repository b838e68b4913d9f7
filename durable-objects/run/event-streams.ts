/**
 * Open streams of a run's events. A stream keeps a place in the log and nothing else; what it sends
 * is read from the log when its reader asks, so a slow reader costs no memory.
 */
import { isTerminal } from "../../src/contracts/run.ts";
import type { LoggedDelta } from "../../src/engine/events/delta-text.ts";
import { countEvents, type EventPlace } from "../../src/engine/events/run-events.ts";
import { fail, ok, type Result } from "../../src/lib/result.ts";
import { birthEvent, type EventPage, eventPage, parseEventId } from "./event-text.ts";
import type { LiveRun } from "./live-run.ts";
import type { RunLog } from "./run-log.ts";

/** Proxies close what is silent for long. */
const HEARTBEAT_MS = 15_000;
const HEARTBEAT = ": still here\n\n";
/** How soon a client that lost its stream comes back. */
const RETRY_LINE = "retry: 1000\n\n";
/** Rows looked at for one piece. */
const PAGE_ROWS = 64;

const START: EventPlace = { seq: -1, sub: -1 };

const encoder = new TextEncoder();

export class EventStreams {
  readonly #log: RunLog;
  readonly #storage: DurableObjectStorage;
  /** Resolved and replaced at each commit, and now and then so that every stream says it is alive. */
  #news = Promise.withResolvers<"commit" | "heartbeat">();
  readonly #ended = Promise.withResolvers<void>();
  #isHeartbeatDue = false;
  #open = 0;
  /** Rows up to this have reached the disk: a client is never told what a crash can take back. */
  #safeHead = 0;
  #saving: { readonly head: number; readonly done: Promise<void> } | undefined;
  #page: { readonly key: string; readonly page: EventPage } | undefined;

  constructor(log: RunLog, storage: DurableObjectStorage) {
    this.#log = log;
    this.#storage = storage;
  }

  /** Streams that somebody reads. */
  get openCount(): number {
    return this.#open;
  }

  committed({ delta }: LoggedDelta): void {
    this.#wake("commit");
    if (delta.status !== null && isTerminal(delta.status)) {
      this.#ended.resolve();
    }
  }

  /** Resolves when the run ends under this object's eyes, or when the time is up. */
  async untilEnded(waitMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      // One reaction for each waiter, however many commits go by.
      void this.#ended.promise.then(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /**
   * The events after `lastEventId`, all of them without one; null when there is none left and never
   * will be. `validation_error` for an id that this run has not given.
   */
  open(run: () => LiveRun, lastEventId: string | null): Result<ReadableStream<Uint8Array> | null> {
    const place = lastEventId === null ? START : this.#placeOf(lastEventId);
    if (place === undefined) {
      const message = `"${(lastEventId ?? "").slice(0, 40)}" is no event of this run. Send the id of the last event you received, or nothing to start from the beginning.`;
      return fail("validation_error", `Last-Event-ID: ${message}`, {
        errors: [{ field: "Last-Event-ID", message }],
      });
    }
    const isOver = isTerminal(run().driver.state.status) && this.#isAtEnd(place);
    return ok(isOver ? null : this.#stream(run, place));
  }

  #placeOf(id: string): EventPlace | undefined {
    const place = parseEventId(id);
    if (place === undefined || place.seq > this.#log.head) {
      return undefined;
    }
    const [entry] = place.seq === 0 ? [] : this.#log.from(place.seq, 1);
    const count = place.seq === 0 ? 1 : entry?.seq === place.seq ? countEvents(entry) : 0;
    return place.sub < count ? place : undefined;
  }

  #isAtEnd(place: EventPlace): boolean {
    const [entry] = this.#log.from(Math.max(place.seq, 1), 1);
    // Not the log's head: a row about the outputs' expiry may follow, and has no event.
    return (
      entry?.seq === place.seq &&
      entry.delta.status !== null &&
      isTerminal(entry.delta.status) &&
      place.sub === countEvents(entry) - 1
    );
  }

  /** `run` is asked anew each time: the object may have rebuilt it from its rows meanwhile. */
  #stream(run: () => LiveRun, from: EventPlace): ReadableStream<Uint8Array> {
    let place = from;
    let greeting = RETRY_LINE;
    let isOpen = true;
    this.#open++;
    const end = () => {
      if (isOpen) {
        isOpen = false;
        this.#open--;
      }
    };
    return new ReadableStream({
      // Byte streams are the only ones that cross an RPC boundary.
      type: "bytes",
      pull: async (controller: ReadableByteStreamController) => {
        let text = greeting;
        greeting = "";
        while (isOpen) {
          const news = this.#news.promise;
          await this.#save();
          if (place.seq < 0) {
            text += birthEvent(run().facts.created_at_ms);
            place = { seq: 0, sub: 0 };
          }
          const page = this.#read(run(), place);
          place = page.at;
          text += page.text;
          if (text !== "" || page.isEnd) {
            this.#send(controller, text);
            if (page.isEnd) {
              end();
              controller.close();
            }
            return;
          }
          this.#armHeartbeat();
          if ((await news) === "heartbeat") {
            text = HEARTBEAT;
          }
        }
      },
      cancel: end,
    });
  }

  #send(controller: ReadableByteStreamController, text: string): void {
    if (text !== "") {
      controller.enqueue(encoder.encode(text));
    }
  }

  /** The next piece after a place; streams that stand at the same place share it. */
  #read(run: LiveRun, place: EventPlace): EventPage {
    const key = `${String(place.seq)}-${String(place.sub)}-${String(this.#safeHead)}`;
    if (this.#page?.key !== key) {
      const entries = this.#log
        .from(Math.max(place.seq, 1), PAGE_ROWS)
        .filter(({ seq }) => seq <= this.#safeHead);
      this.#page = { key, page: eventPage(run, entries, place) };
    }
    return this.#page.page;
  }

  /** Waits until every row there is has reached the disk. */
  async #save(): Promise<void> {
    const { head } = this.#log;
    if (head <= this.#safeHead) {
      return;
    }
    if (this.#saving === undefined || this.#saving.head < head) {
      this.#saving = { head, done: this.#storage.sync() };
    }
    await this.#saving.done;
    this.#safeHead = Math.max(this.#safeHead, head);
  }

  #armHeartbeat(): void {
    if (!this.#isHeartbeatDue) {
      this.#isHeartbeatDue = true;
      setTimeout(() => {
        this.#isHeartbeatDue = false;
        this.#wake("heartbeat");
      }, HEARTBEAT_MS);
    }
  }

  #wake(kind: "commit" | "heartbeat"): void {
    const { resolve } = this.#news;
    this.#news = Promise.withResolvers();
    resolve(kind);
  }
}
