/** The faults of a simulated world. Each can be left out, to prove that it alone exposes a planted bug. */
export const FAULTS = [
  /** A queue message is lost or duplicated. */
  "lost hints",
  /** A worker dies or stalls: its lease expires, and sometimes it continues afterwards. */
  "lost workers",
  /** Reports and heartbeats are lost, repeated, late by up to minutes, and so out of order. */
  "unruly reports",
  /** An alarm fires up to a minute late. */
  "late alarms",
  /** An alarm that is set never fires. */
  "lost alarms",
  /** The clock of the object jumps back, up to a day. */
  "clock back",
  /** And forward. */
  "clock forward",
  /** A call to the workspace, the queue, the store or an endpoint is refused, repeated, or its response is lost. */
  "refused calls",
  /** The object is evicted at any await, with everything that was not written. */
  "object crashes",
  /** Everything is killed, including queue and workers, and starts again with another boot id. */
  "machine crashes",
] as const;
export type Fault = (typeof FAULTS)[number];

/** Those with which workers, leases, places at gates, messages, alarms or objects are lost. */
export const LOSSES: readonly Fault[] = [
  "lost hints",
  "lost workers",
  "unruly reports",
  "lost alarms",
  "clock back",
  "clock forward",
  "refused calls",
  "object crashes",
  "machine crashes",
];
