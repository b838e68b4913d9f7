import type { Rerun } from "../reuse/forced-elements.ts";
import type { SourceRun } from "../reuse/source-run.ts";

/** The run that a retry takes elements over from [E36]. */
export interface DriverSource {
  /** Called before the first piece of work. A rejection leaves the run as it is. */
  open(): Promise<SourceRun>;
  readonly rerun?: Rerun;
  /** By name of the type; absent: the types of the catalog. */
  readonly isCacheableAlways?: (type: string) => boolean;
}
