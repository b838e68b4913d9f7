/** docs/contract/schedules.md#preview, in workerd: its time zone data and its clock are those of the service. */
import { describe, expect, test } from "vitest";
import { call, newCaller } from "../../support/api-caller.ts";
import { DAYLIGHT_SAVING_CASES } from "../../unit/domain/schedules/daylight-saving-cases.ts";

async function newPreview() {
  const { token } = await newCaller();
  return (json: unknown) => call("POST", "/api/v1/schedules/preview", { token, json });
}

const fieldsOf = (json: { errors?: { field: string }[] }) =>
  (json.errors ?? []).map(({ field }) => field).toSorted();

describe("a preview", () => {
  test("has the times of the hand-worked cases of daylight saving", async () => {
    const preview = await newPreview();
    for (const [zone, cron, after, ...expected] of DAYLIGHT_SAVING_CASES) {
      const { status, json, text } = await preview({
        cron,
        time_zone: zone,
        from: `${after}:00Z`,
        count: expected.length,
      });
      expect(status, text).toBe(200);
      expect([zone, cron, after, json.times]).toEqual([
        zone,
        cron,
        after,
        expected.map((time) => `${time}:00.000Z`),
      ]);
    }
  });

  test("of an interval counts from its start, strictly after the given time", async () => {
    const preview = await newPreview();
    const { json } = await preview({
      interval_seconds: 90,
      starts_at: "2026-01-01T00:00:00+01:00",
      from: "2025-12-31T23:01:30Z",
      count: 2,
    });
    expect(json.times).toEqual(["2025-12-31T23:03:00.000Z", "2025-12-31T23:04:30.000Z"]);
  });

  test("begins after the present and has ten times by default", async () => {
    const preview = await newPreview();
    const beforeMs = Date.now();
    const { json } = await preview({ cron: "* * * * *" });
    const times = (json.times as string[]).map((time) => Date.parse(time));
    expect(times).toHaveLength(10);
    expect(times[0]).toBeGreaterThan(beforeMs);
    expect(times.slice(1).map((time, i) => time - (times[i] ?? 0))).toEqual(Array(9).fill(60_000));
  });

  test("reports every problem of a body at once", async () => {
    const preview = await newPreview();
    const { status, json } = await preview({
      cron: "61 * * * *",
      interval_seconds: 60,
      time_zone: "+02:00",
      starts_at: "yesterday",
      from: "1969-12-31T23:59:59Z",
      count: 101,
      jitter: 1,
    });
    expect(status).toBe(400);
    expect(json.code).toBe("validation_error");
    expect(fieldsOf(json)).toEqual([
      "count",
      "cron",
      "cron",
      "from",
      "jitter",
      "starts_at",
      "time_zone",
    ]);
  });

  test("rejects a long expression, an unknown zone and a missing timing", async () => {
    const preview = await newPreview();
    for (const [body, field] of [
      [{ cron: "1,".repeat(50_000) }, "cron"],
      [{ cron: "0 0 31 2 *" }, "cron"],
      [{ cron: "* * * * *", time_zone: "Europe/Atlantis" }, "time_zone"],
      [{ cron: "* * * * *", time_zone: "__proto__" }, "time_zone"],
      [{}, "cron"],
      [{ cron: null, interval_seconds: null }, "cron"],
      [{ interval_seconds: 0 }, "interval_seconds"],
      [{ interval_seconds: 31_536_001 }, "interval_seconds"],
    ] as const) {
      const { status, json } = await preview(body);
      expect([body, status, fieldsOf(json)]).toEqual([body, 400, [field]]);
    }
  });
});
