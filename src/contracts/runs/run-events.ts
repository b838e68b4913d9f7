import * as z from "zod";
import { RunStatus } from "./run.ts";
import { NodeTraceState } from "./trace.ts";

/** `data` of the server-sent events of a run, by event; each also carries `at`, ISO 8601. */
export const RUN_EVENT_DATA = {
  status: z.object({ status: RunStatus }),
  progress: z.object({ progress: z.int().min(0).max(100) }),
  /** The state of a node: counts are of its iterations, `total` is null until known. */
  node: z.object({
    node_id: z.string(),
    state: NodeTraceState,
    total: z.int().nullable(),
    completed: z.int(),
    reused: z.int(),
    failed: z.int(),
    blocked: z.int(),
    skipped: z.int(),
  }),
  /** One element of an output has settled; `/result` has its value. */
  output: z.object({
    node_id: z.string(),
    presence: z.enum(["present", "absent", "missing"]),
    input_indices: z.array(z.int()),
  }),
  /**
   * Text that a task in progress has emitted since the previous event of its element. It is not
   * stored and never part of a result. With `reset`, the text is complete so far and replaces all
   * earlier pieces.
   */
  text: z.object({
    node_id: z.string(),
    input_indices: z.array(z.int()),
    seq: z.int(),
    delta: z.string(),
    reset: z.boolean(),
  }),
  /** The last event of every run. */
  done: z.object({ status: RunStatus }),
} as const;

type EventName = keyof typeof RUN_EVENT_DATA;

export type RunEventBody = {
  [E in EventName]: {
    readonly event: E;
    readonly atMs: number;
    readonly data: z.infer<(typeof RUN_EVENT_DATA)[E]>;
  };
}[EventName];
