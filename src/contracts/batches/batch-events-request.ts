/** Request for the events of a batch, sent to its object by `fetch`. */
export interface BatchEventsRequest {
  readonly v: 1;
  readonly workspace_id: string;
  /** Id of the last event that the caller has; null requests all events. */
  readonly last_event_id: string | null;
}
