import { join } from "node:path";
import { silence } from "../test/chaos/silence.ts";
import type { RunningService } from "../test/support/node/start-service.ts";
import type { Execution } from "../src/contracts/runs/run.ts";
import { vectorCodes } from "./bench-workflows.ts";
import { edgeloom, peer, POLL_MS, type Started } from "./contenders.ts";
import type { Figure } from "./figure.ts";
import { httpCall } from "./http-call.ts";
import type { Peers } from "./start-peers.ts";
import { spread } from "./statistics.ts";
import { storedBlobs } from "./stored-files.ts";

export interface CancelOptions {
  readonly items?: number;
  readonly workflowsItems?: number;
  readonly rounds?: number;
}

/** Milliseconds from the response to the cancel until the run reports its end, and until its last effect. */
interface Cancelled {
  readonly overMs: number;
  readonly lastEffectMs: number;
  /** Effects before the run's end. */
  readonly effects: number;
}

/** terminate() takes effect only between steps that wait. */
const STEP_MS = 5;
const WAIT_MAX_MS = 20_000;

/**
 * W8: cancels a fan-out of tasks when some of them are done. An effect is a drawing of about 20 KiB that a task stored;
 * quick tasks share files. The time of the last file is read from the disk, bypassing the service.
 */
export async function measureCancel(
  service: RunningService,
  peers: Peers,
  { items = 10_000, workflowsItems = 1_000, rounds = 3 }: CancelOptions = {},
): Promise<Figure[]> {
  const [ours, theirs] = [[] as Cancelled[], [] as Cancelled[]];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await cancelOurs(service, items));
    theirs.push(await cancelWorkflows(peers, workflowsItems));
  }
  const name = `cancel of a fan-out of ${items.toLocaleString("en-US")} tasks under way`;
  const other = `Cloudflare Workflows, terminate(), a chain of ${workflowsItems.toLocaleString("en-US")} steps of ${STEP_MS} ms`;
  const last = ours.map(({ lastEffectMs }) => lastEffectMs);
  return [
    {
      workload: "W8",
      name: `${name}: from the acknowledgement to \`cancelled\``,
      unit: "ms",
      ours: spread(ours.map(({ overMs }) => overMs)),
      beside: [{ name: other, value: spread(theirs.map(({ overMs }) => overMs)) }],
      targets: [],
    },
    {
      workload: "W8",
      name: `${name}: from the acknowledgement to the last effect`,
      unit: "ms",
      ours: spread(last),
      beside: [{ name: other, value: spread(theirs.map(({ lastEffectMs }) => lastEffectMs)) }],
      targets: [],
      note: `${ours.map(({ effects }) => effects).join(", ")} drawings stored of ${items.toLocaleString("en-US")}`,
    },
  ];
}

async function cancelOurs(service: RunningService, items: number): Promise<Cancelled> {
  const { client } = service;
  const contender = await edgeloom(client, vectorCodes(items));
  const headers = { authorization: `Bearer ${await client.token()}` };
  const before = new Set((await blobs(service)).map(({ path }) => path));
  const started = await contender.start();
  await until(`${items} tasks to begin`, async () => {
    const settled = (await contender.countSettled?.(started)) ?? 0;
    return settled >= items / 50;
  });
  const response = await httpCall("POST", `${started.pollUrl}/cancel`, { headers });
  if (response.status !== 202 && response.status !== 200) {
    throw new Error(`A cancel returned ${response.status}: ${response.text}`);
  }
  const [ackedMs, ackedAt] = [Date.now(), performance.now()];
  await until("the cancelled run to end", async () => {
    const { status } = JSON.parse(
      (await httpCall("GET", started.pollUrl, { headers })).text,
    ) as Execution;
    if (status === "completed" || status === "failed") {
      throw new Error(`The run to cancel has status ${status}: the measurement is discarded.`);
    }
    return status === "cancelled";
  });
  const overMs = performance.now() - ackedAt;
  await silence(service.directory);
  const made = (await blobs(service)).filter(({ path }) => !before.has(path));
  const effects = (await contender.countSettled?.(started)) ?? 0;
  if (made.length === 0 || effects === 0 || effects >= items) {
    throw new Error(
      `${effects} of ${items} drawings were made, in ${made.length} files: the cancel came too early or too late.`,
    );
  }
  const lastMs = Math.max(...made.map(({ changedMs }) => changedMs));
  return { overMs, lastEffectMs: Math.max(0, lastMs - ackedMs), effects };
}

function blobs(service: RunningService) {
  return storedBlobs(join(service.directory, "r2"));
}

interface WorkflowsState {
  readonly status: string;
  readonly effects: number;
  readonly lastMs: number;
}

/** A chain, because a fan-out makes all its steps before the first of them is visible. */
async function cancelWorkflows(peers: Peers, items: number): Promise<Cancelled> {
  const contender = peer("Cloudflare Workflows", peers.workflowsUrl, `/?n=${items}&ms=${STEP_MS}`);
  const started = await contender.start();
  // Its own state changes only between steps, so the count is shown beside it.
  const made = () => read({ pollUrl: `${started.pollUrl}&count` });
  await until("Cloudflare Workflows to begin", async () => (await made()).effects >= items / 50);
  const cancelled = await httpCall("DELETE", started.pollUrl);
  if (cancelled.status !== 200) {
    throw new Error(`terminate() answered ${cancelled.status}: ${cancelled.text}`);
  }
  const [ackedMs, ackedAt] = [Date.now(), performance.now()];
  await until("Cloudflare Workflows to end", async () => {
    const { status } = await read(started);
    return status === "terminated";
  });
  const overMs = performance.now() - ackedAt;
  let before = -1;
  await until("Cloudflare Workflows to rest", async () => {
    await sleep(300);
    const { effects } = await made();
    const rests = effects === before;
    before = effects;
    return rests;
  });
  const { effects, lastMs } = await made();
  return { overMs, lastEffectMs: Math.max(0, lastMs - ackedMs), effects };
}

async function read({ pollUrl }: Started): Promise<WorkflowsState> {
  return JSON.parse((await httpCall("GET", pollUrl)).text) as WorkflowsState;
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WAIT_MAX_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) {
      throw new Error(`Waited ${WAIT_MAX_MS} ms for ${what}.`);
    }
    await sleep(POLL_MS);
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
