import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../scripts/free-port.ts";
import { startService } from "../test/support/node/start-service.ts";
import { WebhookClient } from "../test/support/node/webhook-client.ts";
import { atLeast, atMost, type Figure } from "./figure.ts";
import { median, quantile, spread } from "./statistics.ts";

const IDLE_RUNS = 200;
const IDLE_BLOCKS = 10;
/** Pause between two runs, so that nothing else is under way. */
const IDLE_GAP_MS = 15;
const ROUNDS = 5;
const ENDPOINTS = 8;
const RUNS_A_ROUND = 60;
const HANG_ROUNDS = 4;
const HANG_RUNS = 60;
const RECENT_MAX = 50;

interface Arrival {
  readonly path: string;
  readonly atMs: number;
  readonly body: string;
}

/** Deliveries to a receiver on this machine: latency when idle, rate, and latency beside a receiver that hangs. */
export async function measureWebhooks(directory: string): Promise<Figure[]> {
  const receiver = await Receiver.start();
  const service = await startService({
    directory: join(directory, "service"),
    env: { EGRESS_ALLOW_LOOPBACK: receiver.host },
  });
  try {
    const webhooks = new WebhookClient(service);
    const workflow = await webhooks.echoWorkflow();
    const floor = await startFloor(join(directory, "floor"));
    try {
      return [
        await measureIdle(webhooks, workflow, receiver, floor),
        await measureHanging(webhooks, workflow, receiver),
        await measureSustained(webhooks, workflow, receiver, floor),
      ];
    } finally {
      floor.stop();
    }
  } finally {
    await service.stop();
    receiver.stop();
  }
}

async function measureIdle(
  webhooks: WebhookClient,
  workflow: string,
  receiver: Receiver,
  floor: Floor,
): Promise<Figure> {
  const { id } = await webhooks.active(receiver.url("/idle"));
  await latencies(webhooks, workflow, receiver, "/idle", 20);
  const [samples, bare] = [[] as number[], [] as number[]];
  for (let block = 0; block < IDLE_BLOCKS; block += 1) {
    samples.push(
      ...(await latencies(webhooks, workflow, receiver, "/idle", IDLE_RUNS / IDLE_BLOCKS)),
    );
    for (let i = 0; i < IDLE_RUNS / IDLE_BLOCKS; i += 1) {
      const startedMs = performance.timeOrigin + performance.now();
      const body = `floor ${block}.${i}.`;
      await floor.deliver({ count: 1, objects: 1, url: receiver.url("/floor"), body });
      bare.push((await receiver.arrival("/floor", body)).atMs - startedMs);
      await new Promise((resolve) => setTimeout(resolve, IDLE_GAP_MS));
    }
  }
  await webhooks.call("DELETE", `/endpoints/${id}`);
  return {
    name: "from a run's end to the first byte at the receiver, idle",
    unit: "ms",
    ours: spread(samples),
    beside: [{ name: "the bare queue hop, object write and fetch", value: spread(bare) }],
    note: `p99 of the bare path ${quantile(bare, 0.99).toFixed(1)} ms`,
    targets: [atMost("p99 < 100 ms", quantile(samples, 0.99), 100)],
  };
}

/** The same runs while another endpoint of the workspace is paused, and while it hangs with a backlog. */
async function measureHanging(
  webhooks: WebhookClient,
  workflow: string,
  receiver: Receiver,
): Promise<Figure> {
  const good = await webhooks.active(receiver.url("/good"));
  const other = await webhooks.active(receiver.url("/hang"));
  const [paused, hanging] = [[] as number[], [] as number[]];
  for (let round = -1; round < HANG_ROUNDS; round += 1) {
    await webhooks.call("POST", `/endpoints/${other.id}/pause`);
    const calm = await latencies(webhooks, workflow, receiver, "/good", HANG_RUNS);
    receiver.hangsAt = "/hang";
    await webhooks.call("POST", `/endpoints/${other.id}/activate`);
    const beside = await latencies(webhooks, workflow, receiver, "/good", HANG_RUNS);
    if (round >= 0) {
      paused.push(...calm);
      hanging.push(...beside);
    }
  }
  receiver.hangsAt = undefined;
  for (const { id } of [good, other]) {
    await webhooks.call("DELETE", `/endpoints/${id}`);
  }
  const [p99, calmP99] = [quantile(hanging, 0.99), quantile(paused, 0.99)];
  return {
    name: "the same beside an endpoint whose receiver hangs",
    unit: "ms",
    ours: spread(hanging),
    beside: [{ name: "beside one that is paused", value: spread(paused) }],
    targets: [atMost("p99 rises by ≤ 20 ms", p99 - calmP99, 20)],
    note: `p99 ${p99.toFixed(1)} against ${calmP99.toFixed(1)} ms`,
  };
}

/** A backlog that is released at once: paused endpoints are activated together. */
async function measureSustained(
  webhooks: WebhookClient,
  workflow: string,
  receiver: Receiver,
  floor: Floor,
): Promise<Figure> {
  const ids: string[] = [];
  for (let i = 0; i < ENDPOINTS; i += 1) {
    ids.push((await webhooks.active(receiver.url(`/sustained/${i}`))).id);
  }
  const count = ENDPOINTS * RUNS_A_ROUND;
  const [ours, bare] = [[] as number[], [] as number[]];
  let body = "";
  for (let round = -1; round < ROUNDS; round += 1) {
    await Promise.all(ids.map((id) => webhooks.call("POST", `/endpoints/${id}/pause`)));
    for (let run = 0; run < RUNS_A_ROUND; run += 1) {
      await webhooks.run(workflow);
    }
    await suspended(webhooks, count);
    const rate = await receiver.rateOf("/sustained/", count, () =>
      Promise.all(ids.map((id) => webhooks.call("POST", `/endpoints/${id}/activate`))),
    );
    body = receiver.lastBody;
    const floorRate = await receiver.rateOf("/floor", count, () =>
      floor.deliver({ count, objects: ENDPOINTS, url: receiver.url("/floor"), body }),
    );
    if (round >= 0) {
      ours.push(rate);
      bare.push(floorRate);
    }
  }
  return {
    name: `deliveries to ${ENDPOINTS} endpoints`,
    unit: "a second",
    ours: spread(ours),
    beside: [
      { name: "a queue hop, two object writes and a signed fetch, bare", value: spread(bare) },
    ],
    targets: [atLeast("≥ 60 % of the floor", (100 * median(ours)) / median(bare), 60)],
  };
}

/** Milliseconds from the end in an event to its arrival, for consecutive runs. */
async function latencies(
  webhooks: WebhookClient,
  workflow: string,
  receiver: Receiver,
  path: string,
  count: number,
): Promise<number[]> {
  const samples: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const run = await webhooks.run(workflow);
    const { atMs, body } = await receiver.arrival(path, run);
    samples.push(atMs - Date.parse((JSON.parse(body) as { time: string }).time));
    await new Promise((resolve) => setTimeout(resolve, IDLE_GAP_MS));
  }
  return samples;
}

async function suspended(webhooks: WebhookClient, count: number): Promise<void> {
  for (let waits = 0; waits < 300; waits += 1) {
    const { json } = await webhooks.call("GET", "/deliveries?limit=1&status=suspended");
    if (json.total_count === count) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`The ${count} deliveries did not arrive within 30 s.`);
}

class Receiver {
  hangsAt: string | undefined;
  lastBody = "";
  readonly #server: Server;
  #onArrival: ((arrival: Arrival) => void) | undefined;
  /** An event may arrive before the response to its submit. */
  readonly #recent: Arrival[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      const atMs = performance.timeOrigin + performance.now();
      let body = "";
      request.setEncoding("utf8").on("data", (piece: string) => {
        body += piece;
      });
      request.on("end", () => {
        const path = request.url ?? "";
        this.#recent.push({ path, atMs, body });
        this.#recent.splice(0, this.#recent.length - RECENT_MAX);
        this.#onArrival?.({ path, atMs, body });
        if (path !== this.hangsAt) {
          response.writeHead(204).end();
        }
      });
    });
  }

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => {
      receiver.#server.listen(0, "127.0.0.1", resolve);
    });
    return receiver;
  }

  get host(): string {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? `127.0.0.1:${address.port}` : "";
  }

  url(path: string): string {
    return `http://${this.host}${path}`;
  }

  arrival(path: string, run: string): Promise<Arrival> {
    const isIt = (arrival: Arrival) => arrival.path === path && arrival.body.includes(run);
    const known = this.#recent.find(isIt);
    if (known !== undefined) {
      return Promise.resolve(known);
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`No event of ${run} in 30 s.`)), 30_000);
      this.#onArrival = (arrival) => {
        if (isIt(arrival)) {
          clearTimeout(timer);
          resolve(arrival);
        }
      };
    });
  }

  /** Arrivals a second below a path, from the first of `count` to the last. */
  async rateOf(prefix: string, count: number, begin: () => Promise<unknown>): Promise<number> {
    const times: number[] = [];
    const all = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${times.length} of ${count} arrived in 120 s.`)),
        120_000,
      );
      this.#onArrival = ({ path, atMs, body }) => {
        if (path.startsWith(prefix)) {
          this.lastBody = body;
          if (times.push(atMs) === count) {
            clearTimeout(timer);
            resolve();
          }
        }
      };
    });
    await begin();
    await all;
    return ((count - 1) * 1000) / ((times.at(-1) ?? 0) - (times[0] ?? 0));
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

interface Floor {
  deliver(order: { count: number; objects: number; url: string; body: string }): Promise<unknown>;
  stop(): void;
}

async function startFloor(directory: string): Promise<Floor> {
  const port = await freePort();
  const script = fileURLToPath(new URL("peers/serve-webhook-floor.ts", import.meta.url));
  const child: ChildProcess = spawn(
    process.execPath,
    [script, "--port", String(port), "--persist", directory],
    { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, NODE_NO_WARNINGS: "1" } },
  );
  await new Promise<void>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`The floor ended with code ${code}.`)));
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      if (chunk.includes("ready")) {
        resolve();
      }
    });
  });
  return {
    deliver: (order) =>
      fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: JSON.stringify(order) }),
    stop: () => {
      child.kill("SIGTERM");
    },
  };
}
