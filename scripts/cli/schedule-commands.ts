import { textOf } from "./arguments.ts";
import type { Command, Given, Route } from "./command.ts";
import { get, PAGE_QUERY, post } from "./route-commands.ts";
import { INPUT_FLAGS, submitBody } from "./run-commands.ts";
import { fieldsOfFlags } from "./send-route.ts";
import type { Session } from "./session.ts";

type Fields = NonNullable<Route["fields"]>;

const TIMING: Fields = {
  cron: ["cron", "text"],
  interval: ["interval_seconds", "number"],
  "time-zone": ["time_zone", "text"],
  "starts-at": ["starts_at", "nullable"],
};

const FIELDS: Fields = {
  name: ["name", "text"],
  ...TIMING,
  "ends-at": ["ends_at", "nullable"],
  "max-runs": ["max_runs", "json"],
  jitter: ["jitter_seconds", "number"],
  overlap: ["overlap", "text"],
  "catch-up": ["catch_up", "text"],
  "catch-up-window": ["catch_up_window_seconds", "number"],
  "time-input": ["scheduled_time_input", "nullable"],
};

const CREATE_FLAGS = {
  ...Object.fromEntries(Object.keys(FIELDS).map((flag) => [flag, { type: "string" } as const])),
  ...INPUT_FLAGS,
  "idempotency-key": { type: "string" },
} as const;

/** The submit that the schedule repeats is described by the flags of `runs submit`. */
async function createSchedule(session: Session, { args, flags }: Given): Promise<unknown> {
  const key = textOf(flags, "idempotency-key");
  return session.call("POST", "/api/v1/schedules", {
    json: { ...(await submitBody(args[0], flags)), ...fieldsOfFlags(FIELDS, flags) },
    ...(key !== undefined && { headers: { "idempotency-key": key } }),
  });
}

export const SCHEDULE_COMMANDS: readonly Command[] = [
  {
    words: "schedules list",
    about: "List schedules, newest first",
    columns: ["id", "name", "status", "cron", "interval_seconds", "next_at", "runs_started"],
    route: {
      operation: "listSchedules",
      method: "GET",
      path: "/api/v1/schedules",
      query: [...PAGE_QUERY, "status", "workflow"],
    },
  },
  {
    words: "schedules create",
    args: "WORKFLOW",
    about: "Start runs of a workflow at the times of --cron or --interval",
    operations: ["createSchedule"],
    flags: CREATE_FLAGS,
    run: createSchedule,
  },
  get("schedules get", "ID", "Show a schedule", "getSchedule", "/api/v1/schedules/{id}"),
  {
    words: "schedules update",
    args: "ID",
    about: "Change a schedule; --if-match * overwrites the current state",
    route: {
      operation: "patchSchedule",
      method: "PATCH",
      path: "/api/v1/schedules/{id}",
      headers: { "if-match": "if-match" },
      fields: { ...FIELDS, workflow: ["workflow", "text"], version: ["version", "json"] },
    },
  },
  {
    words: "schedules delete",
    args: "ID",
    about: "Delete a schedule; its runs stay",
    route: { operation: "deleteSchedule", method: "DELETE", path: "/api/v1/schedules/{id}" },
  },
  post(
    "schedules pause",
    "ID",
    "Start nothing until it is resumed",
    "pauseSchedule",
    "/api/v1/schedules/{id}/pause",
  ),
  post(
    "schedules resume",
    "ID",
    "Go on with the next time from now",
    "resumeSchedule",
    "/api/v1/schedules/{id}/resume",
  ),
  post(
    "schedules trigger",
    "ID",
    "Start a run of a schedule now",
    "triggerSchedule",
    "/api/v1/schedules/{id}/trigger",
  ),
  {
    words: "schedules firings",
    args: "ID",
    about: "List what happened at the latest times of a schedule",
    columns: ["scheduled_for", "due_at", "fired_at", "outcome", "execution", "error_code"],
    route: {
      operation: "listScheduleFirings",
      method: "GET",
      path: "/api/v1/schedules/{id}/firings",
      query: PAGE_QUERY,
    },
  },
  {
    words: "schedules preview",
    about: "Print the next times of --cron or --interval",
    route: {
      operation: "previewSchedule",
      method: "POST",
      path: "/api/v1/schedules/preview",
      fields: { ...TIMING, from: ["from", "text"], count: ["count", "number"] },
    },
  },
];
