/**
 * Runs whose pictures a provider makes in jobs (docs/contract/models.md#jobs): side by side, cancelled, and continued
 * after SIGKILL at each step. The script of the server is known to speak the protocol
 * (test/unit/providers/replicate/predictions.test.ts, fal/queue.test.ts).
 */
import "../support/only-in-proof.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import { submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";
import { FalServer } from "../support/providers/fal-server.ts";
import { wavOf } from "../support/providers/openai-audio.ts";
import { PIXEL } from "../support/providers/pixel.ts";
import { type Interruption, ReplicateServer } from "../support/providers/replicate-server.ts";

const KEY = "r8_MARKER-of-the-operator";

const script = new ReplicateServer();
const queue = new FalServer();
const WAV = wavOf(4_000);
let directory: string;
let service: RunningService;
const workflows = new Map<number, string>();

async function start(): Promise<void> {
  service = await startService({
    directory,
    env: { PROVIDERS_ALLOW_LOOPBACK: `${script.server.host},${queue.server.host}` },
  });
}

async function addProvider(id: string, body: object): Promise<void> {
  const response = await fetch(`${service.baseUrl}/admin/v1/providers/${id}`, {
    method: "PUT",
    headers: {
      authorization: `Bearer ${service.credentials.admin_token}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
  expect(response.status, await response.clone().text()).toBe(200);
}

beforeAll(async () => {
  await Promise.all([script.server.start(), queue.server.start()]);
  directory = await mkdtemp(join(tmpdir(), "edgeloom-jobs-"));
  await start();
  await addProvider("rep", { kind: "replicate", base_url: script.base, api_key: KEY });
  await addProvider("queue", { kind: "fal", base_url: queue.origin, api_key: KEY });
  for (const variants of [1, 2]) {
    const ports = variants === 1 ? ["result"] : ["variant_1", "variant_2"];
    const definition = {
      nodes: [
        { id: "prompt", type: "input/text", label: "prompt" },
        {
          id: "paint",
          type: "ai/text_to_image",
          parameters: { variants, width: 64, height: 64, model: "flux-schnell" },
        },
        ...ports.map((key) => ({ id: key, type: "output/image", parameters: { key } })),
      ],
      connections: [
        { from: { node: "prompt", port: "text" }, to: { node: "paint", port: "prompt" } },
        ...ports.map((key) => ({
          from: { node: "paint", port: key },
          to: { node: key, port: "image" },
        })),
      ],
    };
    // oxlint-disable-next-line no-await-in-loop -- two workflows
    const id = await publish(service.client, { name: `Paint ${variants}`, definition } as never);
    workflows.set(variants, id);
  }
});

afterAll(async () => {
  await service.stop();
  script.server.stop();
  queue.server.stop();
  await rm(directory, { recursive: true, force: true });
});

beforeEach(() => {
  script.reset();
  queue.reset();
  script.file = PIXEL;
  queue.files = { png: PIXEL, wav: WAV };
});

function submit(variants: number): Promise<string> {
  const inputs = { prompt: { value: JSON.stringify("A MARKER kite") } };
  return submitRun(service.client, { workflow: workflows.get(variants), inputs } as never);
}

/** A picture that fal cuts out and Replicate enlarges, and a sound that fal separates. */
async function submitEdits(): Promise<string> {
  const outputs = ["vocals", "drums", "bass", "other"] as const;
  const wire = (from: readonly [string, string], to: readonly [string, string]) => ({
    from: { node: from[0], port: from[1] },
    to: { node: to[0], port: to[1] },
  });
  const definition = {
    nodes: [
      { id: "photo", type: "input/image", label: "photo" },
      { id: "song", type: "input/audio", label: "song" },
      { id: "cut", type: "ai/remove_background", parameters: { model: "fal-birefnet" } },
      { id: "enlarge", type: "ai/upscale", parameters: { model: "recraft-upscale" } },
      { id: "split", type: "ai/stem_separation", parameters: { model: "fal-demucs" } },
      { id: "large", type: "output/image", parameters: { key: "large" } },
      ...outputs.map((key) => ({ id: key, type: "output/audio", parameters: { key } })),
    ],
    connections: [
      wire(["photo", "image"], ["cut", "image"]),
      wire(["cut", "image"], ["enlarge", "image"]),
      wire(["enlarge", "image"], ["large", "image"]),
      wire(["song", "audio"], ["split", "audio"]),
      ...outputs.map((name) => wire(["split", name], [name, "audio"])),
    ],
  };
  const { client } = service;
  const workflow = await publish(client, { name: "Edits", definition } as never);
  const inputs = {
    photo: { asset_path: await uploadAsset(client, "photo.png", PIXEL) },
    song: { asset_path: await uploadAsset(client, "song.wav", WAV) },
  };
  return await submitRun(client, { workflow, inputs } as never);
}

const submissions = () =>
  script.server.received.filter(({ path }) => /\/models\/.*\/predictions$/.test(path)).length;

/** Resolves with the first request for which `isIt` holds; it is answered as the script says, or not at all. */
function momentOf(isIt: (...of: Parameters<Interruption>) => boolean, isAnswered: boolean) {
  return new Promise<void>((resolve) => {
    script.interrupt = (request, response) => {
      if (!isIt(request, response)) {
        return false;
      }
      script.interrupt = () => false;
      if (isAnswered) {
        response.on("finish", () => {
          resolve();
        });
        return false;
      }
      resolve();
      return true;
    };
  });
}

describe("a picture node of a provider that works in jobs", () => {
  it("has one job for each variant, and is charged for each once", async () => {
    const execution = await waitForRun(service.client, await submit(2));
    expect(execution).toMatchObject({ status: "completed", credits_used: 0.6 });
    expect([script.predictions.length, submissions()]).toEqual([2, 2]);
  });

  it("has its waiting jobs cancelled when its run is cancelled", async () => {
    script.polls = Infinity;
    const polled = momentOf(
      ({ method }) => method === "GET" && script.predictions.length === 2,
      true,
    );
    const id = await submit(2);
    await polled;
    await service.client.call("POST", `/api/v1/executions/${id}/cancel`);
    await expect
      .poll(() => script.predictions.map(({ status }) => status), {
        timeout: 120_000,
        interval: 20,
      })
      .toEqual(["canceled", "canceled"]);
    expect(await waitForRun(service.client, id)).toMatchObject({
      status: "cancelled",
      credits_used: 0,
    });
  });
});

describe("after SIGKILL", () => {
  const isSubmission = ({ path }: { path: string }) => /\/models\/.*\/predictions$/.test(path);
  const isPoll = ({ path, method }: { path: string; method: string }) =>
    method === "GET" && path.includes("/predictions/");
  const isFile = ({ path }: { path: string }) => path.startsWith("/files/");

  it("at every step the runs end, with one job each or one unconfirmed repeat, and one charge", async () => {
    script.polls = 2;
    const runs: string[] = [];
    const workerd = await service.workerdPid();
    // One run after the other is held at its step, the last one as it stores its picture.
    for (const [isIt, isAnswered] of [
      [isSubmission, false],
      [isPoll, false],
      [isFile, true],
    ] as const) {
      const moment = momentOf(isIt, isAnswered);
      // oxlint-disable no-await-in-loop -- one run after the other
      runs.push(await submit(1));
      await moment;
      // oxlint-enable no-await-in-loop
    }

    await service.kill(workerd);
    await start();

    for (const id of runs) {
      // oxlint-disable-next-line no-await-in-loop -- they end at about the same time
      expect(await waitForRun(service.client, id)).toMatchObject({
        status: "completed",
        credits_used: 0.3,
      });
    }
    // The held submission never made a job; only it may be repeated.
    expect(script.predictions).toHaveLength(3);
    expect(submissions()).toBe(4);
  });

  it("pictures that are edited and sounds that are separated in jobs go on with the same jobs", async () => {
    script.polls = 2;
    queue.polls = 2;
    const id = await submitEdits();
    const workerd = await service.workerdPid();
    // Both of the first jobs are known at fal, and one of them was asked for.
    await expect
      .poll(() => queue.requests.length === 2 && queue.requests.some(({ polls }) => polls > 0), {
        timeout: 20_000,
        interval: 5,
      })
      .toBe(true);

    await service.kill(workerd);
    await start();

    // 100 for the cutout, 600 for the enlargement and 70 for each of one second.
    expect(await waitForRun(service.client, id)).toMatchObject({
      status: "completed",
      credits_used: 0.77,
    });
    expect(queue.requests.map(({ model }) => model).toSorted()).toEqual([
      "fal-ai/birefnet/v2",
      "fal-ai/demucs",
    ]);
    expect(script.predictions.map(({ model }) => model)).toEqual([
      "recraft-ai/recraft-crisp-upscale",
    ]);
  });

  it("nothing of the key, the prompt or an address is in the log", () => {
    expect(service.log()).not.toMatch(/MARKER/);
    expect(service.log()).not.toContain(script.server.host);
  });
});
