import { request } from "node:http";
import type { ApiClient } from "../scripts/api-client.ts";
import { publish } from "../scripts/provision.ts";
import { uploadAsset } from "../scripts/upload-asset.ts";
import type { BatchExecution } from "../src/contracts/batches/batch.ts";
import type { Execution } from "../src/contracts/runs/run.ts";
import { startService } from "../test/support/node/start-service.ts";
import { codes } from "./bench-workflows.ts";
import { atMost, type Figure } from "./figure.ts";
import { httpCall } from "./http-call.ts";
import { newTenant } from "./new-tenant.ts";
import { spread } from "./statistics.ts";

export interface RefusalOptions {
  readonly rounds?: number;
  /** Items of the batch that is cancelled, all of them in flight. */
  readonly items?: number;
  readonly cancels?: number;
}

const [REFUSED_MS, PAGE_MS, CANCELLED_S] = [100, 500, 5] as const;
const WARM_UP = 2;
const POLL_MS = 5;
const WAIT_MAX_MS = 120_000;
const BATCHES = "/api/v1/batch-executions";
const UNKNOWN = "0".repeat(32);

/** A request that is refused, or answered whatever it costs to look at. */
interface Bad {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Sent as it is. */
  readonly body?: string;
  /** Status, and code of the problem document. */
  readonly answer: string;
  readonly maxMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Each request of a list of bad input until its problem document, and the cancel of a batch that is wholly in flight. */
export async function measureRefusals(
  directory: string,
  { rounds = 20, items = 1_000, cancels = 5 }: RefusalOptions = {},
): Promise<Figure[]> {
  // Without the runner tasks wait, so that a run of them is live until it is cancelled.
  const service = await startService({ directory, hasRunner: false });
  try {
    const own = await newTenant(service, {
      max_concurrent_executions: items * 2,
      requests_per_minute: 100_000,
    });
    const bad = await badRequests(own, await newTenant(service), service.credentials.admin_token);
    const figures: Figure[] = [];
    const times = bad.map((): Timed[] => []);
    for (let round = -WARM_UP; round < rounds; round += 1) {
      for (const [at, each] of bad.entries()) {
        const timed = await timeOf(own, each);
        if (round >= 0) {
          times[at]?.push(timed);
        }
      }
    }
    for (const [at, each] of bad.entries()) {
      figures.push(figureOf(each, times[at] ?? []));
    }
    return [...figures, await measureBatchCancel(own, items, cancels)];
  } finally {
    await service.stop();
  }
}

/** Milliseconds of the answer after the request's first byte, and after its last one. */
interface Timed {
  readonly ms: number;
  readonly afterBodyMs: number;
}

function figureOf({ name, answer, body = "", maxMs = REFUSED_MS }: Bad, times: readonly Timed[]) {
  const all = times.map(({ ms }) => ms);
  const after = spread(times.map(({ afterBodyMs }) => afterBodyMs));
  const isLarge = body.length > 1_000_000;
  const size = isLarge ? `, ${(body.length / 1e6).toFixed(1)} MB` : "";
  return {
    name: `bad input: ${name}${size}, ${answer}`,
    unit: "ms",
    ours: spread(all),
    beside: isLarge ? [{ name: "after the last byte of its body", value: after }] : [],
    targets: [atMost(`≤ ${maxMs} ms, the slowest of ${times.length}`, Math.max(...all), maxMs)],
  };
}

async function timeOf(client: ApiClient, bad: Bad): Promise<Timed> {
  const headers = {
    authorization: `Bearer ${await client.token()}`,
    ...(bad.body !== undefined && {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(bad.body)),
    }),
    ...bad.headers,
  };
  const { status, text, ...timed } = await new Promise<
    Timed & { readonly status: number; readonly text: string }
  >((resolve, reject) => {
    const beganAt = performance.now();
    let sentAt = beganAt;
    const options = { method: bad.method, headers };
    const sent = request(client.baseUrl + bad.path, options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("error", reject);
      response.on("end", () => {
        const endedAt = performance.now();
        const afterBodyMs = Math.max(0, endedAt - sentAt);
        resolve({
          ms: endedAt - beganAt,
          afterBodyMs,
          status: response.statusCode ?? 0,
          text,
        });
      });
    });
    sent.on("error", reject);
    sent.on("finish", () => (sentAt = performance.now()));
    sent.end(bad.body);
  });
  const { code } = JSON.parse(text) as { code?: string };
  const answer = [status, code].filter((part) => part !== undefined).join(" ");
  if (answer !== bad.answer) {
    throw new Error(`${bad.name} was answered ${answer}: ${text.slice(0, 500)}`);
  }
  return timed;
}

async function badRequests(
  own: ApiClient,
  other: ApiClient,
  adminToken: string,
): Promise<readonly Bad[]> {
  const echo = await publish(own, ECHO);
  const json = await publish(own, LIST);
  const picture = await publish(own, PICTURE);
  const rows = await uploadAsset(own, "rows.csv", "a,b\r\n1,2\r\n");
  const wide = Array.from({ length: 10_000 }, (_, at) => `c${at}`).join(",");
  const columns = await uploadAsset(own, "wide.csv", `${wide}\r\n${wide}\r\n`);
  const gone = await uploadAsset(own, "gone.csv", "a\r\n1\r\n");
  await own.call("DELETE", `/api/v1/assets?path=${encodeURIComponent(gone)}`);
  const theirs = await uploadAsset(other, "theirs.csv", "a\r\n1\r\n");
  const theirRun = await endedRun(other, await publish(other, ECHO), { words: "x" });
  const theirBatch = await other.call<BatchExecution>("POST", BATCHES, {
    body: { workflow: await publish(other, ECHO), start: false, items: itemsOf(1) },
  });
  const live = await own.call<Execution>("POST", "/api/v1/executions", {
    body: { workflow: await publish(own, codes(1)) },
  });
  const deleted = await publish(own, ECHO);
  const deletedRun = await endedRun(own, deleted, { words: "x" });
  await own.call("DELETE", `/api/v1/workflows/${deleted}`);
  const run = await endedRun(own, echo, { words: "x" });
  const deep = await Promise.all([1, 2].map((leaf) => endedRun(own, json, { list: nested(leaf) })));
  const long = await Promise.all(
    ["a", "b"].map((letter) => endedRun(own, echo, { words: letter.repeat(1_000_000) })),
  );
  const whole = JSON.stringify({ workflow: echo, items: itemsOf(10_000, "x".repeat(1_500)) });
  const post = (name: string, path: string, body: unknown, answer: string, of?: Partial<Bad>) => ({
    name,
    method: "POST" as const,
    path,
    body: typeof body === "string" ? body : JSON.stringify(body),
    answer,
    ...of,
  });
  const get = (name: string, path: string, answer: string, of?: Partial<Bad>) => ({
    name,
    method: "GET" as const,
    path,
    answer,
    ...of,
  });
  const dataset = (name: string, given: object, answer: string) =>
    post(name, BATCHES, { workflow: echo, dataset: given }, answer);
  const retry = (name: string, id: string, body: unknown, answer: string) =>
    post(name, `/api/v1/executions/${id}/retry`, body, answer);
  const preview = (name: string, body: unknown) =>
    post(name, "/api/v1/schedules/preview", body, "400 validation_error");
  const asOf = (name: string, id: string) =>
    get(
      name,
      `/api/v1/executions/${run}?as_of_event=${encodeURIComponent(id)}`,
      "400 validation_error",
    );
  const mapped = (column: string) => `{"words":"a","${column}":"b"}`;
  return [
    post(
      "a batch of 10,001 items",
      BATCHES,
      { workflow: echo, items: itemsOf(10_001) },
      "400 validation_error",
    ),
    post(
      "a body that is cut in the middle",
      BATCHES,
      whole.slice(0, 4_000_000),
      "400 invalid_request",
    ),
    post("a body that is cut near its end", BATCHES, whole.slice(0, -10), "400 invalid_request"),
    post(
      "a hundred items that name another workspace's asset",
      BATCHES,
      {
        workflow: picture,
        items: Array.from({ length: 100 }, () => ({ inputs: { of: { asset_path: theirs } } })),
      },
      "400 validation_error",
    ),
    dataset(
      "a row of ten thousand columns",
      { asset_path: columns, mapping: { words: "none" } },
      "400 validation_error",
    ),
    post(
      "a mapping to `__proto__`",
      BATCHES,
      `{"workflow":"${echo}","dataset":{"asset_path":"${rows}","mapping":${mapped("__proto__")}}}`,
      "400 validation_error",
    ),
    dataset("a deleted dataset", { asset_path: gone, mapping: { words: "a" } }, "404 not_found"),
    dataset(
      "another workspace's dataset",
      { asset_path: theirs, mapping: { words: "a" } },
      "403 forbidden",
    ),
    get("another workspace's batch", `${BATCHES}/${theirBatch.id}`, "403 forbidden"),
    retry("retry of a live run", live.id, {}, "422 invalid_state"),
    retry(
      "retry of a run whose workflow was deleted",
      deletedRun,
      { from: "start" },
      "404 workflow_not_found",
    ),
    retry("retry of another workspace's run", theirRun, {}, "403 forbidden"),
    retry("retry of an unknown run", `run_${UNKNOWN}`, {}, "404 not_found"),
    retry("retry of a node that is not there", run, { from_node: "gone" }, "400 validation_error"),
    retry(
      "retry of 10,000 indices past the end",
      run,
      { from_node: "out", from_indices: Array.from({ length: 10_000 }, (_, at) => [at + 1]) },
      "400 validation_error",
    ),
    asOf("an event id with a sign", "-3-2"),
    asOf("an event id with spaces", " 3 - 2 "),
    asOf("an event id of 2^53", "9007199254740992-1"),
    preview("a cron field of 100 kB", { cron: `${"1,".repeat(50_000)}1 * * * *` }),
    preview("a cron step of 0", { cron: "*/0 * * * *" }),
    preview("a cron range backwards", { cron: "30-10 * * * *" }),
    preview("a cron date that no year has", { cron: "0 0 31 2 *" }),
    preview("a time zone that does not exist", { cron: "@daily", time_zone: "Mars/Phobos" }),
    post(
      "an organization for an unknown shard",
      "/admin/v1/organizations",
      { name: "O", shard: 63 },
      "400 validation_error",
      {
        headers: { authorization: `Bearer ${adminToken}` },
      },
    ),
    get(
      "the difference of JSON 100 levels deep",
      `/api/v1/executions/${deep.join("/diff/")}`,
      "200",
      {
        maxMs: PAGE_MS,
      },
    ),
    get("the difference of lines of 1 MB", `/api/v1/executions/${long.join("/diff/")}`, "200", {
      maxMs: PAGE_MS,
    }),
  ];
}

/** From the request to cancel until the batch is `cancelled`, with a run of each item live. */
async function measureBatchCancel(
  client: ApiClient,
  items: number,
  rounds: number,
): Promise<Figure> {
  const workflow = await publish(client, codes(1));
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const body = { workflow, items: Array.from({ length: items }, () => ({})) };
    const { id } = await client.call<BatchExecution>("POST", BATCHES, { body });
    await batchThat(client, id, ({ running }) => running === items);
    const beganAt = performance.now();
    await client.call("POST", `${BATCHES}/${id}/cancel`);
    const { status, cancelled } = await batchThat(
      client,
      id,
      ({ completed_at: at }) => at !== null,
    );
    times.push((performance.now() - beganAt) / 1_000);
    if (status !== "cancelled" || cancelled !== items) {
      throw new Error(`${cancelled} of ${items} items were cancelled: discarded.`);
    }
  }
  return {
    name: `cancel of a batch of ${items.toLocaleString("en-US")} items in flight, until it is \`cancelled\``,
    unit: "s",
    ours: spread(times),
    beside: [],
    targets: [
      atMost(`≤ ${CANCELLED_S} s, the slowest of ${rounds}`, Math.max(...times), CANCELLED_S),
    ],
  };
}

async function batchThat(
  client: ApiClient,
  id: string,
  isSo: (batch: BatchExecution) => boolean,
): Promise<BatchExecution> {
  const headers = { authorization: `Bearer ${await client.token()}` };
  for (const deadline = performance.now() + WAIT_MAX_MS; performance.now() < deadline;) {
    const { text } = await httpCall("GET", `${client.baseUrl}${BATCHES}/${id}`, { headers });
    const batch = JSON.parse(text) as BatchExecution;
    if (isSo(batch)) {
      return batch;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`The batch ${id} did not get there: discarded.`);
}

async function endedRun(
  client: ApiClient,
  workflow: string,
  values: Readonly<Record<string, unknown>>,
): Promise<string> {
  const inputs = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, { value: JSON.stringify(value) }]),
  );
  const run = await client.call<Execution>("POST", "/api/v1/executions", {
    body: { workflow, inputs },
    headers: { prefer: "wait=60" },
  });
  if (run.status !== "completed") {
    throw new Error(`A run has status ${run.status}: ${String(run.error_message)}`);
  }
  return run.id;
}

function itemsOf(count: number, text = "word") {
  return Array.from({ length: count }, (_, at) => ({
    inputs: { words: { value: JSON.stringify(`${text} ${at}`) } },
  }));
}

function nested(leaf: unknown): unknown {
  let value = leaf;
  for (let depth = 0; depth < 98; depth += 1) {
    value = { in: value };
  }
  return [value];
}

const pass = (input: string, output: string, port: string, key: string) => ({
  nodes: [
    { id: key, type: input, label: key, parameters: { required: true } },
    { id: "out", type: output, label: "Out", parameters: {} },
  ],
  connections: [
    { from: { node: key, port }, to: { node: "out", port: port === "item" ? "json" : port } },
  ],
});
const ECHO = {
  name: "Bench: echo",
  definition: pass("input/text", "output/text", "text", "words"),
};
const LIST = { name: "Bench: list", definition: pass("input/json", "output/json", "item", "list") };
const PICTURE = {
  name: "Bench: picture",
  definition: pass("input/image", "output/image", "image", "of"),
};
