/** What goes wrong in a simulated world. Each can be left out, to prove that it and no other finds a planted bug. */
export const FAULTS = [
  /** A queue message gets lost or comes twice. */
  "lost hints",
  /** A worker dies or stalls: its lease runs out, and sometimes it is heard of again afterwards. */
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
  /** A call to the workspace, the queue, the store or an endpoint is refused, or its answer lost, or made twice. */
  "refused calls",
  /** The object is thrown out of memory at any wait, with what it had not written. */
  "object crashes",
  /** Everything is killed, queue and workers included, and starts as another boot. */
  "machine crashes",
] as const;
export type Fault = (typeof FAULTS)[number];
