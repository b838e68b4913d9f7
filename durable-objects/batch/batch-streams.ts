/**
 * Open streams of a batch's events. The events are the ends of items and the changes of status, numbered in one
 * sequence; a stream stores only its position in it.
 */
import type { BatchItemRow } from "../../src/contracts/batches/batch-object-api.ts";
import { countersOf } from "../../src/domain/batches/batch-view.ts";
import { fail, ok, type Result } from "../../src/lib/result.ts";
import { Signal } from "../shared/signal.ts";
import type { BatchStore } from "./batch-store.ts";
import type { LiveBatch } from "./live-batch.ts";

/** Proxies close connections that are silent for long. */
const HEARTBEAT_MS = 15_000;
const HEARTBEAT = ": still here\n\n";
/** Reconnect delay for clients that lost their stream. */
const RETRY_LINE = "retry: 1000\n\n";
/** Ends of items in one piece. */
const PAGE_EVENTS = 200;

const encoder = new TextEncoder();

export class BatchStreams {
  readonly #store: BatchStore;
  readonly #storage: Pick<DurableObjectStorage, "sync">;
  #news = new Signal();
  #saving: Promise<void> | undefined;

  constructor(store: BatchStore, storage: Pick<DurableObjectStorage, "sync">) {
    this.#store = store;
    this.#storage = storage;
  }

  /** There are new events, or the counters have changed. */
  tell(): void {
    const news = this.#news;
    this.#news = new Signal();
    news.fire();
  }

  /** Resolves with the next news, or after the timeout. */
  within(waitMs: number): Promise<unknown> {
    return this.#news.within(waitMs);
  }

  /**
   * Streams the events after `lastEventId`, or all of them without it; null if there are none left.
   * `validation_error` for an id that this batch has not issued.
   */
  open(batch: LiveBatch, lastEventId: string | null): Result<ReadableStream<Uint8Array> | null> {
    const after =
      lastEventId === null ? 0 : /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : -1;
    if (after < 0 || after > batch.seq) {
      const message = `"${(lastEventId ?? "").slice(0, 40).toWellFormed()}" is not an event of this batch. Send the id of the last event you received, or omit it to start from the beginning.`;
      return fail("validation_error", `Last-Event-ID: ${message}`, {
        errors: [{ field: "Last-Event-ID", message }],
      });
    }
    return ok(batch.ledger.isTerminal && after === batch.seq ? null : this.#stream(batch, after));
  }

  #stream(batch: LiveBatch, from: number): ReadableStream<Uint8Array> {
    let after = from;
    let counters = "";
    let greeting = RETRY_LINE;
    let isOpen = true;
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          let text = greeting;
          greeting = "";
          while (isOpen && text === "") {
            const news = this.#news;
            await this.#save();
            const page = this.#page(batch, after);
            after = page.seq;
            text = page.text;
            const now = JSON.stringify(countersOf(batch.state));
            if (counters !== now && !page.isEnd && page.isCaughtUp) {
              counters = now;
              text += eventText(after, "progress", `{"at":${isoText(Date.now())},${now.slice(1)}`);
            }
            if (page.isEnd) {
              isOpen = false;
              controller.enqueue(encoder.encode(text));
              controller.close();
              return;
            }
            if (text === "" && news === this.#news) {
              await news.within(HEARTBEAT_MS);
              text = news === this.#news ? HEARTBEAT : "";
            }
          }
          if (isOpen) {
            controller.enqueue(encoder.encode(text));
          }
        },
        cancel: () => {
          isOpen = false;
          this.tell();
        },
      },
      { highWaterMark: 0 },
    );
  }

  /** A client must never receive an event that a crash can undo. */
  async #save(): Promise<void> {
    this.#saving ??= this.#storage.sync().finally(() => {
      this.#saving = undefined;
    });
    await this.#saving;
  }

  /** The next events after `after`. */
  #page(batch: LiveBatch, after: number) {
    const ends = batch.endsAfter(after, PAGE_EVENTS);
    const last = ends.length === PAGE_EVENTS ? (ends.at(-1)?.seq ?? after) : batch.seq;
    const rows = new Map(
      this.#store.itemsAt(ends.map(({ index }) => index)).map((row) => [row.index, row]),
    );
    const events = [
      ...ends.flatMap(({ seq, index }) => {
        const row = rows.get(index);
        return row === undefined ? [] : [{ seq, text: itemEvent(seq, row) }];
      }),
      ...batch.marks
        .filter(({ seq }) => seq > after && seq <= last)
        .map(({ seq, event, status, at_ms: atMs }) => ({
          seq,
          text: eventText(seq, event, `{"at":${isoText(atMs)},"status":"${status}"}`),
        })),
    ].toSorted((one, other) => one.seq - other.seq);
    const isCaughtUp = last === batch.seq;
    return {
      seq: last,
      text: events.map(({ text }) => text).join(""),
      isCaughtUp,
      isEnd: isCaughtUp && batch.ledger.isTerminal,
    };
  }
}

function itemEvent(seq: number, row: BatchItemRow): string {
  const { index, status, executions, error_code } = row;
  const data = {
    at: new Date(row.completed_at_ms ?? 0).toISOString(),
    index,
    status,
    execution: executions.at(-1) ?? null,
    error_code,
  };
  return eventText(seq, "item", JSON.stringify(data));
}

function isoText(atMs: number): string {
  return JSON.stringify(new Date(atMs).toISOString());
}

function eventText(seq: number, event: string, data: string): string {
  return `id: ${String(seq)}\nevent: ${event}\ndata: ${data}\n\n`;
}
