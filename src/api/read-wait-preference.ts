import { LIMITS } from "../lib/limits-table.ts";

/** The longest wait that is honoured (docs/contract/executions.md#waiting). */
const WAIT_SECONDS_MAX = LIMITS.wait.value / 1000;

/**
 * Seconds to wait from a `Prefer` header (`wait=10`, also in a list); longer waits are cut to 60.
 * Null without one, or where it is malformed: a preference that cannot be read is ignored (RFC 7240 §2).
 */
export function readWaitPreference(header: string | null | undefined): number | null {
  for (const preference of (header ?? "").split(",")) {
    const match = /^\s*wait\s*=\s*("?)(\d{1,9})\1\s*(?:;.*)?$/i.exec(preference);
    if (match !== null) {
      return Math.min(Number(match[2]), WAIT_SECONDS_MAX);
    }
  }
  return null;
}
