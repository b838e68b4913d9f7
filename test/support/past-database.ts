/** Databases of earlier code, dated as if that code had run an hour ago, and with nodes of today's versions. */
import type { RunMetadata } from "../../durable-objects/run/live-run.ts";
import { fingerprintOf } from "../../durable-objects/run/state/stored-plan.ts";
import { planOf } from "../../durable-objects/run/wake-run.ts";

/** A time in milliseconds of the years 2026 to 2033. A test's own marks, such as a key that never expires, are later. */
const TIME_MS = /\b1[789]\d{11}\b/gu;
const AGE_MS = 3_600_000;

/**
 * Moves all times of a dump by the same duration, so that its earliest one was an hour ago: leases have ended, time
 * limits and sessions have not, on whatever day the test runs.
 *
 * @param dump statements that create tables and insert rows.
 * @returns the statements, and the duration in milliseconds by which their times are later than in the dump.
 */
export function movedToNow(dump: string): { sql: string; byMs: number } {
  const times = [...dump.matchAll(TIME_MS)].map(([text]) => Number(text));
  if (times.length === 0) {
    return { sql: dump, byMs: 0 };
  }
  const byMs = Date.now() - AGE_MS - Math.min(...times);
  return { sql: dump.replaceAll(TIME_MS, (text) => String(Number(text) + byMs)), byMs };
}

/**
 * The dump of a run, with the fingerprint that the plan of its definition has today. A run whose nodes have another version
 * ends (test/worker/run/deploys.test.ts); these dumps are of tables. Fingerprints have one length, so that places in texts stay.
 */
export function withVersionsOfToday(dump: string): string {
  const stored = /"kept_plan":\{"fingerprint":"([^"]+)"/u.exec(dump)?.[1];
  if (stored === undefined) {
    return dump;
  }
  const text = dump.replaceAll("''", "'");
  const metadata = JSON.parse(jsonAt(text, '{"v":1,"run_id"')) as RunMetadata;
  const plan = planOf(metadata, () => jsonAt(text, '{"nodes":'));
  return dump.replaceAll(stored, fingerprintOf(plan));
}

/** The JSON object that begins like this. */
function jsonAt(text: string, start: string): string {
  const from = text.indexOf(start);
  const tokens = /"(?:[^"\\]|\\.)*"|[{}]/gu;
  tokens.lastIndex = from;
  let depth = 0;
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    depth += token[0] === "{" ? 1 : token[0] === "}" ? -1 : 0;
    if (depth === 0) {
      return text.slice(from, tokens.lastIndex);
    }
  }
  throw new Error(`No JSON object begins with ${start}.`);
}
