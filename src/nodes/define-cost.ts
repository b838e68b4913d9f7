/** The cost and the limits of one element of a node: credits, work units, time and memory. */
import type { StoredReferences } from "../contracts/references.ts";
import type * as z from "zod";
import type { UsageUnit } from "../contracts/runs/task.ts";
import type { FileRef } from "../lib/files/file-ref.ts";
import type { ConnectedPort, NodeInputs } from "./define-ports.ts";

/** The charge for one element of a node. See docs/decisions/task-costs.md. */
export interface NodeCost<P extends z.ZodObject> {
  /** The unit of the reported usage. */
  readonly unit: UsageUnit;
  /**
   * The highest charge for one element, in whole milli-credits (1,000 = 1 credit), not negative. It is reserved before
   * the element starts. A number if it does not depend on parameters and connections.
   */
  readonly milliCredits:
    | number
    | ((
        params: z.output<P>,
        connected: readonly ConnectedPort[],
        stored: StoredReferences,
      ) => number);
  /**
   * The charge for an element with these inputs, if it follows from them (for example the characters of a text). It is
   * capped at `milliCredits`. A charge reported with `ctx.task.charge` takes precedence.
   */
  ofInputs?(
    inputs: NodeInputs,
    params: z.output<P>,
  ): { readonly milliCredits: number; readonly quantity: number | null };
  /**
   * Whether an element may be charged less than `milliCredits`, which makes an estimate a ceiling. The default is true
   * with `ofInputs` and false otherwise.
   */
  readonly isCeiling?:
    | boolean
    | ((
        params: z.output<P>,
        stored: StoredReferences,
        connected: readonly ConnectedPort[],
      ) => boolean);
}

export interface Costed<P extends z.ZodObject> {
  /** Omit it for a node that costs nothing. */
  readonly cost?: NodeCost<P>;
  /** Declared work units of one element, about a microsecond each. A slice holds 2,000. The default is 5. */
  readonly work?: number | ((params: z.output<P>) => number);
}

export interface Limited<P extends z.ZodObject> {
  /** Tasks only: after this time the attempt is aborted and fails with `NODE_TIMEOUT`. */
  readonly timeLimitMs?: number;
  /**
   * Tasks only: bytes that one execution holds besides the values of its inputs, such as files that it reads, rasters
   * and wasm memory. A task starts when the isolate's memory budget has room for them. The default follows from the
   * node's needs.
   */
  readonly memoryBytes?: number | ((params: z.output<P>, files: readonly FileRef[]) => number);
}
