/** What a node's elements take: credits, work units, time and memory. */
import type { StoredReferences } from "../contracts/references.ts";
import type { z } from "zod";
import type { UsageUnit } from "../contracts/task.ts";
import type { FileRef } from "../lib/file-ref.ts";
import type { ConnectedPort, NodeInputs } from "./define-ports.ts";

/** What one element of a node may cost. See docs/decisions/task-costs.md. */
export interface NodeCost<P extends z.ZodObject> {
  /** What its usage is counted in. */
  readonly unit: UsageUnit;
  /**
   * The most that one element may be charged, in whole milli-credits (1,000 = 1 credit), not
   * negative: this is reserved before the element starts. A number where parameters and connections
   * do not matter.
   */
  readonly milliCredits:
    | number
    | ((
        params: z.output<P>,
        connected: readonly ConnectedPort[],
        stored: StoredReferences,
      ) => number);
  /**
   * What an element with these inputs is charged, where the inputs say it (the characters of a
   * text). More than `milliCredits` is cut down to it. What `ctx.task.charge` says comes before.
   */
  ofInputs?(
    inputs: NodeInputs,
    params: z.output<P>,
  ): { readonly milliCredits: number; readonly quantity: number | null };
  /**
   * Whether an element may be charged less than `milliCredits`, so that an estimate is a ceiling.
   * Default: only with `ofInputs`.
   */
  readonly isCeiling?: boolean | ((params: z.output<P>) => boolean);
}

export interface Costed<P extends z.ZodObject> {
  /** Without it the node costs nothing. */
  readonly cost?: NodeCost<P>;
  /** Declared work units of one element; about a microsecond each. A slice holds 2,000. Default 5. */
  readonly work?: number | ((params: z.output<P>) => number);
}

export interface Limited<P extends z.ZodObject> {
  /** Only for tasks: after this the attempt is aborted and fails with `NODE_TIMEOUT`. */
  readonly timeLimitMs?: number;
  /**
   * Only for tasks: bytes that one run holds at once besides the values of its inputs: files that it
   * reads, rasters, wasm. Tasks begin as the isolate's memory budget has room. Default: that of its needs.
   */
  readonly memoryBytes?: number | ((params: z.output<P>, files: readonly FileRef[]) => number);
}
