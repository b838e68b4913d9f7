/**
 * SIGKILL at every moment of calls of models (docs/contract/models.md#calls, #jobs), of providers that answer at once, with
 * and without keys, and that work in jobs: every run ends, is charged once, and has at most one repeat, which its trace counts.
 * Each kill finds several calls, each held at another moment.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import type { Trace } from "../../src/contracts/runs/trace.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";
import { ElevenLabsServer, voiceOf } from "../support/providers/elevenlabs-server.ts";
import { FalServer } from "../support/providers/fal-server.ts";
import { HeldMoments, type KillMoment } from "../support/providers/kill-moments.ts";
import { answerChat } from "../support/providers/openai-chat.ts";
import { PIXEL } from "../support/providers/pixel.ts";
import { ReplicateServer } from "../support/providers/replicate-server.ts";
import { type Answer, ScriptedServer } from "../support/providers/scripted-server.ts";
import { sizeOf } from "../support/sizes.ts";

const KILLS = sizeOf("providerKills");
/** Moments of a kill besides the one at which a call receives its file: that call holds most of the isolate's memory. */
const LIGHT = 6;
const HELD_MAX_MS = 60_000;
const LONG_TEXT = "A kite rises. ".repeat(2_000);
/** Of the same length for each of the calls of a kill. */
const tagOf = (call: number) => `A kite ${String(call + 10)}.`;

const openai = new ScriptedServer(
  answerChat({ pieces: ["A ", "kite."], usage: { prompt_tokens: 10, completion_tokens: 5 } }),
);
const eleven = new ElevenLabsServer();
const replicate = new ReplicateServer();
const fal = new FalServer();

interface Subject {
  readonly node: object;
  readonly port: readonly [input: string, output: string, type: string];
  /** Follows the tag of the call in its text. */
  readonly more: string;
  readonly server: ScriptedServer;
  readonly works: Answer;
  readonly credits: number;
  readonly isWork: KillMoment["isIt"];
  /** Of requests after the one that asks for work. */
  readonly later: readonly (readonly [name: string, isIt: KillMoment["isIt"]])[];
}

const isPost: KillMoment["isIt"] = (method) => method === "POST";
const isFile: KillMoment["isIt"] = (_method, path) => path.startsWith("/files/");
const size = { width: 64, height: 64 };
const SUBJECTS: Readonly<Record<string, Subject>> = {
  text: {
    // Its prompt is more than the server reads at once.
    node: { type: "ai/text_generation", parameters: { model: "tiny", max_input_tokens: 20_000 } },
    port: ["prompt", "text", "text"],
    more: LONG_TEXT,
    server: openai,
    works: openai.answer,
    // Ten tokens in and five out.
    credits: 0.015,
    isWork: isPost,
    later: [],
  },
  speech: {
    node: {
      type: "ai/text_to_speech",
      parameters: { model: "eleven-flash-v2-5", voice: voiceOf(1).voice_id },
    },
    port: ["text", "audio", "audio"],
    more: "",
    server: eleven.server,
    works: eleven.server.answer,
    // Ten characters.
    credits: 0.09,
    isWork: isPost,
    later: [],
  },
  prediction: {
    node: { type: "ai/text_to_image", parameters: { model: "flux-schnell", ...size } },
    port: ["prompt", "result", "image"],
    more: "",
    server: replicate.server,
    works: replicate.server.answer,
    credits: 0.3,
    isWork: (method, path) => method === "POST" && path.endsWith("/predictions"),
    later: [
      ["a poll", (method, path) => method === "GET" && path.includes("/predictions/")],
      ["its file", isFile],
    ],
  },
  queue: {
    node: { type: "ai/text_to_image", parameters: { model: "fal-flux-schnell", ...size } },
    port: ["prompt", "result", "image"],
    more: "",
    server: fal.server,
    works: fal.server.answer,
    credits: 0.002,
    isWork: isPost,
    later: [
      ["a poll", (_method, path) => path.includes("/status")],
      ["its output", (method, path) => method === "GET" && /\/requests\/[^/]+$/.test(path)],
      ["its file", isFile],
    ],
  },
};

interface Point {
  readonly subject: string;
  /** Null is the answer to the submit, before any request. */
  readonly moment: KillMoment | null;
}

/** Every moment of every subject. */
const POINTS: readonly Point[] = Object.entries(SUBJECTS).flatMap(
  ([subject, { isWork, later }]) => {
    const steps = [["the request", isWork] as const, ...later];
    const held = steps.flatMap(([step, isIt]) =>
      (["arrives", "held", "half", "answered"] as const).map((at): Point => ({
        subject,
        moment: { name: `${step} ${at}`, isIt, at },
      })),
    );
    return [{ subject, moment: null }, ...held];
  },
);

const receivesFile = ({ subject, moment }: Point) =>
  moment?.isIt === isFile || (subject === "speech" && moment?.at === "half");
const HEAVY_POINTS = POINTS.filter(receivesFile);
const LIGHT_POINTS = POINTS.filter((point) => !receivesFile(point));

/** The points of a kill: of each kind the next ones. */
function pointsOf(kill: number): readonly Point[] {
  const light = Array.from(
    { length: LIGHT },
    (_, i) => LIGHT_POINTS[(kill * LIGHT + i) % LIGHT_POINTS.length]!,
  );
  return [...light, HEAVY_POINTS[kill % HEAVY_POINTS.length]!];
}

let directory: string;
let service: RunningService;
const workflows = new Map<string, string>();

async function start(): Promise<void> {
  const servers = Object.values(SUBJECTS).map(({ server }) => server);
  const key = { api_key: "the-operators-key" };
  service = await startService({
    directory,
    env: {
      PROVIDERS_ALLOW_LOOPBACK: servers.map(({ host }) => host).join(","),
      AI_PROVIDERS: JSON.stringify([
        { id: "rep", kind: "replicate", base_url: replicate.base, ...key },
        { id: "queue", kind: "fal", base_url: fal.origin, ...key },
        { id: "eleven", kind: "elevenlabs", base_url: eleven.origin, ...key },
        {
          id: "mine",
          kind: "openai_compatible",
          base_url: `http://${openai.host}/v1`,
          models: [
            {
              model: "tiny",
              remote_model: "vendor/tiny-1",
              capabilities: ["text_generation"],
              cost_unit: "per_1k_tokens",
              input_milli_credits_per_1k: 1_000,
              output_milli_credits_per_1k: 1_000,
            },
          ],
        },
      ]),
    },
  });
}

beforeAll(async () => {
  replicate.file = PIXEL;
  replicate.polls = 2;
  fal.files = { png: PIXEL };
  await Promise.all(Object.values(SUBJECTS).map(({ server }) => server.start()));
  directory = await mkdtemp(join(tmpdir(), "edgeloom-kills-"));
  await start();
  for (const [name, { node, port }] of Object.entries(SUBJECTS)) {
    const [input, output, type] = port;
    const definition = {
      nodes: [
        { id: "given", type: "input/text", label: "given" },
        { id: "ask", ...node },
        { id: "out", type: `output/${type}`, parameters: { key: "out" } },
      ],
      connections: [
        { from: { node: "given", port: "text" }, to: { node: "ask", port: input } },
        { from: { node: "ask", port: output }, to: { node: "out", port: type } },
      ],
    };
    // oxlint-disable-next-line no-await-in-loop -- four workflows
    workflows.set(name, await publish(service.client, { name, definition } as never));
  }
});

afterAll(async () => {
  await service?.stop();
  Object.values(SUBJECTS).forEach(({ server }) => {
    server.stop();
  });
  await rm(directory, { recursive: true, force: true });
});

async function submit(subject: string, call: number): Promise<string> {
  const text = `${tagOf(call)}${SUBJECTS[subject]?.more ?? ""}`;
  const inputs = { given: { value: JSON.stringify(text) } };
  return await submitRun(service.client, {
    workflow: workflows.get(subject),
    inputs,
  } as never);
}

interface Ended {
  readonly status: string;
  readonly credits: number | null | undefined;
  readonly calls: number;
  readonly repeats: number;
  /** Requests for work that the server received. */
  readonly asked: number;
}

async function ended(subject: string, call: number, id: string): Promise<Ended> {
  const { status, credits_used: credits } = await waitForRun(service.client, id);
  const trace = await service.client.call<Trace>("GET", `/api/v1/executions/${id}/trace`);
  const [models] = trace.nodes.find(({ node_id: node }) => node === "ask")?.models ?? [];
  const { server, isWork } = SUBJECTS[subject]!;
  return {
    status,
    credits,
    calls: models?.calls ?? 0,
    repeats: models?.unconfirmed_repeats ?? 0,
    asked: server.received.filter(
      ({ method, path, body }) => isWork(method, path) && body.includes(tagOf(call)),
    ).length,
  };
}

interface Killed {
  /** Runs of the calls, in the order of the points. */
  readonly runs: readonly string[];
  /** Points at which there was a call when the service died. */
  readonly reached: readonly Point[];
}

/** Kills the service when there is a call at each of the points, or after a minute, wherever the calls are then. */
async function killedAt(points: readonly Point[]): Promise<Killed> {
  const held = Object.entries(SUBJECTS).map(([name, { server, works }]) => {
    server.received.length = 0;
    const moments = points.filter(({ subject }) => subject === name).map(({ moment }) => moment);
    return new HeldMoments(
      server,
      works,
      moments.filter((moment) => moment !== null),
    );
  });
  const workerd = await service.workerdPid();
  const submitted = async (isHeld: boolean) =>
    await Promise.all(
      points.map(async ({ subject, moment }, call) =>
        (moment !== null) === isHeld ? await submit(subject, call) : "",
      ),
    );
  const waiting = await submitted(true);
  const allReached = Promise.all(held.map((one) => one.reached)).then(() => true);
  const isReached = await Promise.race([allReached, delay(HELD_MAX_MS, false, { ref: false })]);
  const missing = held.flatMap((one) => one.missing);
  if (!isReached) {
    process.stderr.write(await describeStall(points, waiting));
  }
  // What has to be at its moment when the service dies comes last.
  const [last] = await Promise.all([submitted(false), ...held.map((one) => one.answer())]);
  await service.kill(workerd);
  held.forEach((one) => {
    one.end();
  });
  await start();
  return {
    runs: points.map((_, call) => waiting[call] || last[call] || ""),
    reached: points.filter(({ moment }) => moment === null || !missing.includes(moment)),
  };
}

/** Where the calls are that did not come to their moments, printed for the reader of the log. */
async function describeStall(points: readonly Point[], runs: readonly string[]): Promise<string> {
  const lines = await Promise.all(
    points.map(async ({ subject, moment }, call) => {
      const id = runs[call];
      if (!id) {
        return "";
      }
      const trace = await service.client.call<Trace>("GET", `/api/v1/executions/${id}/trace`);
      const node = trace.nodes.find(({ node_id: name }) => name === "ask");
      const { server } = SUBJECTS[subject]!;
      const requests = server.received.map(({ method, path }) => `${method} ${path}`);
      return `${subject}, ${moment?.name}: ${JSON.stringify(node)} ${requests.join(", ")}\n`;
    }),
  );
  return `calls that did not come to their moments:\n${lines.join("")}${service.log().slice(-4_000)}\n`;
}

it(
  `after ${KILLS} kills every call has ended, is charged once and was repeated at most once`,
  async () => {
    const met = new Set<Point>();
    let [moments, repeated] = [0, 0];
    for (let kill = 0; kill < KILLS; kill++) {
      const points = pointsOf(kill);
      // oxlint-disable no-await-in-loop -- one kill after the other
      const { runs, reached } = await killedAt(points);
      for (const [call, { subject, moment }] of points.entries()) {
        const label = `kill ${kill}, ${subject}: ${moment?.name ?? "submitted"}`;
        const { status, credits, calls, repeats, asked } = await ended(subject, call, runs[call]!);
        expect([label, status, credits]).toEqual([label, "completed", SUBJECTS[subject]!.credits]);
        expect([label, calls, repeats <= 1]).toEqual([label, 1 + repeats, true]);
        // A worker that was lost before it sent looks like one that was lost afterwards.
        expect([label, asked >= 1 && asked <= calls]).toEqual([label, true]);
        repeated += repeats;
      }
      // oxlint-enable no-await-in-loop
      moments += reached.length;
      reached.forEach((point) => met.add(point));
    }
    process.stderr.write(
      `provider kills: ${KILLS} at ${moments} moments of calls, ${met.size} of ${POINTS.length} kinds, ${repeated} repeats\n`,
    );
    // Else no kill hit a call in flight, and the test proves nothing.
    expect(repeated).toBeGreaterThan(0);
    // A call that comes to no moment within a minute is rare, and no moment is always missed.
    expect(moments).toBeGreaterThanOrEqual(KILLS * (LIGHT + 1) - Math.ceil(KILLS / 10));
    expect(met.size).toBe(Math.min(POINTS.length, moments));
  },
  KILLS * 20_000 + 240_000,
);
