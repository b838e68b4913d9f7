/**
 * Open streams of a run's events. A stream stores only its position in the log; its data is read from the log on
 * demand, so a slow reader takes no memory. A stream that has read everything is in a set until there is news: a
 * promise each would take more memory than the stream itself.
 */
import { isTerminal } from "../../../src/contracts/runs/run.ts";
import type { LoggedDelta } from "../../../src/engine/events/delta-text.ts";
import { countEvents, type EventPlace } from "../../../src/engine/events/run-events.ts";
import { ok, type Result } from "../../../src/lib/result.ts";
import {
  birthEvent,
  type EventPage,
  eventPage,
  eventText,
  issuedPlace,
  notAnEvent,
} from "./event-text.ts";
import type { LiveRun } from "../live-run.ts";
import { type LiveTexts, type ToldTexts, untold } from "./live-texts.ts";
import type { RunLog } from "./run-log.ts";

/** Proxies close connections that are silent for long. */
const HEARTBEAT_MS = 15_000;
const HEARTBEAT = ": still here\n\n";
/** Reconnect delay for clients that lost their stream. */
const RETRY_LINE = "retry: 1000\n\n";
/** Minimum interval between updates of growing texts. */
const TEXT_EVERY_MS = 100;
/** Log rows read for one piece. */
const PAGE_ROWS = 64;

const START: EventPlace = { seq: -1, sub: -1 };

const encoder = new TextEncoder();

/** Reads a default stream instead of a byte stream, which reserves 16 KiB for each reader. */
type Controller = ReadableStreamDefaultController<Uint8Array>;

/** An open stream. */
interface Follower {
  /** Looked up each time, because the object may have rebuilt the run from its rows meanwhile. */
  readonly run: () => LiveRun;
  place: EventPlace;
  /** What it has sent of the texts of tasks in progress. */
  readonly told: ToldTexts;
  /** Sent before its first event. */
  greeting: string;
  isOpen: boolean;
}

export class EventStreams {
  readonly #log: RunLog;
  readonly #storage: DurableObjectStorage;
  readonly #texts: LiveTexts;
  #toldTextsMs = 0;
  #isTextDue = false;
  /**
   * Streams that have read everything and wait. A stream whose client has disconnected is removed with the next news.
   */
  #waiting = new Map<Follower, Controller>();
  readonly #ended = Promise.withResolvers<void>();
  #isHeartbeatDue = false;
  /** Rows up to this are on disk: a client must never receive an event that a crash can undo. */
  #safeHead = 0;
  #saving: { readonly head: number; readonly done: Promise<void> } | undefined;
  #page: { readonly key: string; readonly page: EventPage } | undefined;

  constructor(log: RunLog, storage: DurableObjectStorage, texts: LiveTexts) {
    this.#log = log;
    this.#storage = storage;
    this.#texts = texts;
  }

  /** A text has grown: all waiting streams are updated soon. */
  textsGrew(): void {
    if (this.#isTextDue || this.#waiting.size === 0) {
      return;
    }
    this.#isTextDue = true;
    const elapsedMs = Date.now() - this.#toldTextsMs;
    // A clock that stepped back must not delay texts by that time.
    const delayMs = elapsedMs < 0 ? 0 : Math.max(0, TEXT_EVERY_MS - elapsedMs);
    setTimeout(() => {
      this.#isTextDue = false;
      this.#toldTextsMs = Date.now();
      this.#wake("");
    }, delayMs);
  }

  /** Streams that have read everything and wait for news. */
  get waitingCount(): number {
    return this.#waiting.size;
  }

  committed({ delta }: LoggedDelta): void {
    this.#wake("");
    if (delta.status !== null && isTerminal(delta.status)) {
      this.#texts.clear();
      this.#ended.resolve();
    }
  }

  /** Resolves when the run ends while this object is awake, or after the timeout. */
  async untilEnded(waitMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      // One reaction per waiter, however many commits happen.
      void this.#ended.promise.then(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /**
   * Streams the events after `lastEventId`, or all of them without it; returns null if there are none left and never
   * will be. Throws `validation_error` for an id that this run has not issued.
   */
  open(run: () => LiveRun, lastEventId: string | null): Result<ReadableStream<Uint8Array> | null> {
    const place = lastEventId === null ? START : issuedPlace(this.#log, lastEventId);
    if (place === undefined) {
      return notAnEvent("Last-Event-ID", lastEventId ?? "");
    }
    const isOver = isTerminal(run().state.status) && this.#isAtEnd(place);
    return ok(isOver ? null : this.#stream(run, place));
  }

  #isAtEnd(place: EventPlace): boolean {
    const [entry] = this.#log.from(Math.max(place.seq, 1), 1);
    // Not the log's head: an entry about the outputs' expiry may follow, and has no event.
    return (
      entry?.seq === place.seq &&
      entry.delta.status !== null &&
      isTerminal(entry.delta.status) &&
      place.sub === countEvents(entry) - 1
    );
  }

  #stream(run: () => LiveRun, place: EventPlace): ReadableStream<Uint8Array> {
    const follower: Follower = {
      run,
      place,
      told: new Map(),
      greeting: RETRY_LINE,
      isOpen: true,
    };
    return new ReadableStream<Uint8Array>(
      {
        pull: (controller) => this.#tell(follower, controller, ""),
        cancel: () => {
          follower.isOpen = false;
          this.#waiting.delete(follower);
        },
      },
      // Nothing is generated before it is requested.
      { highWaterMark: 0 },
    );
  }

  /** Sends the next piece; if there is none, `otherwise`; if that is empty too, waits for news. */
  async #tell(follower: Follower, controller: Controller, otherwise: string): Promise<void> {
    const { head } = this.#log;
    if (head > this.#safeHead) {
      await this.#save(head);
    }
    if (!follower.isOpen) {
      return;
    }
    const run = follower.run();
    let text = follower.greeting;
    follower.greeting = "";
    if (follower.place.seq < 0) {
      text += birthEvent(run.metadata.created_at_ms);
      follower.place = { seq: 0, sub: 0 };
    }
    const page = this.#read(run, follower.place);
    follower.place = page.at;
    // Only to a reader that has received every commit: a text must follow the event of its node's start.
    const isUpToDate = page.text === "" && !page.isEnd;
    text += isUpToDate ? this.#growthFor(follower, run) : page.text;
    text = text === "" && !page.isEnd ? otherwise : text;
    if (text !== "") {
      controller.enqueue(encoder.encode(text));
    }
    if (page.isEnd) {
      follower.isOpen = false;
      controller.close();
    } else if (text === "") {
      this.#waiting.set(follower, controller);
      this.#armHeartbeat();
    }
  }

  /** The part of the texts in progress that the reader does not know yet. It has the id of the preceding event. */
  #growthFor({ told, place }: Follower, run: LiveRun): string {
    let events = "";
    for (const { text, delta, reset } of untold(this.#texts, told)) {
      const node = run.outline.nodes[text.node];
      const data = {
        node_id: node?.id ?? "",
        input_indices: [...run.layout.indices(node?.scope ?? 0, text.element)],
        seq: text.seq,
        delta,
        reset,
      };
      events += eventText(place, { event: "text", atMs: Date.now(), data });
    }
    return events;
  }

  /** The next piece after a position; streams at the same position share it. */
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

  /** Waits until every row up to `head` is on disk. */
  async #save(head: number): Promise<void> {
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
        this.#wake(HEARTBEAT);
      }, HEARTBEAT_MS);
    }
  }

  /** Sends all waiting streams the next piece, or `otherwise` if there is none. */
  #wake(otherwise: string): void {
    const waiting = this.#waiting;
    this.#waiting = new Map();
    for (const [follower, controller] of waiting) {
      this.#tell(follower, controller, otherwise).catch((error: unknown) => {
        controller.error(error);
      });
    }
  }
}

/** Response header with which an object tells its Worker why there is no stream; read by `openRunEvents`. */
export function eventResponse(opened: Result<ReadableStream<Uint8Array> | null>): Response {
  if (!opened.ok) {
    return Response.json(opened, { status: 400 });
  }
  return new Response(opened.value, { status: opened.value === null ? 204 : 200 });
}
