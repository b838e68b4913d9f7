/** The events of a run, asked of its object by `fetch`. */
export interface RunEventsRequest {
  readonly v: 1;
  readonly workspace_id: string;
  readonly base_url: string;
  /** Id of the last event the caller has; null for all of them. */
  readonly last_event_id: string | null;
}

/** The address that asks a run's object for this. */
export function eventsRequestUrl(request: RunEventsRequest): string {
  return `https://run/events?request=${encodeURIComponent(JSON.stringify(request))}`;
}

/** What an address of `eventsRequestUrl` asks, unchecked; null for another one. */
export function readEventsRequest(url: string): unknown {
  try {
    return JSON.parse(new URL(url).searchParams.get("request") ?? "null");
  } catch {
    return null;
  }
}
