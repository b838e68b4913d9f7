/** A service with servers of its own for every provider, which is killed while calls of models are at given moments. */
import { setTimeout as delay } from "node:timers/promises";
import { publish } from "../../../scripts/provision.ts";
import { submitRun, waitForRun } from "../../../scripts/run-workflow.ts";
import type { Trace } from "../../../src/contracts/runs/trace.ts";
import { KillableService } from "./killable-service.ts";
import { ElevenLabsServer } from "../providers/elevenlabs-server.ts";
import { FalServer } from "../providers/fal-server.ts";
import { HeldMoments } from "../providers/kill-moments.ts";
import {
  type Point,
  type ServerName,
  SUBJECTS,
  type Subject,
  tagOf,
} from "../providers/kill-subjects.ts";
import { answerChat } from "../providers/openai-chat.ts";
import { PIXEL } from "../providers/pixel.ts";
import { ReplicateServer } from "../providers/replicate-server.ts";
import { type Answer, ScriptedServer } from "../providers/scripted-server.ts";

const HELD_MAX_MS = 60_000;

export interface Killed {
  /** Runs of the calls, in the order of the points. */
  readonly runs: readonly string[];
  /** Points at which there was a call when the service died. */
  readonly reached: readonly Point[];
}

export interface Ended {
  readonly status: string;
  readonly credits: number | null | undefined;
  readonly calls: number;
  readonly repeats: number;
  /** Requests for work that the server received. */
  readonly asked: number;
}

export class KillLane {
  readonly #servers: Readonly<Record<ServerName, ScriptedServer>>;
  readonly #works: Readonly<Record<ServerName, Answer>>;
  readonly #service: KillableService;
  readonly #workflows = new Map<string, string>();

  private constructor(
    servers: Readonly<Record<ServerName, ScriptedServer>>,
    service: KillableService,
  ) {
    this.#servers = servers;
    this.#service = service;
    const { openai, eleven, replicate, fal } = servers;
    this.#works = {
      openai: openai.answer,
      eleven: eleven.answer,
      replicate: replicate.answer,
      fal: fal.answer,
    };
  }

  /** Starts the servers and the service, whose data is in `directory`, and publishes a workflow for each subject. */
  static async open(directory: string): Promise<KillLane> {
    const openai = new ScriptedServer(
      answerChat({ pieces: ["A ", "kite."], usage: { prompt_tokens: 10, completion_tokens: 5 } }),
    );
    const eleven = new ElevenLabsServer();
    const replicate = new ReplicateServer();
    const fal = new FalServer();
    replicate.file = PIXEL;
    replicate.polls = 1;
    fal.files = { png: PIXEL };
    fal.polls = 1;
    const servers = {
      openai,
      eleven: eleven.server,
      replicate: replicate.server,
      fal: fal.server,
    };
    await Promise.all(Object.values(servers).map((server) => server.start()));
    const key = { api_key: "the-operators-key" };
    const service = new KillableService(directory, {
      PROVIDERS_ALLOW_LOOPBACK: Object.values(servers)
        .map(({ host }) => host)
        .join(","),
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
    });
    const lane = new KillLane(servers, service);
    try {
      await service.start();
      await lane.#publish();
    } catch (error) {
      // Nobody else could close what was opened.
      await lane.close();
      throw error;
    }
    return lane;
  }

  async close(): Promise<void> {
    await this.#service.stop();
    Object.values(this.#servers).forEach((server) => {
      server.stop();
    });
  }

  /** Kills the service when there is a call at each of the points, or after a minute, wherever the calls are then. */
  async killedAt(points: readonly Point[]): Promise<Killed> {
    const held = Object.entries(this.#servers).map(([name, server]) => {
      server.received.length = 0;
      const moments = points
        .filter(({ subject }) => SUBJECTS[subject]?.server === name)
        .map(({ moment }) => moment)
        .filter((moment) => moment !== null);
      return new HeldMoments(server, this.#works[name as ServerName], moments);
    });
    const submitted = async (isHeld: boolean) =>
      await Promise.all(
        points.map(async ({ subject, moment }, call) =>
          (moment !== null) === isHeld ? await this.#submit(subject, call) : "",
        ),
      );
    const waiting = await submitted(true);
    const allReached = Promise.all(held.map((one) => one.reached)).then(() => true);
    const isReached = await Promise.race([allReached, delay(HELD_MAX_MS, false, { ref: false })]);
    const missing = held.flatMap((one) => one.missing);
    if (!isReached) {
      process.stderr.write(await this.#describeStall(points, waiting));
    }
    // What has to be at its moment when the service dies comes last.
    const [last] = await Promise.all([submitted(false), ...held.map((one) => one.answer())]);
    await this.#service.kill();
    held.forEach((one) => {
      one.end();
    });
    await this.#service.start();
    return {
      runs: points.map((_, call) => waiting[call] || last[call] || ""),
      reached: points.filter(({ moment }) => moment === null || !missing.includes(moment)),
    };
  }

  /** What came of a call of the last kill. */
  async ended(subject: string, call: number, run: string): Promise<Ended> {
    const { status, credits_used: credits } = await waitForRun(this.#service.client, run);
    const { server, isWork } = SUBJECTS[subject] as Subject;
    const models = (await this.#asking(run))?.models?.[0];
    return {
      status,
      credits,
      calls: models?.calls ?? 0,
      repeats: models?.unconfirmed_repeats ?? 0,
      asked: this.#servers[server].received.filter(
        ({ method, path, body }) => isWork(method, path) && body.includes(tagOf(call)),
      ).length,
    };
  }

  async #publish(): Promise<void> {
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
      const id = await publish(this.#service.client, { name, definition } as never);
      this.#workflows.set(name, id);
    }
  }

  async #submit(subject: string, call: number): Promise<string> {
    const text = `${tagOf(call)}${SUBJECTS[subject]?.more ?? ""}`;
    const inputs = { given: { value: JSON.stringify(text) } };
    return await submitRun(this.#service.client, {
      workflow: this.#workflows.get(subject),
      inputs,
    } as never);
  }

  async #asking(run: string): Promise<Trace["nodes"][number] | undefined> {
    const path = `/api/v1/executions/${run}/trace`;
    const { nodes } = await this.#service.client.call<Trace>("GET", path);
    return nodes.find(({ node_id: node }) => node === "ask");
  }

  /** Where the calls are that did not come to their moments, printed for the reader of the log. */
  async #describeStall(points: readonly Point[], runs: readonly string[]): Promise<string> {
    const lines = await Promise.all(
      points.map(async ({ subject, moment }, call) => {
        const id = runs[call];
        if (!id) {
          return "";
        }
        const node = await this.#asking(id);
        const { received } = this.#servers[(SUBJECTS[subject] as Subject).server];
        const requests = received.map(({ method, path }) => `${method} ${path}`);
        return `${subject}, ${moment?.name}: ${JSON.stringify(node)} ${requests.join(", ")}\n`;
      }),
    );
    return `calls that did not come to their moments:\n${lines.join("")}${this.#service.log.slice(-4_000)}\n`;
  }
}
