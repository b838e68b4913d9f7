import type { RandomGraph } from "../random-graph.ts";

/** What became of one run object in the world of a seed. */
export interface ObjectVerdict {
  readonly graph: RandomGraph;
  /** The first thing that was wrong, undefined when nothing was. */
  readonly problem: string | undefined;
  readonly status: string;
  readonly crashes: number;
  readonly staleReports: number;
  readonly tasks: number;
  /** How often tasks went on after a wait. */
  readonly waits: number;
  /** Files in rows and packs that were there at the end. */
  readonly heldFiles: number;
  /** The most tasks that were with the runner at once. */
  readonly mostOutstanding: number;
  readonly events: number;
  /** What other code the run was ended by, undefined where it was not. */
  readonly endedBy: string | undefined;
}
