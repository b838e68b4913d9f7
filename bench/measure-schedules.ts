import { setTimeout as sleep } from "node:timers/promises";
import { Cron } from "croner";
import { publish } from "../scripts/provision.ts";
import { previewTimes } from "../src/domain/schedules/preview-times.ts";
import { type RunningService, startService } from "../test/support/node/start-service.ts";
import { chain } from "./bench-workflows.ts";
import { atMost, type Figure } from "./figure.ts";
import { interleave } from "./interleave.ts";
import { median, spread, tail } from "./statistics.ts";

export interface SchedulesOptions {
  readonly schedules?: number;
  readonly intervalSeconds?: number;
  /** Firings of each schedule. */
  readonly firings?: number;
  readonly rounds?: number;
}

const [LATE_MAX_MS, OF_CRONER] = [1_000, 1] as const;
const TIMES = 1_000;
/** Of each kind of field, in zones with and without daylight saving. */
const EXPRESSIONS: readonly (readonly [cron: string, zone: string])[] = [
  ["*/5 * * * *", "UTC"],
  ["30 2 * * *", "Europe/Berlin"],
  ["0 9-17 * * MON-FRI", "America/New_York"],
  ["15 6 1,15 * *", "Asia/Kathmandu"],
];

interface Page<T> {
  readonly data: readonly T[];
}

interface Firing {
  readonly due_at: string;
  readonly fired_at: string | null;
  readonly outcome: string;
}

/** How late schedules fire that fire once a minute, and what their times cost beside croner. */
export async function measureSchedules(
  directory: string,
  { schedules = 1_000, intervalSeconds = 60, firings = 2, rounds = 15 }: SchedulesOptions = {},
): Promise<Figure[]> {
  const service = await startService({ directory });
  try {
    return [
      await measureLateness(service, schedules, intervalSeconds, firings),
      await measureTimes(rounds),
    ];
  } finally {
    await service.stop();
  }
}

/** Each counts from its own creation, so that they are spread over the interval as they were created. */
async function measureLateness(
  service: RunningService,
  schedules: number,
  intervalSeconds: number,
  firings: number,
): Promise<Figure> {
  const { client } = service;
  await allowSchedules(service, schedules);
  const workflow = await publish(client, chain(1));
  const made: string[] = [];
  const startedAt = Date.now();
  for (let at = 0; at < schedules; at += 1) {
    // Spread over the interval.
    await sleep(startedAt + (at * intervalSeconds * 1_000) / schedules - Date.now());
    const { id } = await client.call<{ id: string }>("POST", "/api/v1/schedules", {
      body: { name: `Schedule ${at}`, workflow, interval_seconds: intervalSeconds },
    });
    made.push(id);
  }
  await sleep((firings + 0.5) * intervalSeconds * 1_000);
  const late: number[] = [];
  for (const id of made) {
    const path = `/api/v1/schedules/${id}/firings?limit=100`;
    const { data } = await client.call<Page<Firing>>("GET", path);
    const fired = data.slice(-firings);
    if (fired.length < firings || data.some(({ outcome }) => outcome !== "started")) {
      throw new Error(`${id} fired ${JSON.stringify(data)}: the measurement is discarded.`);
    }
    late.push(
      ...fired.map(({ due_at, fired_at }) => Date.parse(fired_at ?? "") - Date.parse(due_at)),
    );
    const gaps = data
      .slice(1)
      .map(({ due_at }, at) => Date.parse(data[at]?.due_at ?? "") - Date.parse(due_at));
    if (gaps.some((gap) => gap !== intervalSeconds * 1_000)) {
      throw new Error(`${id} missed a time: the measurement is discarded.`);
    }
  }
  const p99 = tail(late, 0.99);
  return {
    name: `p99 of how late ${schedules.toLocaleString("en-US")} schedules of ${intervalSeconds} s fire, ${firings} times each`,
    unit: "ms",
    ours: p99,
    beside: [{ name: "the median", value: spread(late) }],
    targets: [atMost(`≤ ${LATE_MAX_MS} ms`, p99.median, LATE_MAX_MS)],
  };
}

/** The plan of the workspace may have as many schedules. */
async function allowSchedules(service: RunningService, schedules: number): Promise<void> {
  const { baseUrl, credentials } = service;
  const put = async (path: string, body: object) => {
    const response = await fetch(`${baseUrl}/admin/v1/${path}`, {
      method: "PUT",
      headers: {
        authorization: `Bearer ${credentials.admin_token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) {
      throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
    }
  };
  const limits = {
    max_schedules: schedules,
    min_schedule_interval_seconds: 1,
    requests_per_minute: 1_000_000,
    max_concurrent_executions: 1_000,
  };
  await put("plans/bench-schedules", { limits });
  await put(`workspaces/${credentials.workspace_id}/plan`, { plan: "bench-schedules" });
}

/** The next thousand times of expressions, read and computed, in one process. */
async function measureTimes(rounds: number): Promise<Figure> {
  const from = Date.UTC(2026, 0, 1);
  const ours = () =>
    EXPRESSIONS.map(
      ([cron, time_zone]) => previewTimes({ cron, time_zone, from, count: TIMES }, from).times,
    );
  const theirs = () =>
    EXPRESSIONS.map(([cron, timezone]) =>
      new Cron(cron, { timezone })
        .nextRuns(TIMES, new Date(from))
        .map((time) => time.toISOString()),
    );
  const [found, expected] = [ours(), theirs()];
  // Daylight saving differs by contract: docs/contract/schedules.md has the rules.
  const differing = found.flatMap((times, at) => {
    const known = new Set(expected[at]);
    return times.filter((time) => !known.has(time));
  });
  if (found.some(({ length }) => length !== TIMES) || differing.length > EXPRESSIONS.length * 4) {
    throw new Error(
      `${differing.join(", ")} are not in croner's times: the measurement is discarded.`,
    );
  }
  const timed = (work: () => unknown) => () => {
    const startedAt = performance.now();
    work();
    return Promise.resolve(performance.now() - startedAt);
  };
  const samples = await interleave(rounds, { ours: timed(ours), theirs: timed(theirs) });
  const ratio = median(samples.ours) / median(samples.theirs);
  return {
    name: `the next ${TIMES.toLocaleString("en-US")} times of ${EXPRESSIONS.length} cron expressions`,
    unit: "ms",
    ours: spread(samples.ours),
    beside: [{ name: "croner", value: spread(samples.theirs) }],
    targets: [atMost(`≤ ${OF_CRONER} × croner`, ratio, OF_CRONER)],
  };
}
