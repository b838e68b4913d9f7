import { LIMITS } from "../lib/limits/limits-table.ts";

/** The longest supported wait (docs/contract/executions.md#waiting). */
const WAIT_SECONDS_MAX = LIMITS.wait.value / 1000;

/**
 * Returns the seconds to wait from a `Prefer` header (`wait=10`, also in a list), at most 60. Null if there is none or
 * it is malformed: an invalid preference is ignored (RFC 7240 §2).
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
