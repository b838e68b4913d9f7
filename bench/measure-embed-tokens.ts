import type { ApiClient } from "../scripts/api-client.ts";
import { publish } from "../scripts/provision.ts";
import { chain } from "./bench-workflows.ts";
import { atMost, type Figure } from "./figure.ts";
import { type Reply, httpCall } from "./http-call.ts";
import { interleave } from "./interleave.ts";
import type { Peers } from "./start-peers.ts";
import { median, spread } from "./statistics.ts";

const ORIGINS = ["https://app.example.com"];
/** Above every count of these measurements: each check gets a permit, and writes it. */
const CAP = 1_000_000;
const PARALLEL = 500;
const PARALLEL_CAP = 100;

export interface EmbedTokensOptions {
  readonly rounds?: number;
  readonly bursts?: number;
}

/**
 * Calls with an embed token: one permit, beside a bare object behind the same router that adds one and writes it; 500
 * permits asked for at once, of which the cap allows 100; and the check of the revocation, as the difference between a
 * poll with an embed token and one with an access token.
 */
export async function measureEmbedTokens(
  client: ApiClient,
  peers: Peers,
  { rounds = 300, bursts = 5 }: EmbedTokensOptions = {},
): Promise<Figure[]> {
  const workflow = await publish(client, chain(1));
  return [
    await measureCheck(client, workflow, peers, rounds),
    await measureBurst(client, workflow, bursts),
    await measureRevocationCheck(client, workflow, rounds),
  ];
}

async function measureCheck(
  client: ApiClient,
  workflow: string,
  peers: Peers,
  rounds: number,
): Promise<Figure> {
  const headers = bearer(await mint(client, workflow, CAP));
  const url = `${client.baseUrl}/api/embed/check-execution`;
  const bareUrl = `${peers.routedUrl}/api/v1/objects/counter/count`;
  const samples = await interleave(
    rounds,
    {
      check: () => timed(200, () => httpCall("POST", url, { headers })),
      bare: () => timed(200, () => httpCall("POST", bareUrl)),
    },
    30,
  );
  const ratio = median(samples.check) / median(samples.bare);
  return {
    name: "a permit of an embed token",
    unit: "ms",
    ours: spread(samples.check),
    beside: [
      {
        name: "bare object behind the same router that adds one and writes",
        value: spread(samples.bare),
      },
    ],
    targets: [atMost("≤ 1.6 × bare object", ratio, 1.6)],
  };
}

async function measureBurst(client: ApiClient, workflow: string, bursts: number): Promise<Figure> {
  const url = `${client.baseUrl}/api/embed/check-execution`;
  const seconds: number[] = [];
  for (let burst = 0; burst < bursts; burst += 1) {
    const headers = bearer(await mint(client, workflow, PARALLEL_CAP));
    const startedAt = performance.now();
    const statuses = await Promise.all(
      Array.from({ length: PARALLEL }, async () => {
        const response = await fetch(url, { method: "POST", headers });
        await response.text();
        return response.status;
      }),
    );
    seconds.push((performance.now() - startedAt) / 1000);
    const allowed = statuses.filter((status) => status === 200).length;
    if (allowed !== PARALLEL_CAP) {
      throw new Error(`${allowed} permits of ${PARALLEL_CAP}: the measurement is discarded.`);
    }
  }
  return {
    name: `${PARALLEL} permits asked for at once, ${PARALLEL_CAP} allowed`,
    unit: "s",
    ours: spread(seconds),
    beside: [],
    targets: [atMost("< 3 s", median(seconds), 3)],
  };
}

async function measureRevocationCheck(
  client: ApiClient,
  workflow: string,
  rounds: number,
): Promise<Figure> {
  const embedded = bearer(await mint(client, workflow, null));
  const own = bearer(await client.token());
  const submitted = await httpCall("POST", `${client.baseUrl}/api/embed/executions`, {
    headers: { ...embedded, "content-type": "application/json", prefer: "wait=30" },
    body: "{}",
  });
  const { id } = JSON.parse(submitted.text) as { id: string };
  const samples = await interleave(
    rounds,
    {
      embedded: () =>
        timed(200, () =>
          httpCall("GET", `${client.baseUrl}/api/embed/executions/${id}`, { headers: embedded }),
        ),
      own: () =>
        timed(200, () =>
          httpCall("GET", `${client.baseUrl}/api/v1/executions/${id}`, { headers: own }),
        ),
    },
    30,
  );
  const more = median(samples.embedded) - median(samples.own);
  return {
    name: "a poll with an embed token",
    unit: "ms",
    ours: spread(samples.embedded),
    beside: [{ name: "the same with an access token", value: spread(samples.own) }],
    targets: [atMost("≤ 1 ms more", more, 1)],
  };
}

async function mint(client: ApiClient, workflow: string, max: number | null): Promise<string> {
  const { token } = await client.call<{ token: string }>("POST", "/api/v1/embed/tokens", {
    body: { workflow, allowed_origins: ORIGINS, max_executions: max },
  });
  return token;
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** Milliseconds of a call. Throws if its status is another one. */
async function timed(status: number, call: () => Promise<Reply>): Promise<number> {
  const startedAt = performance.now();
  const reply = await call();
  const elapsed = performance.now() - startedAt;
  if (reply.status !== status) {
    throw new Error(`${String(reply.status)} instead of ${String(status)}: ${reply.text}`);
  }
  return elapsed;
}
