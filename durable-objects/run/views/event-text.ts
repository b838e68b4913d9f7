import type { LoggedDelta } from "../../../src/engine/events/delta-text.ts";
import { isTerminal } from "../../../src/contracts/runs/run.ts";
import type { RunEventBody } from "../../../src/contracts/runs/run-events.ts";
import {
  countEvents,
  eventAt,
  type EventPlace,
  type EventSource,
} from "../../../src/engine/events/run-events.ts";
import { type Failure, fail } from "../../../src/lib/result.ts";
import type { RunLog } from "./run-log.ts";

/** Most characters sent to a lagging reader at a time, so that 1,000 of them take little memory. */
const PAGE_CHARS_MAX = 16 * 1024;

type EventLog = Pick<RunLog, "from" | "head">;

/** A piece of a stream of server-sent events. */
export interface EventPage {
  readonly text: string;
  /** The last event that was read: the position to continue from. */
  readonly at: EventPlace;
  /** Whether `done` was included. */
  readonly isEnd: boolean;
}

/** The event of a run's start, which has no row in the log. */
export function birthEvent(createdAtMs: number): string {
  return eventText(
    { seq: 0, sub: 0 },
    { event: "status", atMs: createdAtMs, data: { status: "pending" } },
  );
}

/** The events after `place` in these rows, which start with the row of `place` or the next one. */
export function eventPage(
  source: EventSource,
  entries: readonly LoggedDelta[],
  place: EventPlace,
): EventPage {
  // Of intermediate progress, only the last matters (docs/contract/executions.md#events).
  const lastProgress = entries.findLast(({ delta }) => delta.progress !== null)?.seq;
  let text = "";
  let at = place;
  for (const entry of entries) {
    const count = countEvents(entry);
    for (let sub = entry.seq === place.seq ? place.sub + 1 : 0; sub < count; sub++) {
      const event = eventAt(source, entry, sub);
      at = { seq: entry.seq, sub };
      if (event === undefined) {
        break;
      }
      if (event.event !== "progress" || entry.seq === lastProgress) {
        text += eventText(at, event);
      }
      if (text.length > PAGE_CHARS_MAX) {
        return { text, at, isEnd: event.event === "done" };
      }
    }
    const { status } = entry.delta;
    if (status !== null && isTerminal(status)) {
      return { text, at, isEnd: true };
    }
  }
  return { text, at, isEnd: false };
}

export function eventText(place: EventPlace, { event, atMs, data }: RunEventBody): string {
  const json = JSON.stringify({ ...data, at: new Date(atMs).toISOString() });
  return `id: ${eventIdOf(place)}\nevent: ${event}\ndata: ${json}\n\n`;
}

/** The position of the last event of a run. */
export function lastPlace(log: EventLog): EventPlace {
  // An entry about the outputs' expiry has no event.
  for (let seq = log.head; seq > 0; seq--) {
    const [entry] = log.from(seq, 1);
    const count = entry === undefined ? 0 : countEvents(entry);
    if (count > 0) {
      return { seq, sub: count - 1 };
    }
  }
  return { seq: 0, sub: 0 };
}

/** The position of the event with this id; undefined unless the run has issued it. */
export function issuedPlace(log: EventLog, id: string): EventPlace | undefined {
  const place = parseEventId(id);
  if (place === undefined || place.seq > log.head) {
    return undefined;
  }
  const [entry] = place.seq === 0 ? [] : log.from(place.seq, 1);
  const count = place.seq === 0 ? 1 : entry?.seq === place.seq ? countEvents(entry) : 0;
  return place.sub < count ? place : undefined;
}

/** The refusal of an event id in this header or query field. */
export function notAnEvent(field: "Last-Event-ID" | "as_of_event", id: string): Failure {
  const message = `"${id.slice(0, 40)}" is not an event of this run. ${HOW_TO_NAME_AN_EVENT[field]}`;
  return fail("validation_error", `${field}: ${message}`, { errors: [{ field, message }] });
}

const HOW_TO_NAME_AN_EVENT = {
  "Last-Event-ID":
    "Send the id of the last event you received, or omit it to start from the beginning.",
  as_of_event: "Send the id of an event from /events, or `last_event_id` of the execution.",
};

export function eventIdOf({ seq, sub }: EventPlace): string {
  return `${String(seq)}-${String(sub)}`;
}

/** The position of an event id; undefined if it is not an event id. */
function parseEventId(id: string): EventPlace | undefined {
  const match = /^(0|[1-9]\d{0,8})-(0|[1-9]\d{0,8})$/.exec(id);
  return match === null ? undefined : { seq: Number(match[1]), sub: Number(match[2]) };
}
