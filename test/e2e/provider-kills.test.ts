/**
 * SIGKILL at every moment of calls of models (docs/contract/models.md#calls, #jobs), of providers that answer at once, with
 * and without keys, and that work in jobs: every run ends, is charged once, and has at most one repeat, which its trace counts.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import type { Trace } from "../../src/contracts/runs/trace.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";
import { ElevenLabsServer, voiceOf } from "../support/providers/elevenlabs-server.ts";
import { FalServer } from "../support/providers/fal-server.ts";
import { type KillMoment, reached } from "../support/providers/kill-moments.ts";
import { answerChat } from "../support/providers/openai-chat.ts";
import { PIXEL } from "../support/providers/pixel.ts";
import { ReplicateServer } from "../support/providers/replicate-server.ts";
import { type Answer, ScriptedServer } from "../support/providers/scripted-server.ts";
import { sizeOf } from "../support/sizes.ts";

const KILLS = sizeOf("providerKills");
const TEXT = "A kite.";
const LONG_TEXT = "A kite rises. ".repeat(2_000);

const openai = new ScriptedServer(
  answerChat({ pieces: ["A ", "kite."], usage: { prompt_tokens: 10, completion_tokens: 5 } }),
);
const eleven = new ElevenLabsServer();
const replicate = new ReplicateServer();
const fal = new FalServer();

interface Subject {
  readonly node: object;
  readonly port: readonly [input: string, output: string, type: string];
  readonly text: string;
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
    text: LONG_TEXT,
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
    text: TEXT,
    server: eleven.server,
    works: eleven.server.answer,
    credits: 0.063,
    isWork: isPost,
    later: [],
  },
  prediction: {
    node: { type: "ai/text_to_image", parameters: { model: "flux-schnell", ...size } },
    port: ["prompt", "result", "image"],
    text: TEXT,
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
    text: TEXT,
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

/** Every moment of every subject; null is the answer to the submit, before any request. */
const MOMENTS: readonly (readonly [subject: string, moment: KillMoment | null])[] = Object.entries(
  SUBJECTS,
).flatMap(([name, { isWork, later }]) => {
  const steps = [["the request", isWork] as const, ...later];
  return [
    [name, null] as const,
    ...steps.flatMap(([step, isIt]) =>
      (["arrives", "held", "half", "answered"] as const).map(
        (at) => [name, { name: `${step} ${at}`, isIt, at }] as const,
      ),
    ),
  ];
});

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
}, 120_000);

afterAll(async () => {
  await service?.stop();
  Object.values(SUBJECTS).forEach(({ server }) => {
    server.stop();
  });
  await rm(directory, { recursive: true, force: true });
});

async function submit(name: string): Promise<string> {
  const inputs = { given: { value: JSON.stringify(SUBJECTS[name]?.text) } };
  return await submitRun(service.client, { workflow: workflows.get(name), inputs } as never);
}

interface Ended {
  readonly name: string;
  readonly status: string;
  readonly credits: number | null | undefined;
  readonly calls: number;
  readonly repeats: number;
  /** Requests for work that the server received. */
  readonly asked: number;
}

async function ended(name: string, id: string): Promise<Ended> {
  const { status, credits_used: credits } = await waitForRun(service.client, id);
  const trace = await service.client.call<Trace>("GET", `/api/v1/executions/${id}/trace`);
  const [models] = trace.nodes.find(({ node_id: node }) => node === "ask")?.models ?? [];
  const { server, isWork } = SUBJECTS[name]!;
  return {
    name,
    status,
    credits,
    calls: models?.calls ?? 0,
    repeats: models?.unconfirmed_repeats ?? 0,
    asked: server.received.filter(({ method, path }) => isWork(method, path)).length,
  };
}

it(
  `after ${KILLS} kills every call has ended, is charged once and was repeated at most once`,
  async () => {
    const met = new Map<string, number>();
    let repeated = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      // The small size takes moments of different kinds.
      const at = (kill * (KILLS < MOMENTS.length ? 7 : 1)) % MOMENTS.length;
      const [subject, moment] = MOMENTS[at]!;
      const { server, works } = SUBJECTS[subject]!;
      Object.values(SUBJECTS).forEach((one) => {
        one.server.received.length = 0;
        one.server.answer = one.works;
      });
      // oxlint-disable no-await-in-loop -- one kill after the other
      const workerd = await service.workerdPid();
      const isThere = moment === null ? undefined : reached(server, works, moment);
      // The others are wherever they have come to.
      const names = [...Object.keys(SUBJECTS).filter((name) => name !== subject), subject];
      const ids: string[] = [];
      for (const name of names) {
        ids.push(await submit(name));
      }
      await isThere;
      await service.kill(workerd);
      await start();
      const ends = await Promise.all(ids.map((id, index) => ended(names[index]!, id)));
      // oxlint-enable no-await-in-loop
      const label = `kill ${kill}, ${subject}: ${moment?.name ?? "submitted"}`;
      for (const { name, status, credits, calls, repeats, asked } of ends) {
        expect([label, name, status, credits]).toEqual([
          label,
          name,
          "completed",
          SUBJECTS[name]!.credits,
        ]);
        expect([label, name, calls, repeats <= 1]).toEqual([label, name, 1 + repeats, true]);
        // A worker that was lost before it sent looks like one that was lost afterwards.
        expect([label, name, asked >= 1 && asked <= calls]).toEqual([label, name, true]);
        repeated += repeats;
      }
      met.set(subject, (met.get(subject) ?? 0) + 1);
    }
    process.stderr.write(
      `provider kills: ${KILLS} (${[...met].map(([name, count]) => `${name} ${count}`).join(", ")}), ${repeated} repeats\n`,
    );
    // Else no kill hit a call in flight, and the test proves nothing.
    expect(repeated).toBeGreaterThan(0);
  },
  KILLS * 20_000 + 120_000,
);
