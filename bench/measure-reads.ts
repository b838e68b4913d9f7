import type { ApiClient } from "../scripts/api-client.ts";
import { publish } from "../scripts/provision.ts";
import { chain, fanOut } from "./bench-workflows.ts";
import { atMost, type Figure } from "./figure.ts";
import { type Reply, httpCall } from "./http-call.ts";
import { interleave } from "./interleave.ts";
import type { Peers } from "./start-peers.ts";
import { median, spread } from "./statistics.ts";

const [POLLS, READS] = [400, 60] as const;

/** A poll of a run of ten steps, beside a bare object that reads one row of the same size behind the same router. */
export async function measurePoll(client: ApiClient, peers: Peers): Promise<Figure> {
  const { url, headers } = await endedRun(client, chain(10));
  const { text } = await expectStatus(200, httpCall("GET", url, { headers }));
  const bareUrl = `${peers.routedUrl}/api/v1/objects/x`;
  await expectStatus(204, httpCall("PUT", bareUrl, { body: text }));
  const samples = await interleave(
    POLLS,
    {
      poll: () => timed(200, () => httpCall("GET", url, { headers })),
      bare: () => timed(200, () => httpCall("GET", bareUrl)),
    },
    50,
  );
  const ratio = median(samples.poll) / median(samples.bare);
  return {
    name: "a poll of a run",
    unit: "ms",
    ours: spread(samples.poll),
    beside: [{ name: "bare object behind the same router", value: spread(samples.bare) }],
    targets: [atMost("≤ 1.8 × bare object", ratio, 1.8)],
  };
}

/** 304 for a result with 1,000 items, beside the complete response. */
export async function measureNotModified(client: ApiClient): Promise<Figure> {
  const { url, headers } = await endedRun(client, listedItems(1_000));
  const whole = await expectStatus(200, httpCall("GET", `${url}/result`, { headers }));
  const items = (JSON.parse(whole.text) as { result: { items: unknown[] } }).result.items.length;
  if (items !== 1_000) {
    throw new Error(`The result has ${items} items: the measurement is discarded.`);
  }
  const { headers: got } = await fetch(`${url}/result`, { headers });
  const tagged = { ...headers, "if-none-match": got.get("etag") ?? "" };
  const samples = await interleave(
    READS,
    {
      unchanged: () => timed(304, () => httpCall("GET", `${url}/result`, { headers: tagged })),
      whole: () => timed(200, () => httpCall("GET", `${url}/result`, { headers })),
    },
    5,
  );
  const ratio = median(samples.unchanged) / median(samples.whole);
  return {
    name: "304 on a result with 1,000 items",
    unit: "ms",
    ours: spread(samples.unchanged),
    beside: [{ name: "the whole of it", value: spread(samples.whole) }],
    targets: [atMost("≤ 0.25 × the whole", ratio, 0.25)],
  };
}

/** The first page of a node's iterations in a run of 10,000, beside the trace itself. */
export async function measureTrace(client: ApiClient): Promise<Figure> {
  const { url, headers } = await endedRun(client, fanOut(10_000));
  const page = `${url}/trace/nodes/double/iterations`;
  const { text } = await expectStatus(200, httpCall("GET", page, { headers }));
  const { total_count: total } = JSON.parse(text) as { total_count: number };
  if (total !== 10_000) {
    throw new Error(`The node has ${total} iterations: the measurement is discarded.`);
  }
  const samples = await interleave(
    READS,
    {
      page: () => timed(200, () => httpCall("GET", page, { headers })),
      trace: () => timed(200, () => httpCall("GET", `${url}/trace`, { headers })),
    },
    5,
  );
  return {
    name: "trace of a run of 10,000 iterations, first page",
    unit: "ms",
    ours: spread(samples.page),
    beside: [{ name: "the trace itself", value: spread(samples.trace) }],
    targets: [
      atMost("< 30 ms", median(samples.page), 30),
      atMost("the trace < 30 ms", median(samples.trace), 30),
    ],
  };
}

async function timed(status: number, call: () => Promise<Reply>): Promise<number> {
  const startedAt = performance.now();
  const response = await call();
  const elapsed = performance.now() - startedAt;
  await expectStatus(status, Promise.resolve(response));
  return elapsed;
}

async function expectStatus(status: number, call: Promise<Reply>): Promise<Reply> {
  const response = await call;
  if (response.status !== status) {
    throw new Error(
      `Received ${response.status} instead of ${status}: ${response.text.slice(0, 300)}`,
    );
  }
  return response;
}

async function endedRun(
  client: ApiClient,
  workflow: unknown,
): Promise<{ url: string; headers: Record<string, string> }> {
  const id = await publish(client, workflow);
  const headers = { authorization: `Bearer ${await client.token()}` };
  const run = await client.call<{ id: string; status: string }>("POST", "/api/v1/executions", {
    body: { workflow: id },
    headers: { prefer: "wait=60" },
  });
  if (run.status !== "completed") {
    throw new Error(`The run has status ${run.status}.`);
  }
  return { url: `${client.baseUrl}/api/v1/executions/${run.id}`, headers };
}

function listedItems(items: number): unknown {
  return {
    name: `Bench: ${items} items put out`,
    definition: {
      nodes: [
        { id: "items", type: "enumerate/range", parameters: { start: 1, end: items } },
        {
          id: "line",
          type: "text/template",
          parameters: { template: "item [n]", placeholders: [{ inputPort: "n" }] },
        },
        { id: "out", type: "output/text", parameters: { key: "out" } },
      ],
      connections: [
        { from: { node: "items", port: "value" }, to: { node: "line", port: "n" } },
        { from: { node: "line", port: "text" }, to: { node: "out", port: "text" } },
      ],
    },
  };
}
