import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "../scripts/api-client.ts";
import { publish } from "../scripts/provision.ts";
import { awaitEnds, peer, type Started } from "./contenders.ts";
import { httpCall } from "./http-call.ts";
import { atLeast, atMost, type Figure } from "./figure.ts";
import { openLoop } from "./open-loop.ts";
import type { Peers } from "./start-peers.ts";
import { median, quantile, spread } from "./statistics.ts";

const CLIENTS = 8;

/**
 * After this time the objects of the saturating windows are evicted, which takes ten seconds, and the file system
 * reuses their inodes, which takes a minute (docs/decisions/measuring.md).
 */
const REST_MS = 80_000;

export interface SubmitsOptions {
  readonly windowMs?: number;
  readonly rounds?: number;
  /** More windows for figures that a single pause can decide. */
  readonly pacedRounds?: number;
  readonly restMs?: number;
}

/** The required share of the bare rate with clients that never pause. */
const RATE_FRACTION_MIN = 0.7;

/** The share of the bare rate at which the paced clients submit together. */
const PACED_FRACTION = 0.45;

/**
 * The time of a submit with 8 clients that together submit at 45 % of the bare rate; and the rate and time with 8 clients
 * that never pause. Eight clients without pauses wait, on average, eight times the service's time for one submit: at 45
 * % of 350 a second that alone is 51 ms, so a bound of 50 ms only makes sense for a service that is not saturated. All
 * beside the creation of bare objects.
 */
export async function measureSubmits(
  client: ApiClient,
  peers: Peers,
  { windowMs = 3_000, rounds = 3, pacedRounds = 5, restMs = REST_MS }: SubmitsOptions = {},
): Promise<Figure[]> {
  const workflow = await publish(client, {
    name: "Bench: echo",
    definition: {
      nodes: [
        { id: "in", type: "input/text", label: "in" },
        { id: "out", type: "output/text", parameters: { key: "out" } },
      ],
      connections: [{ from: { node: "in", port: "text" }, to: { node: "out", port: "text" } }],
    },
  });
  const headers = {
    authorization: `Bearer ${await client.token()}`,
    "content-type": "application/json",
  };
  const body = JSON.stringify({ workflow, inputs: { in: { value: '"x"' } } });
  const submit = () => httpCall("POST", `${client.baseUrl}/api/v1/executions`, { headers, body });
  const create = () => httpCall("POST", `${peers.bareUrl}/new`);
  await load(submit, windowMs / 3);
  await load(create, windowMs / 3);
  const [ours, bare] = [[] as number[], [] as number[]];
  const [p99, bareP99] = [[] as number[], [] as number[]];
  for (let round = 0; round < rounds; round += 1) {
    const submitted = await load(submit, windowMs);
    const before = await countRuns(client);
    ours.push(submitted.perSecond);
    p99.push(quantile(submitted.latenciesMs, 0.99));
    const created = await load(create, windowMs);
    bare.push(created.perSecond);
    bareP99.push(quantile(created.latenciesMs, 0.99));
    await drained(client);
    if (before < submitted.latenciesMs.length) {
      throw new Error(
        `${submitted.latenciesMs.length} submits were accepted, ${before} runs are listed.`,
      );
    }
  }
  await sleep(restMs);
  const perSecond = Math.ceil(PACED_FRACTION * median(bare));
  const paced = {
    perSecond,
    calls: Math.round((perSecond * windowMs) / 1000),
    clients: CLIENTS,
  };
  const [due, bareDue] = [[] as number[], [] as number[]];
  for (let round = 0; round < pacedRounds; round += 1) {
    const before = await countRuns(client);
    due.push(quantile(await openLoop(() => accepted(submit), paced), 0.99));
    await drained(client);
    const made = (await countRuns(client)) - before;
    if (made !== paced.calls) {
      throw new Error(`${paced.calls} submits were accepted, ${made} runs are listed.`);
    }
    bareDue.push(quantile(await openLoop(() => accepted(create), paced), 0.99));
  }
  const workflows = await loadWorkflows(peers, windowMs, rounds);
  return [
    {
      workload: "W6",
      name: `submits at ${CLIENTS} clients`,
      unit: "a second",
      ours: spread(ours),
      beside: [
        { name: "bare new objects", value: spread(bare) },
        { name: "Cloudflare Workflows, create()", value: spread(workflows.perSecond) },
      ],
      targets: [
        atLeast(
          "≥ 70 % of the bare rate",
          (100 * median(ours)) / median(bare),
          100 * RATE_FRACTION_MIN,
        ),
      ],
    },
    {
      workload: "W6",
      name: `p99 of a submit at ${CLIENTS} clients that never pause`,
      unit: "ms",
      ours: spread(p99),
      beside: [
        { name: "bare new objects", value: spread(bareP99) },
        { name: "Cloudflare Workflows, create()", value: spread(workflows.p99) },
      ],
      targets: [],
    },
    {
      workload: "W6",
      name: `p99 of a submit at ${CLIENTS} clients, together 45 % of the bare rate (${perSecond} a second)`,
      unit: "ms",
      ours: spread(due),
      beside: [{ name: "bare new objects", value: spread(bareDue) }],
      targets: [atMost("< 50 ms", median(due), 50)],
    },
  ];
}

/**
 * The same for Cloudflare Workflows: an instance without a step, because the echo has none. Measured last, so that
 * leftovers of its instances affect nothing else.
 */
async function loadWorkflows(peers: Peers, windowMs: number, rounds: number) {
  const contender = peer("Cloudflare Workflows", peers.workflowsUrl, "/?n=0");
  const [perSecond, p99] = [[] as number[], [] as number[]];
  for (let round = -1; round < rounds; round += 1) {
    const started: Started[] = [];
    const create = async () => {
      started.push(await contender.start());
      return { status: 202, text: "" };
    };
    const created = await load(create, round < 0 ? windowMs / 3 : windowMs);
    await awaitEnds(contender, started, 0);
    if (round >= 0) {
      perSecond.push(created.perSecond);
      p99.push(quantile(created.latenciesMs, 0.99));
    }
  }
  return { perSecond, p99 };
}

async function accepted(
  call: () => Promise<{ readonly status: number; readonly text: string }>,
): Promise<void> {
  const { status, text } = await call();
  if (status !== 202) {
    throw new Error(`A submit returned ${status}: ${text}`);
  }
}

async function load(
  call: () => Promise<{ status: number; text: string }>,
  windowMs: number,
): Promise<{ perSecond: number; latenciesMs: number[] }> {
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const worker = async () => {
    while (performance.now() - startedAt < windowMs) {
      const sentAt = performance.now();
      const { status, text } = await call();
      if (status !== 202) {
        throw new Error(`A submit returned ${status}: ${text}`);
      }
      latenciesMs.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, worker));
  return { perSecond: (latenciesMs.length * 1000) / (performance.now() - startedAt), latenciesMs };
}

async function countRuns(client: ApiClient, status = ""): Promise<number> {
  const query = status === "" ? "limit=1" : `limit=1&status=${status}`;
  const { total_count: total } = await client.call<{ total_count: number }>(
    "GET",
    `/api/v1/executions?${query}`,
  );
  return total;
}

/** Waits until accepted runs have ended, so that the next window starts idle. */
async function drained(client: ApiClient): Promise<void> {
  for (let waits = 0; waits < 300; waits += 1) {
    if ((await countRuns(client, "pending")) + (await countRuns(client, "running")) === 0) {
      if ((await countRuns(client, "failed")) > 0) {
        throw new Error("Submitted runs failed.");
      }
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("Submitted runs are still not done after 30 s.");
}
