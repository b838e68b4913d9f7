/**
 * docs/contract/models.md#jobs with Replicate. The scripted server is first driven by Replicate's own client, so that its
 * script is known to speak the protocol, then by ours.
 */
import Replicate from "replicate";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type {
  ImageRequest,
  ReferencedModel,
} from "../../../../src/contracts/models/model-calls.ts";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import { REPLICATE_MODELS } from "../../../../src/providers/replicate/entries.ts";
import { replicate } from "../../../../src/providers/replicate/replicate.ts";
import type { TaskJobs } from "../../../../src/workers/runner/model-jobs.ts";
import {
  newTaskOf,
  oneJob,
  pictureBytes,
  referencedEntry,
} from "../../../support/providers/call-job.ts";
import { sendJson } from "../../../support/providers/openai-chat.ts";
import { PIXEL } from "../../../support/providers/pixel.ts";
import { ReplicateServer } from "../../../support/providers/replicate-server.ts";
import { ScriptedServer } from "../../../support/providers/scripted-server.ts";
import type { TaskHistory } from "../../../support/providers/task-history.ts";

const KEY = "r8_the-operators-key";
const script = new ReplicateServer();
/** An origin that is not the provider's. */
const other = new ScriptedServer((_request, response) => {
  response.writeHead(200, { "content-type": "image/png" });
  response.end(PIXEL);
});

beforeAll(async () => {
  await Promise.all([script.server.start(), other.start()]);
});
afterAll(() => {
  script.server.stop();
  other.stop();
});
const defaults = { output: script.output, urls: script.urls, idOf: script.idOf };
beforeEach(() => {
  script.reset();
  Object.assign(script, defaults);
  script.file = PIXEL;
  other.received.length = 0;
});

const modelOf = (slug: string) => referencedEntry(REPLICATE_MODELS, slug);

const REQUEST: ImageRequest = {
  capability: "text_to_image",
  prompt: "A MARKER kite",
  negativePrompt: null,
  images: [],
  size: { width: 1_600, height: 900 },
  seed: 7,
  variant: 0,
  preset: null,
  effect: null,
  parameters: {},
};

const newTask = (): TaskHistory =>
  newTaskOf({
    provider: replicate,
    baseUrl: script.base,
    apiKey: KEY,
    host: script.server.host,
    allowed: other.host,
  });

interface Asked {
  readonly model?: ReferencedModel;
  readonly request?: Partial<ImageRequest>;
  readonly name?: string;
}

function callOf(jobs: TaskJobs, { model = modelOf("flux-schnell"), request, name = "a" }: Asked) {
  const asked = { ...REQUEST, ...request };
  const call = replicate.jobs?.calls[asked.capability];
  if (call === undefined) {
    throw new Error("no such call");
  }
  return jobs.of(name, model, call, () => Promise.resolve(asked));
}

const picture =
  (asked: Asked = {}) =>
  (jobs: TaskJobs) =>
    jobs.remembering(asked.name ?? "a", async () =>
      pictureBytes(await callOf(jobs, asked).fetch()),
    );

const submissions = () =>
  script.server.received.filter(({ path }) => /\/models\/.*\/predictions$/.test(path));

describe("Replicate's own client", () => {
  test("makes, asks for, cancels and reads predictions of the script, and uploads files to it", async () => {
    const client = new Replicate({ auth: KEY, baseUrl: script.base });
    const made = await client.predictions.create({
      model: "black-forest-labs/flux-schnell",
      input: { prompt: "a kite" },
    });
    expect(made.status).toBe("starting");
    const ended = await client.wait(made, { interval: 1 });
    expect([ended.status, ended.output]).toEqual([
      "succeeded",
      [`${script.origin}/files/prediction1.png`],
    ]);
    const second = await client.predictions.create({ model: "a/b", input: {} });
    expect((await client.predictions.cancel(second.id)).status).toBe("canceled");
    const file = await client.files.create(new Blob([PIXEL], { type: "image/png" }));
    expect(file.urls.get).toBe(`${script.base}/files/upload1`);
    expect(script.uploads[0]?.headers["content-type"]).toMatch(/^multipart\/form-data/);
    script.error = "CUDA out of memory";
    const failing = await client.predictions.create({ model: "a/b", input: {} });
    await expect(client.wait(failing, { interval: 1 })).rejects.toThrow(/CUDA/);
  });

  test("sends what ours sends", async () => {
    await newTask().toEnd(picture());
    const input = script.predictions[0]?.input ?? {};
    const client = new Replicate({ auth: KEY, baseUrl: script.base });
    const made = await client.predictions.create({
      model: "black-forest-labs/flux-schnell",
      input,
    });
    await client.predictions.get(made.id);
    const [ours, theirs] = submissions();
    const [path, body, key] = [theirs?.path, theirs?.json(), theirs?.headers["authorization"]];
    expect([ours?.path, ours?.json(), ours?.headers["authorization"]]).toEqual([path, body, key]);
    const places = script.server.received.map((one) => `${one.method} ${one.path}`);
    for (const { id } of script.predictions) {
      expect(places).toContain(`GET /v1/predictions/${id}`);
    }
  });
});

describe("a picture", () => {
  test("is submitted once, asked for after 0.5, 0.75, 1.125 s …, at most 5 s, and fetched", async () => {
    script.polls = 8;
    const task = newTask();
    const waits: number[] = [];
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- leases follow each other
      const end = await task.run(picture());
      if (!("waitedMs" in end)) {
        expect(end).toEqual({ made: PIXEL });
        break;
      }
      waits.push(end.waitedMs);
    }
    expect(waits.slice(0, 5)).toEqual([500, 750, 1_125, 1_687.5, 2_531.25]);
    expect(waits.slice(6)).toEqual([5_000, 5_000, 5_000]);
    expect(submissions()).toHaveLength(1);
    expect(submissions()[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}` });
    expect(submissions()[0]?.headers["prefer"]).toBeUndefined();
    expect([task.attempt, task.repeats]).toEqual([1, [false]]);
  });

  test.each([
    [
      "flux-schnell",
      { size: { width: 1_600, height: 900 } },
      {
        prompt: "A MARKER kite",
        aspect_ratio: "16:9",
        num_outputs: 1,
        seed: 7,
        output_format: "png",
      },
    ],
    [
      "flux-kontext-pro",
      {
        capability: "image_edit" as const,
        images: [{ contentType: "image/png" as const, bytes: PIXEL }],
      },
      {
        prompt: "A MARKER kite",
        input_image: `data:image/png;base64,${PIXEL.toString("base64")}`,
        aspect_ratio: "match_input_image",
        seed: 7,
        output_format: "png",
      },
    ],
    [
      "nano-banana",
      {
        capability: "multi_image_edit" as const,
        seed: null,
        images: [1, 2].map(() => ({ contentType: "image/png" as const, bytes: PIXEL })),
      },
      {
        prompt: "A MARKER kite",
        image_input: [1, 2].map(() => `data:image/png;base64,${PIXEL.toString("base64")}`),
      },
    ],
  ])("of %s is asked for in that model's own terms", async (slug, request, input) => {
    const end = await newTask().toEnd(picture({ model: modelOf(slug), request }));
    expect(end).toEqual({ made: PIXEL });
    expect(script.predictions.map((one) => one.input)).toEqual([input]);
    expect(script.predictions[0]?.model).toBe(modelOf(slug).remote_model);
  });

  test.each([
    ["bria-cutout", "background_removal", "bria/remove-background"],
    ["recraft-upscale", "image_upscale", "recraft-ai/recraft-crisp-upscale"],
  ] as const)(
    "edited by %s is asked for with the picture alone",
    async (slug, capability, name) => {
      const request = {
        image: { contentType: "image/png" as const, bytes: PIXEL },
        parameters: {},
        scale: 2 as const,
        size: { width: 2, height: 2 },
      };
      script.output = ({ id }, origin) => `${origin}/files/${id}.png`;
      const work = oneJob((calls) => calls[capability], replicate, modelOf(slug), request);
      expect(await newTask().toEnd(work.fetched(pictureBytes))).toEqual({ made: PIXEL });
      expect(script.predictions.map(({ model, input }) => [model, input])).toEqual([
        [name, { image: `data:image/png;base64,${PIXEL.toString("base64")}` }],
      ]);
    },
  );

  test("above 256 KiB is uploaded first, and the input names its address", async () => {
    const bytes = new Uint8Array(256 * 1024 + 1);
    await newTask().toEnd(
      picture({
        model: modelOf("nano-banana"),
        request: { capability: "image_edit", images: [{ contentType: "image/png", bytes }] },
      }),
    );
    expect(script.uploads).toHaveLength(1);
    expect(script.uploads[0]?.body.length).toBeGreaterThan(bytes.length);
    expect(script.predictions[0]?.input["image_input"]).toEqual([`${script.base}/files/upload1`]);
  });
});

describe("a job that fails", () => {
  test.each([
    ["NSFW content detected", "CONTENT_REFUSED"],
    ["The prompt was flagged as sensitive", "CONTENT_REFUSED"],
    ["CUDA out of MARKER", "PROVIDER_JOB_FAILED"],
  ])("with %j is %s, and is not submitted again", async (error, code) => {
    script.error = error;
    const end = await newTask().toEnd(picture());
    expect(end).toMatchObject({ code, retryable: false });
    expect(end instanceof NodeError && end.message).not.toMatch(/MARKER|127\.0\.0\.1/);
    expect(submissions()).toHaveLength(1);
  });

  test.each(["canceled", "aborted"] as const)("as %s is PROVIDER_JOB_CANCELLED", async (status) => {
    script.interrupt = () => {
      script.predictions.forEach((one) => {
        one.status = status;
      });
      return false;
    };
    expect(await newTask().toEnd(picture())).toMatchObject({ code: "PROVIDER_JOB_CANCELLED" });
    expect(submissions()).toHaveLength(1);
  });

  test("by never ending is PROVIDER_TIMEOUT: asked for again once, then cancelled", async () => {
    script.polls = Infinity;
    const end = await newTask().toEnd(picture(), 500);
    expect(end).toMatchObject({ code: "PROVIDER_TIMEOUT", retryable: false });
    expect(submissions()).toHaveLength(1);
    expect(script.predictions[0]?.status).toBe("canceled");
  });
});

describe("a submission", () => {
  test.each([
    [429, { "retry-after": "3" }, {}, "PROVIDER_RATE_LIMITED", 4],
    [429, { "retry-after": "90" }, {}, "PROVIDER_RATE_LIMITED", 1],
    [429, {}, { retry_after: 2 }, "PROVIDER_RATE_LIMITED", 4],
    [503, {}, {}, "PROVIDER_UNAVAILABLE", 4],
    [401, {}, {}, "PROVIDER_AUTH_FAILED", 1],
    [402, {}, {}, "PROVIDER_QUOTA_EXCEEDED", 1],
    [422, {}, { detail: "MARKER" }, "PROVIDER_REJECTED", 1],
  ])("that is refused with %i %j %j is %s after %i", async (status, headers, body, code, times) => {
    script.interrupt = (_request, response) => {
      sendJson(response, status, body, headers);
      return true;
    };
    const task = newTask();
    expect(await task.toEnd(picture())).toMatchObject({ code });
    expect(submissions()).toHaveLength(times);
    // A refused one has made no job, so none of them is a repeat.
    expect(task.repeats).toEqual(submissions().map(() => false));
  });

  test("whose answer was lost is repeated once, and never a second time", async () => {
    script.interrupt = ({ method }, response) => {
      if (method === "POST") {
        response.destroy();
        return true;
      }
      return false;
    };
    const task = newTask();
    expect(await task.toEnd(picture())).toMatchObject({
      code: "PROVIDER_UNAVAILABLE",
      retryable: false,
    });
    expect(submissions()).toHaveLength(2);
    expect(task.repeats).toEqual([false, true]);
  });

  test.each([
    ["an HTML page", (): unknown => undefined],
    ["no id", () => ({ status: "starting" })],
    ["an endless id", () => ({ id: "x".repeat(129), status: "starting" })],
  ])("that returns %s may have made a job, and is repeated once", async (_what, body) => {
    script.interrupt = ({ method }, response) => {
      if (method !== "POST") {
        return false;
      }
      const value = body();
      if (value === undefined) {
        response.writeHead(200, { "content-type": "text/html" });
        response.end("<html>MARKER</html>");
      } else {
        sendJson(response, 201, value);
      }
      return true;
    };
    expect(await newTask().toEnd(picture())).toBeInstanceOf(NodeError);
    expect(submissions()).toHaveLength(2);
  });

  test("of a worker that was lost is repeated once, and never after a second loss", async () => {
    const task = newTask();
    await task.run(picture(), { isLost: true });
    expect(submissions()).toHaveLength(1);
    // Recorded first, then repeated.
    expect(await task.run(picture())).toMatchObject({ waitedMs: 250 });
    expect(submissions()).toHaveLength(1);
    await task.run(picture(), { isLost: true });
    expect(submissions()).toHaveLength(2);
    expect(await task.toEnd(picture())).toMatchObject({ code: "PROVIDER_UNAVAILABLE" });
    expect(submissions()).toHaveLength(2);
    expect(task.repeats).toEqual([false, true]);
  });

  test("that was recorded is never repeated, whatever is lost after it", async () => {
    script.polls = 3;
    const task = newTask();
    await task.run(picture());
    for (let lost = 0; lost < 4; lost += 1) {
      // oxlint-disable-next-line no-await-in-loop -- leases follow each other
      await task.run(picture(), { isLost: true });
    }
    expect(await task.toEnd(picture())).toEqual({ made: PIXEL });
    expect([submissions().length, task.repeats]).toEqual([1, [false]]);
  });
});

describe("polls", () => {
  test("that fail do not count as attempts; ten in a row do", async () => {
    let failing = 9;
    script.interrupt = ({ method, path }, response) => {
      if (method === "GET" && path.startsWith("/v1/predictions") && failing > 0) {
        failing -= 1;
        sendJson(response, 503, { detail: "MARKER" });
        return true;
      }
      return false;
    };
    const nine = newTask();
    expect(await nine.toEnd(picture())).toEqual({ made: PIXEL });
    expect(nine.attempt).toBe(1);
    failing = 10;
    const ten = newTask();
    expect(await ten.toEnd(picture())).toEqual({ made: PIXEL });
    expect(ten.attempt).toBe(2);
    failing = 40;
    expect(await newTask().toEnd(picture())).toMatchObject({ code: "PROVIDER_UNAVAILABLE" });
    expect(submissions()).toHaveLength(3);
  });
});

describe("several calls of a task", () => {
  const both = async (jobs: TaskJobs) => {
    const calls = ["a", "b"].map((name) => callOf(jobs, { name }));
    let suspended: unknown;
    for (const call of calls) {
      // oxlint-disable-next-line no-await-in-loop -- as nodes do
      await call.begin().catch((error: unknown) => {
        suspended = error;
      });
    }
    if (suspended !== undefined) {
      throw suspended;
    }
    const made: Buffer[] = [];
    for (const call of calls) {
      // oxlint-disable-next-line no-await-in-loop -- as nodes do
      made.push(await pictureBytes(await call.fetch()));
    }
    return made.length;
  };

  test("work side by side, one submission a lease, and a failed fetch makes neither again", async () => {
    let failing = 2;
    script.interrupt = ({ path }, response) => {
      if (path.startsWith("/files/") && failing > 0) {
        failing -= 1;
        response.destroy();
        return true;
      }
      return false;
    };
    const task = newTask();
    expect(await task.run(both)).toEqual({ waitedMs: 250 });
    expect(submissions()).toHaveLength(1);
    expect(await task.run(both)).toMatchObject({ waitedMs: 250 });
    expect(submissions()).toHaveLength(2);
    expect(await task.toEnd(both)).toEqual({ made: 2 });
    expect([submissions().length, task.attempt]).toEqual([2, 3]);
  });

  test("with the same job id are a bad output", async () => {
    script.idOf = () => "same";
    expect(await newTask().toEnd(both)).toBeInstanceOf(NodeError);
    expect(submissions().length).toBeLessThanOrEqual(3);
  });
});

describe("addresses in answers", () => {
  test("of the own origin are used, any other is replaced by the documented path", async () => {
    script.urls = (id, base) => ({
      get: `${base}/predictions/${id}?from=answer`,
      cancel: `http://${other.host}/steal`,
    });
    script.polls = 1;
    const task = newTask();
    await task.run(picture());
    await task.run(async (jobs) => {
      await jobs.giveUp();
      return 0;
    });
    expect(script.predictions[0]?.status).toBe("canceled");
    expect(await task.toEnd(picture())).toMatchObject({ code: "PROVIDER_JOB_CANCELLED" });
    expect(script.server.received.some(({ path }) => path.endsWith("?from=answer"))).toBe(true);
    expect(other.received).toHaveLength(0);
  });

  test("of a file at another origin are called without the key", async () => {
    script.output = () => `http://${other.host}/picture.png`;
    expect(await newTask().toEnd(picture())).toEqual({ made: PIXEL });
    expect(other.received).toHaveLength(1);
    expect(JSON.stringify(other.received[0]?.headers)).not.toContain(KEY);
  });

  test.each([
    "http://127.0.0.1:9/x.png",
    "https://169.254.169.254/latest/meta-data",
    "file:///etc/passwd",
    "https://user:pass@example.com/x.png",
    42,
    null,
  ])("of a file like %j are PROVIDER_BAD_OUTPUT", async (address) => {
    script.output = () => [address];
    expect(await newTask().toEnd(picture())).toMatchObject({ code: "PROVIDER_BAD_OUTPUT" });
    expect(submissions()).toHaveLength(1);
  });
});

describe("an abort", () => {
  test.each([
    ["CANCELLED", "canceled"],
    ["NODE_TIMEOUT", "canceled"],
    ["LEASE_LOST", "processing"],
  ] as const)("because of %s leaves the job %s", async (code, status) => {
    script.polls = 5;
    const task = newTask();
    await task.run(picture());
    const cancelled = new Promise<void>((resolve) => {
      script.interrupt = ({ path }) => {
        if (path.endsWith("/cancel")) {
          setTimeout(resolve, 0);
        } else if (!task.abort.signal.aborted) {
          task.abort.abort(new NodeError(code, "…"));
        }
        return false;
      };
    });
    await task.run(picture()).catch(() => undefined);
    if (status === "canceled") {
      await cancelled;
    }
    expect(script.predictions[0]?.status).toBe(status);
  });

  test("while a submission is under way cancels the job that it makes", async () => {
    const task = newTask();
    script.interrupt = ({ path }) => {
      if (path.includes("/models/")) {
        task.abort.abort(new NodeError("CANCELLED", "…"));
      }
      return false;
    };
    await task.run(picture()).catch(() => undefined);
    expect(script.predictions.map(({ status }) => status)).toEqual(["canceled"]);
  });
});
