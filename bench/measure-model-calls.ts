import { fileURLToPath } from "node:url";
import { Log, LogLevel, Miniflare } from "miniflare";
import { bundleWorker } from "../scripts/bundle-worker.ts";
import { freePort } from "../scripts/free-port.ts";
import { workerdsOf } from "./child-workerds.ts";
import { atMost, type Figure } from "./figure.ts";
import { interleave } from "./interleave.ts";
import type { ModelCallsOrder } from "./model-calls-order.ts";
import { type ModelServers, noisePng, startModelServers } from "./model-servers.ts";
import { processorTimeUs } from "./processor-time.ts";
import { median, spread } from "./statistics.ts";

/** Of a picture of 1 MiB. */
const SIDE = 591;
/** Polls of a job that is not done yet; the one after these finds its output. */
const POLLS = 3;
const RATIO_MAX = 1.3;

export interface ModelCallOptions {
  readonly rounds?: number;
  /** Calls of a sample; a quarter of them are calls for pictures. */
  readonly calls?: number;
}

interface Row {
  readonly what: ModelCallsOrder["what"];
  readonly name: string;
  readonly client: string;
  readonly baseUrl: string;
  readonly calls: number;
}

/**
 * Processor time of a call of a model in workerd: the service's adapter and the provider's own client, in one isolate and in
 * turns, against a server on this machine whose responses are immediate. The adapter checks addresses, sizes and bytes besides.
 */
export async function measureModelCalls({
  rounds = 9,
  calls = 200,
}: ModelCallOptions = {}): Promise<Figure[]> {
  const servers = await startModelServers(await noisePng(SIDE), POLLS);
  const others = await workerdsOf(process.pid);
  const port = await freePort();
  const miniflare = new Miniflare({
    host: "127.0.0.1",
    port: 0,
    unsafeDirectSockets: [{ host: "127.0.0.1", port }],
    cf: false,
    logRequests: false,
    log: new Log(LogLevel.ERROR),
    compatibilityDate: "2026-07-01",
    compatibilityFlags: ["nodejs_compat"],
    name: "model-calls",
    modules: [
      ...(await bundleWorker(
        fileURLToPath(new URL("peers/model-calls-worker.ts", import.meta.url)),
      )),
    ],
  });
  try {
    await miniflare.ready;
    const [pid] = (await workerdsOf(process.pid)).filter((other) => !others.includes(other));
    if (pid === undefined) {
      throw new Error("The Worker of model calls has no workerd.");
    }
    const figures: Figure[] = [];
    for (const row of rowsOf(servers, calls)) {
      figures.push(
        await measureRow(row, { servers, rounds, url: `http://127.0.0.1:${port}`, pid }),
      );
    }
    return figures;
  } finally {
    await miniflare.dispose();
    servers.stop();
  }
}

function rowsOf({ openai, replicate, fal }: ModelServers, calls: number): readonly Row[] {
  const compatible = { client: "openai", baseUrl: `http://${openai.host}/v1` };
  const some = Math.ceil(calls / 4);
  return [
    { what: "text", name: "a text call", ...compatible, calls },
    { what: "streamed text", name: "a text call, streamed in 200 deltas", ...compatible, calls },
    { what: "picture", name: "a picture call, base64 of 1 MiB", ...compatible, calls: some },
    {
      what: "replicate",
      name: `a job call of Replicate, ${POLLS + 1} polls and 1 MiB`,
      client: "replicate",
      baseUrl: replicate.base,
      calls: some,
    },
    {
      what: "fal",
      name: `a job call of fal, ${POLLS + 1} polls and 1 MiB`,
      client: "@fal-ai/client",
      baseUrl: fal.origin,
      calls: some,
    },
  ];
}

async function measureRow(
  { what, name, client, baseUrl, calls }: Row,
  {
    servers,
    rounds,
    url,
    pid,
  }: { servers: ModelServers; rounds: number; url: string; pid: number },
): Promise<Figure> {
  const sizes = new Set<number>();
  const requests = { ours: new Set<number>(), theirs: new Set<number>() };
  const timed = (who: ModelCallsOrder["who"]) => async () => {
    servers.forget();
    const before = await processorTimeUs(pid);
    const order: ModelCallsOrder = { who, what, count: calls, baseUrl };
    const response = await fetch(url, { method: "POST", body: JSON.stringify(order) });
    if (!response.ok) {
      throw new Error(`${name} by ${who}: ${await response.text()}`);
    }
    sizes.add(((await response.json()) as { bytes: number }).bytes);
    const spent = (await processorTimeUs(pid)) - before;
    requests[who].add(received(servers));
    return spent / 1_000 / calls;
  };
  const samples = await interleave(rounds, { ours: timed("ours"), theirs: timed("theirs") });
  // Both have read the same answers, with the same number of requests.
  if (sizes.size !== 1 || sizes.has(0) || requests.ours.size !== 1) {
    throw new Error(`${name}: answers of ${[...sizes].join(", ")} bytes.`);
  }
  return {
    name: `${name}: processor time in workerd`,
    unit: "ms",
    ours: spread(samples.ours),
    beside: [{ name: `the client ${client}, in the same isolate`, value: spread(samples.theirs) }],
    targets: [
      atMost(
        `<= ${RATIO_MAX} x the client`,
        median(samples.ours) / median(samples.theirs),
        RATIO_MAX,
      ),
    ],
    note: `${[...requests.ours].join("/")} requests against ${[...requests.theirs].join("/")} for ${calls} calls`,
  };
}

function received({ openai, replicate, fal }: ModelServers): number {
  return [openai, replicate.server, fal.server].reduce(
    (sum, server) => sum + server.received.length,
    0,
  );
}
