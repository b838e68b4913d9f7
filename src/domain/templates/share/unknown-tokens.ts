import { AppError } from "../../../lib/errors/errors.ts";

/** Unknown tokens that an isolate looks up for one address in a minute: every shard is asked for each. */
const UNKNOWN_MAX = 30;
const WINDOW_MS = 60_000;
/** Addresses that an isolate counts; beyond it, all are forgotten. */
const ADDRESSES_MAX = 10_000;

interface Counted {
  readonly untilMs: number;
  count: number;
}

const unknown = new Map<string, Counted>();

/** Throws `too_many_requests` for an address that has sent too many unknown tokens. */
export function requireFewUnknown(address: string, nowMs: number): void {
  const counted = unknown.get(address);
  if (counted !== undefined && counted.count >= UNKNOWN_MAX && nowMs < counted.untilMs) {
    const seconds = String(Math.ceil((counted.untilMs - nowMs) / 1_000));
    throw new AppError(
      "too_many_requests",
      `Too many requests with unknown share links from this address. Try again in ${seconds} s.`,
      { headers: { "retry-after": seconds } },
    );
  }
}

/** Counts a token that no link has. */
export function countUnknown(address: string, nowMs: number): void {
  const counted = unknown.get(address);
  if (counted !== undefined && nowMs < counted.untilMs) {
    counted.count += 1;
    return;
  }
  if (unknown.size >= ADDRESSES_MAX) {
    unknown.clear();
  }
  unknown.set(address, { untilMs: nowMs + WINDOW_MS, count: 1 });
}
