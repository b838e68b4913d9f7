import type { Limits } from "./limit.ts";

const KB = 1024;
const SECOND = 1000;
const HOUR = 3_600_000;

/** Webhooks: a part of the table of limits. */
export const WEBHOOK_LIMITS = {
  webhook_timeout: {
    name: "Wait for a receiver's response",
    value: 15 * SECOND,
    unit: "milliseconds",
    reason: "A receiver should respond first and work later.",
  },
  webhook_deadline: {
    name: "Period in which a delivery is retried",
    value: 24 * HOUR,
    unit: "milliseconds",
    reason: "A receiver that is down for a night misses no event.",
  },
  webhook_event: {
    name: "Completion event",
    value: 20 * KB,
    unit: "bytes",
    reason: "Outputs beyond it are left out, and `outputs_truncated` is true.",
  },
  webhook_secret_overlap: {
    name: "Overlap of two signing secrets",
    value: 24 * HOUR,
    unit: "milliseconds",
    reason: "A day is enough to deploy the new secret.",
  },
  webhook_workflows: {
    name: "Workflows that one endpoint selects",
    value: 500,
    unit: "count",
    reason: "They are matched at the end of each run.",
  },
  webhook_history: {
    name: "Retention of deliveries and activity",
    value: 60 * 24 * HOUR,
    unit: "milliseconds",
    reason: "Long enough to look into an integration that failed.",
  },
  webhook_url: {
    name: "URL of a webhook endpoint",
    value: 4_096,
    unit: "characters",
    reason: "There is room for a token in the query.",
  },
  webhook_event_types: {
    name: "Event types of a webhook endpoint",
    value: 10,
    unit: "count",
    reason: "There are fewer types of events.",
  },
} as const satisfies Limits;
