import type { EmbedViewer } from "../embeds/embed-origin.ts";

/** Request for the events of a run, sent to its object by `fetch`. */
export interface RunEventsRequest {
  readonly v: 1;
  readonly workspace_id: string;
  readonly base_url: string;
  /** Id of the last event that the caller has; null requests all events. */
  readonly last_event_id: string | null;
  /** A runtime embed token that asks: as in `RunReadRequest`. */
  readonly embed?: EmbedViewer;
}

/** The address of this request at a run's object. */
export function eventsRequestUrl(request: RunEventsRequest): string {
  return `https://run/events?request=${encodeURIComponent(JSON.stringify(request))}`;
}

/** The unchecked request in an address of `eventsRequestUrl`; null for any other address. */
export function readEventsRequest(url: string): unknown {
  try {
    return JSON.parse(new URL(url).searchParams.get("request") ?? "null");
  } catch {
    return null;
  }
}
