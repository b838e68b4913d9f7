import { newId } from "./ids.ts";

/**
 * Ids of type GUID have no prefix (docs/contract/conventions.md#identifiers defines none for them): a UUIDv7 in its
 * usual spelling, lower case with dashes. They sort by creation.
 */
export function newGuid(nowMs: number): string {
  return dashed(newId("event", nowMs).slice(-32));
}

/** Returns the canonical spelling of a GUID given with or without dashes; undefined if malformed. */
export function tryParseGuid(given: string): string | undefined {
  const lower = given.toLowerCase();
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(lower)) {
    return lower;
  }
  return /^[0-9a-f]{32}$/.test(lower) ? dashed(lower) : undefined;
}

function dashed(hex: string): string {
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join("-");
}
