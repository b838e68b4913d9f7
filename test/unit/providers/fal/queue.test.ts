/**
 * docs/contract/models.md#jobs with fal. The scripted server is first driven by fal's own client, whose types also check
 * the inputs, so that its script is known to speak the protocol, then by ours. What every provider of jobs has in common
 * (waits, repeats, lost workers) is in `../replicate/predictions.test.ts`.
 */
import { ApiError, createFalClient } from "@fal-ai/client";
import type { EndpointTypeMap } from "@fal-ai/client/endpoints";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type ImageRequest,
  type MadeStems,
  STEM_NAMES,
} from "../../../../src/contracts/models/model-calls.ts";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import { FAL_MODELS } from "../../../../src/providers/fal/entries.ts";
import { fal } from "../../../../src/providers/fal/fal.ts";
import {
  newTaskOf,
  oneJob,
  pictureBytes,
  referencedEntry,
} from "../../../support/providers/call-job.ts";
import { soundOf } from "../../../support/models/sound-of.ts";
import { FalServer, outputOf } from "../../../support/providers/fal-server.ts";
import { wavOf } from "../../../support/providers/openai-audio.ts";
import { sendJson } from "../../../support/providers/openai-chat.ts";
import { PIXEL } from "../../../support/providers/pixel.ts";
import { commonFaults } from "../../../support/providers/provider-faults.ts";
import { ScriptedServer } from "../../../support/providers/scripted-server.ts";

const KEY = "key-id:the-operators-secret";
const WAV = wavOf(800);

const script = new FalServer();
/** An origin that is not the provider's. */
const other = new ScriptedServer((_request, response) => {
  response.end(PIXEL);
});

beforeAll(async () => {
  await Promise.all([script.server.start(), other.start()]);
});
afterAll(() => {
  script.server.stop();
  other.stop();
});
beforeEach(() => {
  script.reset();
  script.files = { png: PIXEL, wav: WAV };
  other.received.length = 0;
});

const modelOf = (slug: string) => referencedEntry(FAL_MODELS, slug);
const newTask = () =>
  newTaskOf({
    provider: fal,
    baseUrl: script.origin,
    apiKey: KEY,
    host: script.server.host,
    allowed: other.host,
  });

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
const PICTURE = { contentType: "image/png", bytes: PIXEL } as const;
const PIXEL_URI = `data:image/png;base64,${PIXEL.toString("base64")}`;

const painting = (request: Partial<ImageRequest> = {}) =>
  oneJob((calls) => calls.text_to_image, fal, modelOf("fal-flux-schnell"), {
    ...REQUEST,
    ...request,
  }).fetched(pictureBytes);

const submissions = () => script.server.received.filter(({ method }) => method === "POST");

describe("fal's own client", () => {
  const client = () =>
    createFalClient({
      credentials: KEY,
      retry: { maxRetries: 0 },
      // It knows no other address than fal's.
      fetch: (address, init) => {
        const { href } = new URL(address instanceof Request ? address.url : address);
        return fetch(href.replace("https://queue.fal.run", script.origin), init);
      },
    });
  const input: EndpointTypeMap["fal-ai/flux/schnell"]["input"] = { prompt: "a kite" };

  test("submits, asks for, fetches and cancels requests of the script", async () => {
    const { queue } = client();
    const made = await queue.submit("fal-ai/flux/schnell", { input });
    const of = { requestId: made.request_id };
    expect((await queue.status("fal-ai/flux/schnell", of)).status).toBe("IN_PROGRESS");
    expect((await queue.status("fal-ai/flux/schnell", of)).status).toBe("COMPLETED");
    const { data }: { data: EndpointTypeMap["fal-ai/flux/schnell"]["output"] } = await queue.result(
      "fal-ai/flux/schnell",
      of,
    );
    expect(data.images[0]?.url).toBe(`${script.origin}/files/${made.request_id}-picture.png`);
    const second = await queue.submit("fal-ai/flux/schnell", { input });
    await queue.cancel("fal-ai/flux/schnell", { requestId: second.request_id });
    expect(script.requests.map(({ isCancelled }) => isCancelled)).toEqual([false, true]);
  });

  test("sends what ours sends", async () => {
    await newTask().toEnd(painting());
    const sent = () => script.server.received.splice(0);
    const ours = sent();
    const { queue } = client();
    const made = await queue.submit("fal-ai/flux/schnell", {
      input: script.requests[0]?.input as typeof input,
    });
    const of = { requestId: made.request_id };
    await queue.status("fal-ai/flux/schnell", of);
    await queue.status("fal-ai/flux/schnell", of);
    await queue.result("fal-ai/flux/schnell", of);
    const first = script.requests[0]?.id ?? "";
    // Each request as often as it likes: ours asks for the output again in the lease that reads it.
    const said = (requests: typeof ours, id: string) =>
      new Set(
        requests
          .filter(({ path }) => !path.startsWith("/files/"))
          .map(({ method, path, headers, body }) => {
            const place = path.replace(id, "ID").replace(/\?.*$/, "");
            const asked = method === "POST" ? JSON.stringify(JSON.parse(body.toString())) : "";
            return `${method} ${place} ${headers["authorization"]} ${asked}`;
          }),
      );
    expect(said(ours, first)).toEqual(said(sent(), made.request_id));
  });

  test("waits for a request, and reads the failure of one", async () => {
    const subscribed = await client().subscribe("fal-ai/birefnet/v2", {
      input: { image_url: PIXEL_URI },
      pollInterval: 1,
    });
    expect(subscribed.data.image.url).toContain("/files/");
    script.result = () => ({
      status: 422,
      body: { detail: [{ loc: ["body", "prompt"], msg: "no", type: "content_policy_violation" }] },
    });
    const failing = client().subscribe("fal-ai/flux/schnell", { input, pollInterval: 1 });
    const error: unknown = await failing.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError<unknown>).status).toBe(422);
  });
});

describe("a job", () => {
  // The types are those of fal's client.
  const flux: EndpointTypeMap["fal-ai/flux/schnell"]["input"] = {
    prompt: "A MARKER kite",
    image_size: { width: 1_600, height: 900 },
    num_images: 1,
    seed: 7,
    output_format: "png",
  };
  const kontext: EndpointTypeMap["fal-ai/flux-pro/kontext"]["input"] = {
    prompt: "A MARKER kite",
    image_url: PIXEL_URI,
  };
  const birefnet: EndpointTypeMap["fal-ai/birefnet/v2"]["input"] = { image_url: PIXEL_URI };
  const demucs: EndpointTypeMap["fal-ai/demucs"]["input"] = {
    audio_url: `data:audio/wav;base64,${WAV.toString("base64")}`,
    model: "htdemucs",
    stems: ["vocals", "drums", "bass", "other"],
  };

  test.each([
    ["fal-flux-schnell", painting(), flux],
    [
      "fal-flux-kontext",
      oneJob((calls) => calls.image_edit, fal, modelOf("fal-flux-kontext"), {
        ...REQUEST,
        capability: "image_edit",
        images: [PICTURE],
      }).fetched(pictureBytes),
      kontext,
    ],
    [
      "fal-birefnet",
      oneJob((calls) => calls.background_removal, fal, modelOf("fal-birefnet"), {
        image: PICTURE,
        parameters: {},
      }).fetched(pictureBytes),
      birefnet,
    ],
  ])("of %s is asked for in that model's own terms, once", async (slug, work, input) => {
    script.polls = 2;
    expect(await newTask().toEnd(work)).toEqual({ made: PIXEL });
    expect(script.requests.map(({ model, input: sent }) => [model, sent])).toEqual([
      [modelOf(slug).remote_model, input],
    ]);
    const [sent] = submissions();
    expect([sent?.path, sent?.headers.authorization]).toEqual([
      `/${modelOf(slug).remote_model}`,
      `Key ${KEY}`,
    ]);
    // A model's name has three segments, its app two.
    const asked = script.server.received.find(({ path }) => path.endsWith("/status"));
    expect(asked?.path.split("/requests/")[0]).toBe(
      `/${modelOf(slug).remote_model.split("/").slice(0, 2).join("/")}`,
    );
  });

  const stems = (source = new MemorySource(WAV, "1")) =>
    oneJob((calls) => calls.stem_separation, fal, modelOf("fal-demucs"), {
      sound: soundOf(source, 0.1),
      parameters: {},
    }).fetched(async (made: MadeStems) =>
      Promise.all(STEM_NAMES.map((name) => pictureBytes({ bytes: made.stems[name] }))),
    );

  test("of fal-demucs sends the sound and fetches four", async () => {
    expect(await newTask().toEnd(stems())).toEqual({ made: [WAV, WAV, WAV, WAV] });
    expect(script.requests.map(({ input }) => input)).toEqual([demucs]);
    const fetched = script.server.received.filter(({ path }) => path.startsWith("/files/"));
    expect(fetched.map(({ path }) => path.replace(/.*-/, ""))).toEqual(
      STEM_NAMES.map((name) => `${name}.wav`),
    );
  });

  test("of fal-demucs with a stem that is missing or no sound is PROVIDER_BAD_OUTPUT", async () => {
    script.files = { wav: PIXEL };
    expect(await newTask().toEnd(stems())).toMatchObject({ code: "PROVIDER_BAD_OUTPUT" });
    script.result = () => ({
      status: 200,
      body: { vocals: { url: `${script.origin}/files/a.wav` } },
    });
    expect(await newTask().toEnd(stems())).toMatchObject({ code: "PROVIDER_BAD_OUTPUT" });
  });

  test("for a sound that is too large as base64 is INPUT_TOO_LONG before anything is sent", async () => {
    const source = new (class extends MemorySource {
      override get sizeBytes(): number {
        return 180 * 1024 * 1024 + 1;
      }
    })(WAV, "1");
    expect(await newTask().toEnd(stems(source))).toMatchObject({ code: "INPUT_TOO_LONG" });
    expect(script.server.received).toHaveLength(0);
  });
});

test("an input with a member of another name or type is none of fal's types", () => {
  // Compiled by `npm run check`: without an error, the lines below them would be one.
  const planted: readonly unknown[] = [
    // @ts-expect-error -- the member is `prompt`
    { promt: "a kite" } satisfies EndpointTypeMap["fal-ai/flux/schnell"]["input"],
    // @ts-expect-error -- a seed is a number
    { prompt: "a kite", seed: "7" } satisfies EndpointTypeMap["fal-ai/flux/schnell"]["input"],
    // @ts-expect-error -- the picture is missing
    { prompt: "a kite" } satisfies EndpointTypeMap["fal-ai/flux-pro/kontext"]["input"],
    // @ts-expect-error -- the member is `image_url`
    { image: "data:" } satisfies EndpointTypeMap["fal-ai/birefnet/v2"]["input"],
    // @ts-expect-error -- there is no such stem
    { audio_url: "data:", stems: ["voice"] } satisfies EndpointTypeMap["fal-ai/demucs"]["input"],
  ];
  expect(planted).toHaveLength(5);
});

describe("a submission", () => {
  test.each(commonFaults(Date.now()).filter(({ timeoutMs }) => timeoutMs === undefined))(
    "that meets $name is $code",
    async ({ answer, code, isRetried, retryAfterMs }) => {
      script.interrupt = async (request, response) => {
        await answer(request, response);
        return true;
      };
      const task = newTask();
      const end = await task.run(painting());
      expect(end).toBeInstanceOf(NodeError);
      expect(end).toMatchObject({
        code,
        retryable: isRetried,
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      });
      expect((end as NodeError).message).not.toMatch(/MARKER|127\.0\.0\.1|secret/);
    },
  );

  test("whose answer was lost is repeated once, and never a second time", async () => {
    script.interrupt = ({ method }, response) => {
      if (method !== "POST") {
        return false;
      }
      response.destroy();
      return true;
    };
    const task = newTask();
    expect(await task.toEnd(painting())).toMatchObject({
      code: "PROVIDER_UNAVAILABLE",
      retryable: false,
    });
    expect([submissions().length, task.repeats]).toEqual([2, [false, true]]);
  });

  test("that was recorded is never repeated, whatever is lost after it", async () => {
    script.polls = 3;
    const task = newTask();
    await task.run(painting());
    await task.run(painting(), { isLost: true });
    await task.run(painting(), { isLost: true });
    expect(await task.toEnd(painting())).toEqual({ made: PIXEL });
    expect(submissions()).toHaveLength(1);
  });
});

describe("a job that fails", () => {
  const detail = (type: string) => ({ detail: [{ loc: ["body"], msg: "MARKER", type }] });
  test.each([
    [422, detail("content_policy_violation"), "CONTENT_REFUSED"],
    [422, detail("image_too_small"), "PROVIDER_REJECTED"],
    [500, detail("internal_server_error"), "PROVIDER_JOB_FAILED"],
    [504, detail("generation_timeout"), "PROVIDER_JOB_FAILED"],
    [503, { detail: "MARKER", error_type: "runner_disconnected" }, "PROVIDER_JOB_FAILED"],
    [499, { detail: "MARKER", error_type: "client_cancelled" }, "PROVIDER_JOB_CANCELLED"],
    [401, { detail: "MARKER" }, "PROVIDER_AUTH_FAILED"],
  ])("with %i and %j is %s, and is not submitted again", async (status, body, code) => {
    script.result = () => ({ status, body });
    const end = await newTask().toEnd(painting());
    expect(end).toMatchObject({ code, retryable: false });
    expect((end as NodeError).message).not.toContain("MARKER");
    expect(submissions()).toHaveLength(1);
  });

  test("because of a gateway is asked for again until it is there", async () => {
    let failing = 3;
    script.result = (...of) => {
      failing -= 1;
      return failing >= 0
        ? { status: 502, body: "bad gateway" }
        : { status: 200, body: outputOf(...of) };
    };
    const task = newTask();
    expect(await task.toEnd(painting())).toEqual({ made: PIXEL });
    expect([submissions().length, task.attempt]).toEqual([1, 1]);
  });

  test("a picture that a filter has blackened is CONTENT_REFUSED", async () => {
    for (const flags of [[true], true]) {
      script.result = (...of) => ({
        status: 200,
        body: { ...(outputOf(...of) as object), has_nsfw_concepts: flags },
      });
      // oxlint-disable-next-line no-await-in-loop -- one script
      expect(await newTask().toEnd(painting())).toMatchObject({ code: "CONTENT_REFUSED" });
    }
    expect(script.server.received.some(({ path }) => path.startsWith("/files/"))).toBe(false);
  });

  test.each([
    ["no picture", { images: [] }],
    ["an empty object", {}],
    ["a list", []],
    ["a number as its address", { images: [{ url: 42 }] }],
    ["an address of a metadata service", { images: [{ url: "https://169.254.169.254/latest" }] }],
    ["an address of this machine", { images: [{ url: "http://127.0.0.1:9/x.png" }] }],
  ])("with %s as its output is PROVIDER_BAD_OUTPUT", async (_what, body) => {
    script.result = () => ({ status: 200, body });
    expect(await newTask().toEnd(painting())).toMatchObject({ code: "PROVIDER_BAD_OUTPUT" });
    expect(submissions()).toHaveLength(1);
  });

  test("by a status that nobody knows, ten times in a row, is PROVIDER_UNAVAILABLE", async () => {
    script.interrupt = ({ path }, response) => {
      if (!path.endsWith("/status")) {
        return false;
      }
      sendJson(response, 200, { status: "MARKER" });
      return true;
    };
    expect(await newTask().toEnd(painting())).toMatchObject({ code: "PROVIDER_UNAVAILABLE" });
    expect(submissions()).toHaveLength(1);
  });

  test("by never ending is PROVIDER_TIMEOUT, and is cancelled", async () => {
    script.polls = Infinity;
    expect(await newTask().toEnd(painting(), 500)).toMatchObject({ code: "PROVIDER_TIMEOUT" });
    expect(script.requests.map(({ isCancelled }) => isCancelled)).toEqual([true]);
  });
});

describe("addresses in answers", () => {
  test("of another origin are never called with the key: the documented paths are", async () => {
    script.urls = () => ({
      status_url: `http://${other.host}/steal/status`,
      response_url: `http://${other.host}/steal`,
      cancel_url: `http://${other.host}/steal/cancel`,
    });
    const task = newTask();
    expect(await task.toEnd(painting())).toEqual({ made: PIXEL });
    script.polls = Infinity;
    const cancelled = newTask();
    await cancelled.run(painting());
    await cancelled.run(async (jobs) => {
      await jobs.giveUp();
      return 0;
    });
    expect(script.requests.map(({ isCancelled }) => isCancelled)).toEqual([false, true]);
    expect(other.received).toHaveLength(0);
  });

  test("of the own origin are used as they are", async () => {
    script.urls = (place) => ({
      status_url: `${place}/status?from=answer`,
      response_url: `${place}?from=answer`,
      cancel_url: `${place}/cancel`,
    });
    expect(await newTask().toEnd(painting())).toEqual({ made: PIXEL });
    const named = script.server.received.filter(({ path }) => path.endsWith("?from=answer"));
    expect(named.length).toBeGreaterThan(2);
  });

  test("of a file at another origin are called without the key", async () => {
    script.result = () => ({
      status: 200,
      body: { images: [{ url: `http://${other.host}/picture.png` }] },
    });
    expect(await newTask().toEnd(painting())).toEqual({ made: PIXEL });
    expect(other.received).toHaveLength(1);
    expect(JSON.stringify(other.received[0]?.headers)).not.toContain("secret");
  });
});
