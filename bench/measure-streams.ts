import { readFile } from "node:fs/promises";
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import type { RunningService } from "../test/support/node/start-service.ts";
import type { ApiClient } from "../scripts/api-client.ts";
import { publish } from "../scripts/provision.ts";
import { atMost, type Figure } from "./figure.ts";
import { connectInspector, type Inspector } from "./inspector.ts";
import { median, spread } from "./statistics.ts";

const [STREAMS, ROUNDS, AT_ONCE, SETTLE_MS] = [1_000, 3, 50, 1_500] as const;
const MEGABYTE = 2 ** 20;
/**
 * What workerd holds more, resident, while 1,000 clients watch a run: its task waits for a runner
 * that is not there, so that nothing but the streams comes and goes.
 */
export async function measureStreams(
  service: RunningService,
  inspectorPort: number,
): Promise<Figure> {
  const { client, credentials } = service;
  const workflow = await publish(client, waitingWorkflow());
  const pid = await service.workerdPid();
  const inspector = await connectInspector(inspectorPort, "edgeloom");
  const token = await client.token();
  const [resident, heap] = [[] as number[], [] as number[]];
  try {
    const { id } = await client.call<{ id: string }>("POST", "/api/v1/executions", {
      body: { workflow },
    });
    const url = `${credentials.base_url}/api/v1/executions/${id}/events`;
    // The first round also warms what every later one finds warm.
    for (let round = -1; round < ROUNDS; round += 1) {
      await settle(inspector, client);
      const before = { rss: await residentBytes(pid), heap: await inspector.heapBytes() };
      const streams = await openStreams(url, token);
      await settle(inspector, client);
      const after = { rss: await residentBytes(pid), heap: await inspector.heapBytes() };
      const open = streams.filter(({ answer }) => !answer.complete && !answer.destroyed).length;
      if (open !== STREAMS) {
        throw new Error(`${open} of ${STREAMS} streams were open: no figure is made of this.`);
      }
      for (const { sent } of streams) {
        sent.destroy();
      }
      if (round >= 0) {
        resident.push((after.rss - before.rss) / MEGABYTE);
        heap.push((after.heap - before.heap) / MEGABYTE);
      }
    }
  } finally {
    inspector.close();
  }
  return {
    name: `${STREAMS.toLocaleString("en-US")} open event streams, resident memory of workerd over none`,
    unit: "MB",
    ours: spread(resident),
    beside: [{ name: "of it the heap of the API Worker's isolate", value: spread(heap) }],
    targets: [atMost("< 64 MB", Math.max(median(resident), median(heap)), 64)],
  };
}

async function settle(inspector: Inspector, client: ApiClient): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  await inspector.collectGarbage(() => client.call("GET", "/api/v1/executions?limit=1"));
}

interface OpenStream {
  readonly sent: ClientRequest;
  readonly answer: IncomingMessage;
}

async function openStreams(url: string, token: string): Promise<OpenStream[]> {
  const agent = new Agent({ keepAlive: false });
  const streams: OpenStream[] = [];
  while (streams.length < STREAMS) {
    streams.push(
      ...(await Promise.all(Array.from({ length: AT_ONCE }, () => openStream(agent, url, token)))),
    );
  }
  return streams;
}

/** Resolves once the first event is there. */
function openStream(agent: Agent, url: string, token: string): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { agent, headers: { authorization: `Bearer ${token}` } },
      (answer) => {
        if (answer.statusCode !== 200) {
          reject(new Error(`A stream answered ${answer.statusCode}.`));
          return;
        }
        answer.once("data", () => resolve({ sent, answer }));
        answer.on("error", () => {});
      },
    );
    sent.on("error", reject);
    sent.end();
  });
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kilobytes === undefined) {
    throw new Error(`/proc/${pid}/status has no VmRSS.`);
  }
  return Number(kilobytes) * 1024;
}

function waitingWorkflow(): unknown {
  return {
    name: "Bench: a run that is watched",
    definition: {
      nodes: [
        { id: "in", type: "input/text", label: "in", parameters: { default: "x" } },
        { id: "draw", type: "image/code", parameters: { symbology: "qr" } },
        { id: "out", type: "output/image", parameters: { key: "out" } },
      ],
      connections: [
        { from: { node: "in", port: "text" }, to: { node: "draw", port: "text" } },
        { from: { node: "draw", port: "image" }, to: { node: "out", port: "image" } },
      ],
    },
  };
}
