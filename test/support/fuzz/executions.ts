/** How often a fuzzer runs its reader: so often in every test run, twenty times that for the proof. */
export function executionsOf(usual: number): number {
  return process.env["PROOF"] === undefined ? usual : usual * 20;
}
