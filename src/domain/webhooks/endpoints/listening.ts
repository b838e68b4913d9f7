import type { EndpointRecord } from "./endpoint-record.ts";

/**
 * The data about an endpoint that a workspace needs to decide whether the endpoint may receive a
 * run's event.
 */
export interface Listening {
  readonly is_listening: boolean;
  /** Null means all. */
  readonly workflow_ids: readonly string[] | null;
}

/**
 * Whether events may become deliveries of this endpoint in its current state; the endpoint itself
 * decides in the end.
 */
export function listeningOf(record: EndpointRecord): Listening {
  const isListening =
    record.status === "active" ||
    record.status === "paused" ||
    (record.status === "pending_verification" && record.was_verified);
  return {
    is_listening: isListening,
    workflow_ids: record.workflow_scope === "all" ? null : record.workflow_ids,
  };
}

/**
 * The union of both, sent before a change so that no event in between is missed. Null if the old
 * one covers the new one.
 */
export function widened(old: Listening, next: Listening): Listening | null {
  if (!next.is_listening) {
    return null;
  }
  if (!old.is_listening) {
    return next;
  }
  if (old.workflow_ids === null) {
    return null;
  }
  if (next.workflow_ids === null) {
    return next;
  }
  const union = new Set([...old.workflow_ids, ...next.workflow_ids]);
  return union.size === old.workflow_ids.length
    ? null
    : { is_listening: true, workflow_ids: [...union] };
}
