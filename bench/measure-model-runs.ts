import type { ServerResponse } from "node:http";
import { Log, LogLevel, Miniflare } from "miniflare";
import { fileURLToPath } from "node:url";
import { bundleWorker } from "../scripts/bundle-worker.ts";
import { freePort } from "../scripts/free-port.ts";
import { publish } from "../scripts/provision.ts";
import { readResult, submitRun, waitForRun } from "../scripts/run-workflow.ts";
import { type RunningService, startService } from "../test/support/node/start-service.ts";
import { answerPictures } from "../test/support/providers/openai-images.ts";
import { type Answer, ScriptedServer } from "../test/support/providers/scripted-server.ts";
import type { BenchWorkflow } from "./bench-workflows.ts";
import { atMost, type Figure } from "./figure.ts";
import { interleave } from "./interleave.ts";
import { noisePng } from "./model-servers.ts";
import { median, spread } from "./statistics.ts";

/** Of a picture of 16 KiB. */
const SIDE = 74;
/** Texts of tasks are joined for this long before they are sent. */
const JOINING_MS = 100;
const GAP_MS = 250;

export interface ModelRunOptions {
  readonly items?: number;
  readonly rounds?: number;
  readonly deltas?: number;
}

/** Whole runs that ask a model, in the service: a fan-out of pictures, and the events of a text that grows. */
export async function measureModelRuns(
  directory: string,
  { items = 1_000, rounds = 5, deltas = 60 }: ModelRunOptions = {},
): Promise<Figure[]> {
  const picture = await noisePng(SIDE);
  const pictures = answerPictures({ pictures: [picture] });
  const growing = new GrowingAnswer();
  const answer: Answer = (request, response) => {
    if (request.path.endsWith(".png")) {
      response.writeHead(200, { "content-type": "image/png" });
      response.end(picture);
      return undefined;
    }
    return request.path.endsWith("/chat/completions")
      ? growing.open(response)
      : pictures(request, response);
  };
  const server = new ScriptedServer(answer);
  await server.start();
  const service = await startService({
    directory,
    env: {
      EGRESS_ALLOW_LOOPBACK: server.host,
      PROVIDERS_ALLOW_LOOPBACK: server.host,
      AI_PROVIDERS: providers(server.host),
    },
  });
  try {
    return [
      await measurePictures(service, server, items, rounds),
      await measureTexts(service, server.host, growing, deltas),
    ];
  } finally {
    await service.stop();
    server.stop();
  }
}

function providers(host: string): string {
  const model = { quality_tier: "draft", cost_unit: "per_request", credit_cost_milli_credits: 1 };
  return JSON.stringify([
    {
      id: "bench",
      kind: "openai_compatible",
      base_url: `http://${host}/v1`,
      max_concurrency: 256,
      max_concurrency_per_workspace: 256,
      models: [
        { ...model, model: "painter", remote_model: "p", capabilities: ["text_to_image"] },
        { ...model, model: "writer", remote_model: "w", capabilities: ["text_generation"] },
      ],
    },
  ]);
}

const link = (from: string, port: string, to: string, toPort: string) => ({
  from: { node: from, port },
  to: { node: to, port: toPort },
});

/** `items` elements, each with a text, through a node that makes a picture. */
function fanOutOf(
  items: number,
  text: string,
  node: { type: string; parameters: object },
  [input, output]: readonly [input: string, output: string],
): BenchWorkflow {
  return {
    name: `Bench: ${items} pictures of ${node.type}`,
    definition: {
      nodes: [
        { id: "items", type: "enumerate/range", parameters: { start: 1, end: items } },
        {
          id: "text",
          type: "text/template",
          parameters: { template: text, placeholders: [{ inputPort: "n" }] },
        },
        { id: "make", ...node },
        { id: "out", type: "output/image", parameters: { key: "out" } },
      ],
      connections: [
        link("items", "value", "text", "n"),
        link("text", "text", "make", input),
        link("make", output, "out", "image"),
      ],
    },
  };
}

async function measurePictures(
  { client }: RunningService,
  server: ScriptedServer,
  items: number,
  rounds: number,
): Promise<Figure> {
  const painted = fanOutOf(
    items,
    "kite [n]",
    {
      type: "ai/text_to_image",
      parameters: { model: "painter", width: SIDE, height: SIDE },
    },
    ["prompt", "result"],
  );
  const fetched = fanOutOf(
    items,
    `http://${server.host}/[n].png`,
    { type: "utility/media_from_url", parameters: { media_type: "image" } },
    ["url", "media"],
  );
  const timed = async (workflow: BenchWorkflow) => {
    const id = await publish(client, workflow as never);
    return async () => {
      server.received.length = 0;
      const begunAt = performance.now();
      const run = await submitRun(client, { workflow: id });
      const { status } = await waitForRun(client, run, { pollMs: 5, timeoutMs: 300_000 });
      const ms = performance.now() - begunAt;
      if (status !== "completed" || server.received.length !== items) {
        throw new Error(`${workflow.name}: ${status} after ${server.received.length} requests.`);
      }
      return ms;
    };
  };
  const samples = await interleave(
    rounds,
    { ours: await timed(painted), bare: await timed(fetched) },
    1,
  );
  return {
    name: `fan-out of ${items.toLocaleString("en-US")} picture calls of 16 KiB`,
    unit: "ms",
    ours: spread(samples.ours),
    beside: [{ name: "utility/media_from_url, the same bytes", value: spread(samples.bare) }],
    targets: [
      atMost("<= 1.25 x media_from_url", median(samples.ours) / median(samples.bare), 1.25),
    ],
  };
}

/** The streamed answer of a model, to which the benchmark adds. */
class GrowingAnswer {
  #opened = Promise.withResolvers<ServerResponse>();

  open(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    this.#opened.resolve(response);
  }

  async say(content: string): Promise<void> {
    const choices = [{ index: 0, delta: { content }, finish_reason: null }];
    (await this.#opened.promise).write(`data: ${JSON.stringify({ id: "c", choices })}\n\n`);
  }

  async end(): Promise<void> {
    const choices = [{ index: 0, delta: {}, finish_reason: "stop" }];
    (await this.#opened.promise).end(
      `data: ${JSON.stringify({ id: "c", choices })}\n\ndata: [DONE]\n\n`,
    );
    this.#opened = Promise.withResolvers<ServerResponse>();
  }
}

/** From the write of a piece at the provider until a reader of the events has it, in turns with a bare Worker that parses them. */
async function measureTexts(
  { client, credentials }: RunningService,
  host: string,
  growing: GrowingAnswer,
  deltas: number,
): Promise<Figure> {
  const workflow = await publish(client, {
    name: "Bench: a text that grows",
    definition: {
      nodes: [
        { id: "prompt", type: "input/text", label: "prompt", parameters: { default: "kite" } },
        { id: "write", type: "ai/text_generation", parameters: { model: "writer" } },
        { id: "out", type: "output/text", parameters: { key: "out" } },
      ],
      connections: [
        link("prompt", "text", "write", "prompt"),
        link("write", "text", "out", "text"),
      ],
    },
  } as never);
  const run = await submitRun(client, { workflow });
  const authorization = `Bearer ${await client.token()}`;
  const events = await fetch(`${credentials.base_url}/api/v1/executions/${run}/events`, {
    headers: { authorization },
  });
  const ours = await arrivals(events, growing, deltas);
  await growing.end();
  await waitForRun(client, run);
  const { result } = await readResult(client, run);
  if (result.by_key["out"]?.value !== ours.text) {
    throw new Error("The text of the events is not the text of the run.");
  }
  const parser = await startParser();
  try {
    const address = `http://${host}/v1/chat/completions`;
    const parsed = await fetch(`${parser.url}/?${new URLSearchParams({ address }).toString()}`);
    const theirs = await arrivals(parsed, growing, deltas);
    await growing.end();
    const limit = 1.5 * median(theirs.ms) + JOINING_MS;
    return {
      name: "from a piece of a streamed text at the provider to its event at a reader",
      unit: "ms",
      ours: spread(ours.ms),
      beside: [{ name: "a bare Worker with eventsource-parser", value: spread(theirs.ms) }],
      targets: [
        atMost(`<= 1.5 x the bare Worker + ${JOINING_MS} ms (of that)`, median(ours.ms) / limit, 1),
      ],
    };
  } finally {
    await parser.stop();
  }
}

/** Says one piece after another and measures when each has been read. */
async function arrivals(
  { body }: Response,
  growing: GrowingAnswer,
  deltas: number,
): Promise<{ readonly ms: number[]; readonly text: string }> {
  if (body === null) {
    throw new Error("no events");
  }
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const ms: number[] = [];
  let [heard, text] = ["", ""];
  for (let at = 0; at < deltas; at += 1) {
    const piece = `piece-${at}-of-the-text.`;
    await new Promise((resolve) => setTimeout(resolve, GAP_MS));
    const saidAt = performance.now();
    await growing.say(piece);
    text += piece;
    while (!heard.includes(piece)) {
      const { value, done } = await reader.read();
      if (done) {
        throw new Error("The events ended.");
      }
      heard += decoder.decode(value, { stream: true });
    }
    // The first one also waits until the task has begun.
    ms.push(...(at === 0 ? [] : [performance.now() - saidAt]));
  }
  void reader.cancel();
  return { ms, text };
}

async function startParser(): Promise<{ readonly url: string; stop(): Promise<void> }> {
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
    name: "event-parser",
    modules: [
      ...(await bundleWorker(
        fileURLToPath(new URL("peers/event-parser-worker.ts", import.meta.url)),
      )),
    ],
  });
  await miniflare.ready;
  return { url: `http://127.0.0.1:${port}`, stop: () => miniflare.dispose() };
}
