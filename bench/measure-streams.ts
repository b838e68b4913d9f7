import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "../scripts/free-port.ts";
import { publish } from "../scripts/provision.ts";
import { startService } from "../test/support/node/start-service.ts";
import { atMost, type Figure } from "./figure.ts";
import { connectInspector } from "./inspector.ts";
import { openStreams } from "./open-streams.ts";
import { STREAM_FLOOR, startStreamFloor } from "./start-stream-floor.ts";
import { median, spread } from "./statistics.ts";

const [WARM_UP, SETTLE_MS, GARBAGE_ROUNDS] = [50, 1_500, 2] as const;
const MEGABYTE = 2 ** 20;

/** In megabytes. */
interface Growth {
  /** Resident memory of workerd, for the streams compared with none. */
  readonly first: number;
  /** For as many more streams: memory freed earlier cannot hide these. */
  readonly second: number;
  /** JavaScript heap, for the first set. */
  readonly heap: number;
}

/** A measured process that was just started, and how to open a stream of it. */
interface Watched {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly pid: number;
  readonly inspectorPort: number;
  /** As the inspector lists it. */
  readonly worker: string;
  /** Any request that opens no stream. */
  readonly poke: () => Promise<unknown>;
}

/**
 * Additional resident memory of workerd while 1,000 clients watch a run: its task waits for a missing runner, so
 * nothing but the streams changes. Each round has its own service, which has served exactly 50 streams, now closed:
 * memory used by many earlier streams is not returned, and would make the next ones look free.
 */
export async function measureStreams(
  directory: string,
  { streams = 1_000, rounds = 3 }: { streams?: number; rounds?: number } = {},
): Promise<Figure> {
  const [ours, floor] = [[] as Growth[], [] as Growth[]];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await growthOfService(join(directory, String(round)), streams));
    floor.push(await growthOfFloor(streams));
  }
  const of = (growths: readonly Growth[], what: keyof Growth) =>
    growths.map((growth) => growth[what]);
  const worst = Math.max(
    ...(["first", "second", "heap"] as const).map((what) => median(of(ours, what))),
  );
  return {
    name: `${streams.toLocaleString("en-US")} open event streams, resident memory of workerd over none`,
    unit: "MB",
    ours: spread(of(ours, "first")),
    beside: [
      { name: "as many on top of them", value: spread(of(ours, "second")) },
      { name: "a bare Worker before a bare object", value: spread(of(floor, "first")) },
      { name: "on top of those", value: spread(of(floor, "second")) },
      { name: "of ours the heap of the API Worker's isolate", value: spread(of(ours, "heap")) },
    ],
    targets: [atMost("< 64 MB", worst, 64)],
  };
}

async function growthOfService(directory: string, streams: number): Promise<Growth> {
  const inspectorPort = await freePort();
  const service = await startService({ directory, inspectorPort, hasRunner: false });
  try {
    const { client, credentials } = service;
    const workflow = await publish(client, waitingWorkflow());
    const { id } = await client.call<{ id: string }>("POST", "/api/v1/executions", {
      body: { workflow },
    });
    return await growth(
      {
        url: `${credentials.base_url}/api/v1/executions/${id}/events`,
        headers: { authorization: `Bearer ${await client.token()}` },
        pid: await service.workerdPid(),
        inspectorPort,
        worker: "edgeloom",
        poke: () => client.call("GET", "/api/v1/executions?limit=1"),
      },
      streams,
    );
  } finally {
    await service.stop();
  }
}

async function growthOfFloor(streams: number): Promise<Growth> {
  const floor = await startStreamFloor();
  try {
    const { url, pid, inspectorPort } = floor;
    const poke = async () => (await fetch(`${url}/idle`)).text();
    return await growth(
      { url, headers: {}, pid, inspectorPort, worker: STREAM_FLOOR, poke },
      streams,
    );
  } finally {
    await floor.stop();
  }
}

async function growth(watched: Watched, streams: number): Promise<Growth> {
  const { url, headers, pid, poke } = watched;
  const inspector = await connectInspector(watched.inspectorPort, watched.worker);
  const settled = async () => {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    for (let round = 0; round < GARBAGE_ROUNDS; round += 1) {
      await inspector.collectGarbage(poke);
    }
    return { resident: await residentBytes(pid), heap: await inspector.heapBytes() };
  };
  try {
    // A few requests load and compile the code.
    (await openStreams(url, headers, WARM_UP)).drop();
    const none = await settled();
    const some = await openStreams(url, headers, streams);
    const first = await settled();
    const more = await openStreams(url, headers, streams);
    const second = await settled();
    for (const open of [some, more]) {
      open.check();
      open.drop();
    }
    return {
      first: (first.resident - none.resident) / MEGABYTE,
      second: (second.resident - first.resident) / MEGABYTE,
      heap: (first.heap - none.heap) / MEGABYTE,
    };
  } finally {
    inspector.close();
  }
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
