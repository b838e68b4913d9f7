import type { SchedulePreview } from "../../contracts/schedules/schedule-preview.ts";
import { nominalTimes } from "./times/nominal-times.ts";

interface PreviewRequest {
  readonly cron?: string | null | undefined;
  readonly interval_seconds?: number | null | undefined;
  readonly time_zone: string;
  /** Milliseconds since 1970, as `from`. */
  readonly starts_at?: number | null | undefined;
  readonly from?: number | null | undefined;
  readonly count: number;
}

/** Returns the first `count` nominal times strictly after `from`, by default `nowMs`. An interval without `starts_at` counts from there. */
export function previewTimes(request: PreviewRequest, nowMs: number): SchedulePreview {
  const fromMs = request.from ?? nowMs;
  const times = nominalTimes({
    cron: request.cron ?? null,
    interval_seconds: request.interval_seconds ?? null,
    time_zone: request.time_zone,
    starts_at_ms: request.starts_at ?? null,
    ends_at_ms: null,
    created_at_ms: fromMs,
  });
  const found: string[] = [];
  for (
    let at = times.next(fromMs);
    at !== null && found.length < request.count;
    at = times.next(at)
  ) {
    found.push(new Date(at).toISOString());
  }
  return { times: found };
}
