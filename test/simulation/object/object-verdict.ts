import type { RandomGraph } from "../random-graph.ts";

/** The result of one run object in the world of a seed. */
export interface ObjectVerdict {
  readonly graph: RandomGraph;
  /** The first problem, undefined if there was none. */
  readonly problem: string | undefined;
  readonly status: string;
  readonly crashes: number;
  readonly staleReports: number;
  readonly tasks: number;
  /** How often tasks resumed after a wait. */
  readonly waits: number;
  /** Files in rows and packs that existed at the end. */
  readonly heldFiles: number;
  /** The most tasks that were with the runner at once. */
  readonly mostOutstanding: number;
  readonly events: number;
  /** The deploy that ended the run, undefined if none did. */
  readonly endedBy: string | undefined;
}
