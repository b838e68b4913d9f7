import type { Limit } from "./limit.ts";

/** Limits of tasks other than their attempts: a part of the table of limits. */
export const TASK_LIMITS = {
  give_backs: {
    name: "Times that one task may be given back",
    value: 20,
    unit: "count",
    reason:
      "A worker that is being replaced or has no room returns a task without using up an attempt. With its pauses this lasts 7 to 14 minutes, longer than a deploy.",
    group: "Runs",
  },
  growing_text: {
    name: "Text of one element that is shown as it grows",
    value: 262_144,
    unit: "characters",
    reason:
      "Run objects hold it in memory while its task is in progress. Text beyond the limit is in the output only.",
    group: "Runs",
  },
  growing_texts: {
    name: "Text of one run that is shown as it grows, all elements together",
    value: 1_048_576,
    unit: "characters",
    reason: "The memory of an isolate, which many runs share.",
    group: "Runs",
  },
} as const satisfies Readonly<Record<string, Limit>>;
