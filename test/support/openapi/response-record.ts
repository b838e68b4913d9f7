/** Which documented answers the tests of this process have seen; a setup file hands them to the report. */
const seen = new Set<string>();

/** `operationId status [code]`. */
export function recordResponse(pair: string): void {
  seen.add(pair);
}

/** What was recorded since the last time. */
export function takeResponses(): string[] {
  const taken = [...seen];
  seen.clear();
  return taken;
}
