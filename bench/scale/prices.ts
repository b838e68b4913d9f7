/** Cloudflare's paid plan, in US dollars, from its documentation (sources in docs/scaling.md). */
export const PRICES = {
  /** Per million. */
  http: 0.3,
  objectRequest: 0.15,
  rowRead: 0.001,
  rowWritten: 1,
  queueOperation: 0.4,
  r2ClassA: 4.5,
  r2ClassB: 0.36,
  cpuMs: 0.02,
  objectGbSecond: 12.5,
  /** Per GB and month. */
  objectGb: 0.2,
  r2Gb: 0.015,
} as const;

/** A message of at most 64 KB is written, read and deleted. */
export const OPERATIONS_A_MESSAGE = 3;
