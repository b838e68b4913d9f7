/** The documented responses that the tests of this process have seen; a setup file passes them to the report. */
const seen = new Set<string>();

/** `operationId status [code]`. */
export function recordResponse(pair: string): void {
  seen.add(pair);
}

/** Responses recorded since the last call. */
export function takeResponses(): string[] {
  const taken = [...seen];
  seen.clear();
  return taken;
}
