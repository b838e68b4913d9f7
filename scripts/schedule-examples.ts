/** The examples of the routes of schedules. */
import type { ExampleRecorder } from "./example-recorder.ts";

/** Calls each route of schedules once. The times of the preview are of a year whose times are recorded as they are. */
export async function scheduleTour(call: ExampleRecorder["call"], workflow: string): Promise<void> {
  const schedules = "/api/v1/schedules";
  await call("previewSchedule", "POST", `${schedules}/preview`, {
    json: {
      cron: "30 2 * * *",
      time_zone: "Europe/Berlin",
      from: "2030-03-30T00:00:00Z",
      count: 3,
    },
  });
  const made = await call("createSchedule", "POST", schedules, {
    json: {
      name: "Card of the day",
      workflow,
      inputs: { name: { value: '"Ada Lovelace"' } },
      cron: "30 6 * * MON-FRI",
      time_zone: "Europe/Berlin",
      overlap: "queue",
    },
  });
  const one = `${schedules}/${made.id}`;
  await call("triggerSchedule", "POST", `${one}/trigger`);
  await call("listScheduleFirings", "GET", `${one}/firings`);
  await call("patchSchedule", "PATCH", one, {
    json: { jitter_seconds: 60 },
    headers: { "if-match": "*" },
  });
  await call("pauseSchedule", "POST", `${one}/pause`);
  await call("resumeSchedule", "POST", `${one}/resume`);
  await call("getSchedule", "GET", one);
  await call("listSchedules", "GET", schedules);
  await call("deleteSchedule", "DELETE", one);
}
