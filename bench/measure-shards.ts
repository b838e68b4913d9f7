import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ApiClient } from "../scripts/api-client.ts";
import { publish } from "../scripts/provision.ts";
import { addRows, callMove, movedTo, MovedTenant } from "../test/support/node/moved-tenant.ts";
import { newWorkspaceKey } from "../test/support/node/new-workspace-token.ts";
import { startService } from "../test/support/node/start-service.ts";
import { atMost, type Figure } from "./figure.ts";
import { httpCall } from "./http-call.ts";
import { median, spread } from "./statistics.ts";

const SHARDS = 4;

export interface ShardSizes {
  readonly rounds: number;
  /** Of each round. */
  readonly submits: number;
  readonly warmUp: number;
  readonly moves: number;
  readonly movedRows: number;
}

const WHOLE: ShardSizes = { rounds: 7, submits: 200, warmUp: 50, moves: 5, movedRows: 10_000 };

const PER_SECOND = 20;
/** Requests before the first move and after each. */
const LOAD_MS = 2_000;

const shards = (count: number) => ({ env: { EDGELOOM_SHARDS: String(count) } });

/** A submit with four databases beside one, and the move of an organization that works. */
export async function measureShards(
  directory: string,
  sizes: ShardSizes = WHOLE,
): Promise<Figure[]> {
  return [
    await measureSubmit(directory, sizes),
    ...(await measureMoves(join(directory, "moves"), sizes)),
  ];
}

/** One client whose submits wait for each other, in turn on a service with one database and on one with four. */
async function measureSubmit(
  directory: string,
  { rounds, submits, warmUp }: ShardSizes,
): Promise<Figure> {
  const services = [
    await startService({ directory: join(directory, "one"), ...shards(1) }),
    await startService({ directory: join(directory, "four"), ...shards(SHARDS) }),
  ] as const;
  try {
    const [one, four] = await Promise.all([
      newSubmits(services[0], await newWorkspaceKey(services[0])),
      newSubmits(services[1], await newWorkspaceKey(services[1])),
    ]);
    await one(warmUp);
    await four(warmUp);
    const times: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      // Neither is always the first.
      const order = round % 2 === 0 ? [0, 1] : [1, 0];
      for (const index of order) {
        times[index === 0 ? 0 : 1].push(await (index === 0 ? one : four)(submits));
      }
    }
    return {
      name: `a submit of a tenant on another shard than the directory's, with ${String(SHARDS)} shards`,
      unit: "ms",
      ours: spread(times[1]),
      beside: [{ name: "with one database", value: spread(times[0]) }],
      targets: [atMost("≤ 1.05 × one shard", median(times[1]) / median(times[0]), 1.05)],
    };
  } finally {
    await Promise.all(services.map((service) => service.stop()));
  }
}

/** Returns the mean time of a number of submits, in milliseconds. */
async function newSubmits(
  service: { readonly baseUrl: string },
  key: Awaited<ReturnType<typeof newWorkspaceKey>>,
): Promise<(submits: number) => Promise<number>> {
  const client = new ApiClient({ base_url: service.baseUrl, ...key });
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
  return async (submits) => {
    const beganMs = performance.now();
    for (let index = 0; index < submits; index += 1) {
      const { status } = await httpCall("POST", `${service.baseUrl}/api/v1/executions`, {
        headers,
        body,
      });
      if (status !== 202) {
        throw new Error(`a submit answered ${String(status)}`);
      }
    }
    return (performance.now() - beganMs) / submits;
  };
}

/** Moves between two databases while the tenant sends 20 requests a second, half of them writes. */
async function measureMoves(
  directory: string,
  { moves, movedRows }: ShardSizes,
): Promise<Figure[]> {
  let service = await startService({ directory, ...shards(2) });
  const key = await newWorkspaceKey(service);
  await service.stop();
  await addRows(directory, key.workspace_id, movedRows);
  service = await startService({ directory, ...shards(2) });
  try {
    const tenant = new MovedTenant(service.baseUrl, key);
    tenant.start(PER_SECOND, "bench");
    await pause(LOAD_MS);
    const idle = { writes: [...tenant.writesMs], reads: [...tenant.readsMs] };
    const took: number[] = [];
    const fenced: number[] = [];
    for (let move = 0; move < moves; move += 1) {
      const beganMs = performance.now();
      await callMove(service, key.org_id, move % 2 === 0 ? 0 : 1);
      const moved = await movedTo(service, key.org_id);
      if (moved.state !== "moved" || moved.fenced_ms === null) {
        throw new Error(`the move has failed: ${moved.error_message ?? ""}`);
      }
      took.push((performance.now() - beganMs) / 1_000);
      fenced.push(moved.fenced_ms);
      await pause(LOAD_MS);
    }
    await tenant.stop();
    const writes = tenant.writesMs.slice(idle.writes.length);
    const reads = tenant.readsMs.slice(idle.reads.length);
    const folders = new Set(await tenant.folders());
    const lost = tenant.created.filter((name) => !folders.has(name)).length;
    return [
      {
        name: `a move of an organization with ${String(movedRows)} rows, ${String(PER_SECOND)} requests a second beside it`,
        unit: "s",
        ours: spread(took),
        beside: [],
        targets: [
          atMost("≤ 10 s", Math.max(...took), 10),
          atMost("no failed request", tenant.failures.length, 0),
          atMost("no write that was answered is lost", lost, 0),
        ],
      },
      {
        name: "the longest write of these requests",
        unit: "ms",
        ours: spread([Math.max(...writes)]),
        beside: [
          { name: "the fences of the moves", value: spread(fenced) },
          { name: "the longest read", value: spread([Math.max(...reads)]) },
          { name: "the longest write before the moves", value: spread([Math.max(...idle.writes)]) },
        ],
        targets: [atMost("≤ 1 s", Math.max(...writes) / 1_000, 1)],
      },
    ];
  } finally {
    await service.stop();
  }
}
