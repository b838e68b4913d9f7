/** Headers in which providers name a request for their support. */
const HEADERS = ["x-request-id", "request-id", "x-fal-request-id"] as const;

/** Ids of requests; anything else could carry text of a request. */
const ID = /^[\w.:-]{1,128}$/;

/** The id that a provider gave to a request, for the log; null if it has none that can be one. Pure. */
export function requestIdOf(headers: Headers): string | null {
  const named = HEADERS.map((name) => headers.get(name)).find((id) => id !== null) ?? "";
  return ID.test(named) ? named : null;
}
