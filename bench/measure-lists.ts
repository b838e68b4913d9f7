import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Log, LogLevel, Miniflare } from "miniflare";
import { bundleWorker } from "../scripts/bundle-worker.ts";
import { freePort } from "../scripts/free-port.ts";
import type { RunListFilter } from "../src/contracts/workspaces/admission.ts";
import { createdAtMs } from "../test/support/tenant/half-million-runs.ts";
import { atMost, type Figure } from "./figure.ts";
import { interleave } from "./interleave.ts";
import type { ListAnswered, ListAsked, ListScanned } from "./list-answers.ts";
import { median, spread } from "./statistics.ts";

const ROUNDS = 9;
/** Lists made in one request to the object, so that the resolution of its clock does not matter. */
const TIMES = 10;
const [ALONE_MAX_MS, COMBINED_MAX_MS] = [5, 50] as const;

const ALL: RunListFilter = {
  limit: 25,
  starting_after: null,
  status: null,
  workflow_id: null,
  created_after_ms: null,
  created_before_ms: null,
};
const MONTH = { created_after_ms: createdAtMs(100_300), created_before_ms: createdAtMs(400_700) };

/** Each filter alone, and status with workflow and dates. */
const ALONE: Readonly<Record<string, Partial<RunListFilter>>> = {
  "no filter": {},
  "a page of 100": { limit: 100 },
  "status that most have": { status: "completed" },
  "status that few have": { status: "failed" },
  "status that only the oldest have": { status: "partial_success" },
  "status of live runs": { status: "running" },
  "workflow that most are of": { workflow_id: "wf_main" },
  "workflow that ran once": { workflow_id: "wf_rare" },
  dates: MONTH,
  "dates of one minute": {
    created_after_ms: createdAtMs(9_000),
    created_before_ms: createdAtMs(9_012),
  },
  "status and workflow": { status: "failed", workflow_id: "wf_main" },
  "status and dates": { ...MONTH, status: "cancelled" },
  "workflow and dates": { ...MONTH, workflow_id: "wf_7" },
  "status, workflow and dates": { ...MONTH, status: "completed", workflow_id: "wf_7" },
  "batch of 10,000": { labels: { batch: "bat_block" } },
  "batch of 100": { labels: { batch: "bat_500" } },
  "schedule of a third of all runs": { labels: { schedule: "sch_often" } },
  "the run that is retried": { labels: { retry_of: `run_${"2000".padStart(32, "0")}` } },
  "client reference of half of all runs": { labels: { client_reference: "nightly" } },
  "client reference of one run": { labels: { client_reference: "ref_250001" } },
  "embed of four fifths of all runs": { labels: { embed: "emb_main" } },
  "end user with 30 runs in each 1,024": { labels: { end_user_id: "user_thin" } },
};

const COMBINED: Readonly<Record<string, Partial<RunListFilter>>> = {
  "embed and status": { status: "completed", labels: { embed: "emb_main" } },
  "embed, status, workflow and dates": {
    ...MONTH,
    status: "completed",
    workflow_id: "wf_main",
    labels: { embed: "emb_main" },
  },
  "embed and dates": { ...MONTH, labels: { embed: "emb_main" } },
  "embed and end user": { labels: { embed: "emb_main", end_user_id: "user_thin" } },
  "embed, reference and schedule": {
    labels: { embed: "emb_main", client_reference: "nightly", schedule: "sch_often" },
  },
  "all of them": {
    ...MONTH,
    status: "completed",
    workflow_id: "wf_main",
    labels: { embed: "emb_main", client_reference: "nightly", schedule: "sch_often" },
  },
  "end user and status": { status: "completed", labels: { end_user_id: "user_thin" } },
  "batch and status": { status: "failed", labels: { batch: "bat_block" } },
};

/**
 * Pages of lists at 500,000 runs, first and deep ones: the object's own time, beside an indexed query of a bare object.
 */
export async function measureLists(directory: string): Promise<Figure[]> {
  const worker = fileURLToPath(new URL("peers/lists-worker.ts", import.meta.url));
  const instance = new Miniflare({
    host: "127.0.0.1",
    port: await freePort(),
    cf: false,
    logRequests: false,
    log: new Log(LogLevel.ERROR),
    compatibilityDate: "2026-07-01",
    compatibilityFlags: ["nodejs_compat"],
    modules: [...(await bundleWorker(worker))],
    bindings: { ...UNUSED, ENVIRONMENT: "local", BOOT_ID: "bench", BASE_URL: "" },
    r2Buckets: ["FILES"],
    durableObjects: {
      FILLED: { className: "FilledWorkspace", useSQLite: true },
      BARE: { className: "BareRuns", useSQLite: true },
    },
    durableObjectsPersist: join(directory, "objects"),
    r2Persist: join(directory, "files"),
  });
  try {
    const origin = await instance.ready;
    for (const name of ["filled", "bare"]) {
      await expectOk(fetch(new URL(name, origin), { method: "PUT" }));
    }
    // The filled object is started again.
    await new Promise((resolve) => setTimeout(resolve, 500));
    return [
      await measureKind(origin, ALONE, "one filter, or status, workflow and dates", ALONE_MAX_MS),
      await measureKind(origin, COMBINED, "labels with other filters", COMBINED_MAX_MS),
    ];
  } finally {
    await instance.dispose();
  }
}

async function measureKind(
  origin: URL,
  filters: Readonly<Record<string, Partial<RunListFilter>>>,
  kind: string,
  maxMs: number,
): Promise<Figure> {
  const pages: Record<string, () => Promise<number>> = {};
  for (const [name, more] of Object.entries(filters)) {
    const filter = { ...ALL, ...more };
    const first = await ask<ListScanned>(origin, "bare", { filter, times: 0 });
    pages[name] = timed(origin, filter, first);
    if (first.deep !== null && first.total > filter.limit) {
      const deepFilter = { ...filter, starting_after: first.deep };
      const deep = await ask<ListScanned>(origin, "bare", { filter: deepFilter, times: 0 });
      pages[`${name}, a deep page`] = timed(origin, deepFilter, deep);
    }
  }
  const floor = async () => (await ask(origin, "bare", { filter: ALL, times: TIMES })).ms;
  const samples = await interleave<string>(ROUNDS, { ...pages, [FLOOR]: floor });
  const medians = Object.keys(pages).map((name) => ({ name, ms: median(samples[name] ?? []) }));
  medians.sort((a, b) => b.ms - a.ms);
  const slowest = medians[0] ?? { name: "", ms: Number.NaN };
  return {
    name: `500,000 runs, the slowest list by ${kind}: ${slowest.name}`,
    unit: "ms",
    ours: spread(samples[slowest.name] ?? []),
    beside: [{ name: FLOOR, value: spread(samples[FLOOR] ?? []) }],
    targets: [atMost(`≤ ${String(maxMs)} ms of the object's time`, slowest.ms, maxMs)],
    note: medians.map(({ name, ms }) => `${name} ${ms.toFixed(1)}`).join("; "),
  };
}

/** Variables that the API Worker's objects require and lists do not use. */
const UNUSED = {
  ...Object.fromEntries(
    [
      "DB",
      "RUN",
      "WORKSPACE",
      "RATE_LIMITER",
      "RUN_GROUP",
      "ORGANIZATION_ACCESS",
      "WEBHOOK_ENDPOINT",
      "UPLOAD",
      "TEMPLATE_DRAFT",
      "NODE_TASKS",
      "WEBHOOK_DELIVERIES",
      "ZIP_EXPORT",
      "ZIP_BUILDERS",
      "BATCH_EXPORTS",
      "RESULT_CACHE",
      "ORGANIZATION_MOVES",
      "THUMBNAILS",
      "MODEL_PROVIDERS",
      "FONT_CHECKER",
      "FILE_TYPES",
      "RENDERER",
    ].map((name) => [name, {}]),
  ),
  JWT_SECRET: "nothing is signed in this measurement",
};

const FLOOR = "a bare object's indexed query for 25 rows, nothing counted";

/** Milliseconds of one list. Throws if its page or count differs from a scan of all runs. */
function timed(origin: URL, filter: RunListFilter, expected: ListAnswered): () => Promise<number> {
  return async () => {
    const { ms, total, ids } = await ask(origin, "filled", { filter, times: TIMES });
    if (total !== expected.total || ids.join() !== expected.ids.join()) {
      throw new Error(
        `${JSON.stringify(filter)} returned ${String(total)} runs from ${String(ids[0])}, not ${String(expected.total)} from ${String(expected.ids[0])}.`,
      );
    }
    return ms;
  };
}

async function ask<T = ListAnswered>(origin: URL, name: string, asked: ListAsked): Promise<T> {
  const response = await expectOk(
    fetch(new URL(name, origin), { method: "POST", body: JSON.stringify(asked) }),
  );
  return (await response.json()) as T;
}

async function expectOk(call: Promise<Response>): Promise<Response> {
  const response = await call;
  if (!response.ok) {
    throw new Error(
      `${response.url} answered ${String(response.status)}: ${await response.text()}`,
    );
  }
  return response;
}
