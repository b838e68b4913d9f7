import { z } from "zod";

/** The events of a run, asked of its object by `fetch`. */
const RunEventsRequest = z.object({
  v: z.literal(1),
  workspace_id: z.string(),
  base_url: z.string(),
  /** Id of the last event the caller has; null for all of them. */
  last_event_id: z.string().nullable(),
});

export type RunEventsRequest = z.infer<typeof RunEventsRequest>;

/** The address that asks a run's object for this. */
export function eventsRequestUrl(request: RunEventsRequest): string {
  return `https://run/events?request=${encodeURIComponent(JSON.stringify(request))}`;
}

/** What an address of `eventsRequestUrl` asks. Throws for another one. */
export function readEventsRequest(url: string): RunEventsRequest {
  return RunEventsRequest.parse(JSON.parse(new URL(url).searchParams.get("request") ?? "null"));
}
