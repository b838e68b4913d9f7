/**
 * docs/contract/models.md#calls: pictures of OpenAI-compatible servers. The scripted server is first driven by OpenAI's own
 * client, so that its script is known to speak the protocol, then by ours.
 */
import OpenAI, { toFile } from "openai";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type {
  ImageRequest,
  ModelPicture,
  ReferencedModel,
} from "../../../../src/contracts/models/model-calls.ts";
import { imageFields, makeImage } from "../../../../src/providers/openai-compatible/images.ts";
import { openaiCompatible } from "../../../../src/providers/openai-compatible/openai-compatible.ts";
import {
  type CallOptions,
  failureOf,
  ioOf,
  modelOf,
  PROVIDER_KEY,
} from "../../../support/providers/call-provider.ts";
import { answerPictures, readForm } from "../../../support/providers/openai-images.ts";
import {
  commonFaults,
  endless,
  type Fault,
  FAULTS_OF_JSON,
  status,
  text,
} from "../../../support/providers/provider-faults.ts";
import { testInProof } from "../../../support/in-proof.ts";
import { ODD_PROMPTS } from "../../../support/providers/odd-prompts.ts";
import { ScriptedServer } from "../../../support/providers/scripted-server.ts";

const server = new ScriptedServer((_request, response) => {
  response.end();
});
/** At another origin than the provider. */
const files = new ScriptedServer((_request, response) => {
  response.end();
});
let png: Buffer;
let jpeg: Buffer;
let webp: Buffer;

beforeAll(async () => {
  await Promise.all([server.start(), files.start()]);
  const noise = Buffer.from(Array.from({ length: 40 * 30 * 3 }, (_, at) => (at * 7919) % 256));
  const picture = () => sharp(noise, { raw: { width: 40, height: 30, channels: 3 } });
  [png, jpeg, webp] = await Promise.all([
    picture().png().toBuffer(),
    picture().jpeg().toBuffer(),
    picture().webp().toBuffer(),
  ]);
});
afterAll(() => {
  server.stop();
  files.stop();
});
beforeEach(() => {
  server.received.length = 0;
  files.received.length = 0;
});

const GPT: Partial<ReferencedModel> = {
  remote_model: "gpt-image-1",
  sizes: ["1024x1024", "1536x1024", "1024x1536"],
};
const REQUEST: ImageRequest = {
  capability: "text_to_image",
  prompt: "A kite\nPhotograph",
  negativePrompt: null,
  images: [],
  size: { width: 1_024, height: 1_024 },
  seed: null,
  variant: 0,
  preset: null,
  effect: null,
  parameters: {},
};

interface AskOptions extends CallOptions {
  readonly model?: Partial<ReferencedModel>;
  readonly request?: Partial<ImageRequest>;
}

/** A picture with all of its bytes. */
async function ask({ model = {}, request = {}, ...options }: AskOptions = {}) {
  const io = ioOf(openaiCompatible, server.host, options);
  const { bytes, ...made } = await makeImage(modelOf(model), { ...REQUEST, ...request }, io);
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) {
    pieces.push(piece.slice());
  }
  return { ...made, bytes: Buffer.concat(pieces) };
}

const client = () =>
  new OpenAI({ baseURL: `http://${server.host}/v1`, apiKey: PROVIDER_KEY, maxRetries: 0 });
const pictureOf = (bytes: Uint8Array, contentType: ModelPicture["contentType"]) => ({
  contentType,
  bytes: new Uint8Array(bytes),
});

describe("the script speaks the protocol: OpenAI's client", () => {
  test("reads base64 and addresses", async () => {
    server.answer = answerPictures({ pictures: [png] });
    const made = await client().images.generate({ model: "gpt-image-1", prompt: "A kite" });
    expect(Buffer.from(made.data?.[0]?.b64_json ?? "", "base64").equals(png)).toBe(true);
    server.answer = answerPictures({ pictures: [png], asUrls: true });
    const named = await client().images.generate({ model: "dall-e-2", prompt: "A kite" });
    expect(named.data?.[0]?.url).toBe(`http://${server.host}/files/0`);
  });

  test("sends what ours sends to make a picture", async () => {
    server.answer = answerPictures({ pictures: [png] });
    const { prompt } = REQUEST;
    await client().images.generate({
      model: "gpt-image-1",
      prompt,
      n: 1,
      size: "1024x1024",
      quality: "low",
      background: "transparent",
    });
    await ask({
      model: GPT,
      request: { parameters: { quality: "low", background: "transparent" } },
    });
    await client().images.generate({
      model: "vendor/tiny-1",
      prompt,
      n: 1,
      size: "1024x1024",
      response_format: "b64_json",
    });
    await ask();
    const [theirs, ours, theirsTiny, oursTiny] = server.received;
    expect(ours?.json()).toEqual(theirs?.json());
    expect(oursTiny?.json()).toEqual(theirsTiny?.json());
    expect(ours?.path).toBe(theirs?.path);
    for (const header of ["authorization", "content-type"]) {
      expect(ours?.headers[header]).toBe(theirs?.headers[header]);
    }
    // The types of OpenAI's client describe the request.
    imageFields(modelOf(GPT), REQUEST) satisfies Readonly<Record<string, unknown>>;
  });

  test.each([1, 3])("sends what ours sends to edit %i pictures", async (count) => {
    server.answer = answerPictures({ pictures: [png] });
    const pictures = [
      pictureOf(png, "image/png"),
      pictureOf(jpeg, "image/jpeg"),
      pictureOf(webp, "image/webp"),
    ].slice(0, count);
    const names = ["image-1.png", "image-2.jpg", "image-3.webp"];
    const uploads = await Promise.all(
      pictures.map(({ bytes, contentType }, at) => toFile(bytes, names[at], { type: contentType })),
    );
    await client().images.edit({
      model: "gpt-image-1",
      prompt: REQUEST.prompt,
      n: 1,
      size: "1536x1024",
      quality: "high",
      image: count === 1 ? uploads[0]! : uploads,
    });
    const { bytes } = await ask({
      model: GPT,
      request: {
        capability: count === 1 ? "image_edit" : "multi_image_edit",
        images: pictures,
        size: { width: 1_024, height: 576 },
        parameters: { quality: "high" },
      },
    });
    expect(bytes.equals(png)).toBe(true);
    const [theirs, ours] = server.received;
    expect(ours?.path).toBe(theirs?.path);
    const byName = (a: readonly [string, unknown], b: readonly [string, unknown]) =>
      a[0] < b[0] ? -1 : 1;
    const [theirForm, ourForm] = [await readForm(theirs!), await readForm(ours!)];
    const isFile = ([, value]: readonly [string, unknown]) => typeof value !== "string";
    const fieldsOf = (form: typeof ourForm) =>
      form.filter((field) => !isFile(field)).toSorted(byName);
    // `FormData` sends line breaks as CRLF; ours are sent as they are.
    expect(fieldsOf(ourForm)).toEqual(
      fieldsOf(theirForm).map(([name, value]) => [name, String(value).replaceAll("\r\n", "\n")]),
    );
    expect(ourForm.filter(isFile)).toEqual(theirForm.filter(isFile));
    expect(ourForm.filter(isFile)).toHaveLength(count);
  });
});

describe("our client", () => {
  test.each(Object.entries(ODD_PROMPTS))("sends a prompt %s as it is", async (_name, prompt) => {
    await ask({ request: { prompt } });
    const { prompt: sent } = server.received[0]!.json() as { prompt: string };
    expect(sent === prompt).toBe(true);
    await ask({
      request: { prompt, capability: "image_edit", images: [pictureOf(png, "image/png")] },
    });
    const form = new Map(await readForm(server.received[1]!));
    // UTF-8 has no lone surrogates.
    expect(form.get("prompt") === prompt.toWellFormed()).toBe(true);
  });

  test("sends the call's key, the operator's headers, and each attempt the same bytes", async () => {
    server.answer = answerPictures({ pictures: [png] });
    const request = { images: [pictureOf(png, "image/png")] };
    await ask({ request });
    await ask({ request, attempt: 2 });
    const [first, second] = server.received;
    expect(first?.headers).toMatchObject({
      "idempotency-key": "el-1",
      "x-org": "org-1",
      authorization: `Bearer ${PROVIDER_KEY}`,
    });
    expect(second?.body.equals(first!.body)).toBe(true);
  });

  test.each(["png", "jpeg", "webp"] as const)("returns a %s with its size", async (format) => {
    const bytes = { png, jpeg, webp }[format];
    server.answer = answerPictures({ pictures: [bytes] });
    expect(await ask()).toEqual({
      contentType: `image/${format}`,
      size: { width: 40, height: 30 },
      bytes,
    });
  });

  test("takes the first of more pictures than it asked for", async () => {
    server.answer = answerPictures({ pictures: [jpeg, png, png] });
    expect((await ask()).bytes.equals(jpeg)).toBe(true);
    server.answer = answerPictures({ pictures: [jpeg, png, png], asUrls: true });
    expect((await ask()).bytes.equals(jpeg)).toBe(true);
  });

  test("drops what follows a picture", async () => {
    server.answer = answerPictures({ pictures: [Buffer.concat([png, Buffer.from("MARKER")])] });
    expect((await ask()).bytes.equals(png)).toBe(true);
  });
});

describe("an address in an answer", () => {
  const named = (url: string) => status(200, { data: [{ url }] });

  test("of the provider's origin is fetched with its key", async () => {
    server.answer = answerPictures({ pictures: [png], asUrls: true });
    expect((await ask()).bytes.equals(png)).toBe(true);
    const [, file] = server.received;
    expect([file?.path, file?.headers.authorization, file?.headers["x-org"]]).toEqual([
      "/files/0",
      `Bearer ${PROVIDER_KEY}`,
      "org-1",
    ]);
  });

  test("of another origin is fetched without a credential, redirects included", async () => {
    server.answer = answerPictures({
      pictures: [png],
      asUrls: true,
      origin: `http://${files.host}`,
    });
    const scripted = answerPictures({ pictures: [png] });
    files.answer = (request, response) => {
      if (request.path === "/files/0") {
        response.writeHead(302, { location: "/files/000" });
        response.end();
        return;
      }
      void scripted({ ...request, path: "/files/0" }, response);
    };
    expect((await ask({ allowed: files.host })).bytes.equals(png)).toBe(true);
    expect(files.received.map(({ path }) => path)).toEqual(["/files/0", "/files/000"]);
    for (const { headers } of files.received) {
      expect(JSON.stringify(headers)).not.toMatch(/sk-|org-1|el-1/);
    }
  });

  test.each([
    ["loopback", () => `http://${files.host}/MARKER.png`],
    ["loopback with https", () => `https://${files.host}/MARKER.png`],
    ["localhost", () => "https://localhost/MARKER.png"],
    ["a metadata service", () => "http://169.254.169.254/latest/meta-data/MARKER"],
    ["a private network", () => "https://10.0.0.1/MARKER.png"],
    ["another port", () => "https://files.example.com:8443/MARKER.png"],
    ["a user", () => `http://user@${server.host}/MARKER.png`],
    ["another scheme", () => "file:///etc/MARKER"],
    ["a data address", () => "data:image/png;base64,MARKER"],
    ["a path alone", () => "/files/MARKER.png"],
  ])("that names %s is not called", async (_, url) => {
    server.answer = named(url());
    expect(await failureOf(ask())).toEqual({ code: "PROVIDER_BAD_OUTPUT", retryable: true });
    expect([server.received.length, files.received.length]).toEqual([1, 0]);
  });

  test("that redirects to a metadata service is not followed, nor one of the provider anywhere", async () => {
    const location = "http://169.254.169.254/latest/meta-data/MARKER";
    files.answer = (_request, response) => {
      response.writeHead(302, { location });
      response.end();
    };
    server.answer = named(`http://${files.host}/a.png`);
    expect(await failureOf(ask({ allowed: files.host }))).toEqual({
      code: "PROVIDER_BAD_OUTPUT",
      retryable: true,
    });
    server.answer = (request, response) => {
      if (request.path.startsWith("/v1/")) {
        void named(`http://${server.host}/a.png`)(request, response);
        return;
      }
      response.writeHead(302, { location: `http://${files.host}/a.png` });
      response.end();
    };
    files.received.length = 0;
    expect(await failureOf(ask({ allowed: files.host }))).toEqual({
      code: "PROVIDER_BAD_OUTPUT",
      retryable: true,
    });
    expect(files.received).toHaveLength(0);
  });

  test.each([
    [404, "PROVIDER_BAD_OUTPUT"],
    [403, "PROVIDER_BAD_OUTPUT"],
    [500, "PROVIDER_UNAVAILABLE"],
    [429, "PROVIDER_UNAVAILABLE"],
  ])("that answers %i is retried", async (code, expected) => {
    server.answer = named(`http://${files.host}/a.png`);
    files.answer = status(code);
    expect(await failureOf(ask({ allowed: files.host }))).toEqual({
      code: expected,
      retryable: true,
    });
  });
});

/** Responses with 200 without a complete picture. */
function faultsOfPictures(): readonly Fault[] {
  const bad = { code: "PROVIDER_BAD_OUTPUT", isRetried: true };
  const holding = (bytes: Uint8Array) => answerPictures({ pictures: [bytes] });
  const named = (bytes: Uint8Array) => answerPictures({ pictures: [bytes], asUrls: true });
  return [
    { name: "no pictures", answer: answerPictures({ pictures: [] }), ...bad },
    { name: "an empty picture", answer: holding(new Uint8Array(0)), ...bad },
    { name: "a truncated PNG", answer: holding(png.subarray(0, -5)), ...bad },
    { name: "a truncated JPEG", answer: holding(jpeg.subarray(0, -2)), ...bad },
    { name: "a truncated WebP", answer: holding(webp.subarray(0, -20)), ...bad },
    { name: "a truncated file", answer: named(png.subarray(0, 100)), ...bad },
    { name: "a GIF", answer: holding(Buffer.from("GIF89a...")), ...bad },
    { name: "a page as a picture", answer: holding(Buffer.from("<!DOCTYPE html>")), ...bad },
    { name: "a page as a file", answer: named(Buffer.from("<!DOCTYPE html>")), ...bad },
    { name: "base64 that is none", answer: text('{"data":[{"b64_json":"MARK*R"}]}'), ...bad },
    {
      name: "base64 without an end",
      answer: endless('{"data":[{"b64_json":"', "AAAA"),
      ...bad,
    },
  ];
}

/** Base64 of a chunk that has 2³⁰ bytes. */
const withoutEnd = () =>
  endless(
    `{"data":[{"b64_json":"${png.subarray(0, 33).toString("base64")}`,
    Buffer.from("\x40\x00\x00\x00tEXt\x00", "latin1").toString("base64"),
  );

// Reads 64 MiB.
testInProof("a picture without an end is read up to its limit", async () => {
  server.answer = withoutEnd();
  expect(await failureOf(ask())).toEqual({ code: "PROVIDER_BAD_OUTPUT", retryable: true });
});

describe("a failure has its code, whatever the provider says about it", () => {
  const faults = () => [...commonFaults(Date.now()), ...FAULTS_OF_JSON, ...faultsOfPictures()];

  test("each row of the table, for a picture and for an edit", async () => {
    for (const fault of faults()) {
      server.answer = fault.answer;
      const options = fault.timeoutMs === undefined ? {} : { timeoutMs: fault.timeoutMs };
      const kinds = fault.isLarge === true ? [[]] : [[], [pictureOf(png, "image/png")]];
      for (const images of kinds) {
        const expected = {
          code: fault.code,
          retryable: fault.isRetried,
          ...(fault.retryAfterMs !== undefined && { retryAfterMs: fault.retryAfterMs }),
        };
        // oxlint-disable-next-line no-await-in-loop -- one server
        expect(await failureOf(ask({ ...options, request: { images } })), fault.name).toEqual(
          expected,
        );
        if (fault.code === "PROVIDER_TIMEOUT") {
          // oxlint-disable-next-line no-await-in-loop -- one server
          const again = await failureOf(ask({ ...options, attempt: 2, request: { images } }));
          expect(again, fault.name).toEqual({ ...expected, retryable: false });
        }
      }
    }
  });

  test("no server", async () => {
    const io = ioOf(openaiCompatible, "127.0.0.1:1");
    expect(await failureOf(makeImage(modelOf({}), REQUEST, io))).toEqual({
      code: "PROVIDER_UNAVAILABLE",
      retryable: true,
    });
  });

  test("cancelling reaches the provider, before an answer and amid a picture", async () => {
    const begun: ScriptedServer["answer"] = (_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write(`{"data":[{"b64_json":"${png.toString("base64").slice(0, 80)}`);
    };
    for (const answer of [() => undefined, begun]) {
      server.answer = answer;
      server.received.length = 0;
      const before = server.aborted;
      const abort = new AbortController();
      const asked = ask({ signal: abort.signal });
      // oxlint-disable no-await-in-loop -- one after the other
      await expect.poll(() => server.received.length).toBe(1);
      abort.abort(new Error("cancelled"));
      await expect(asked).rejects.toThrow("cancelled");
      await expect.poll(() => server.aborted).toBe(before + 1);
      // oxlint-enable no-await-in-loop
    }
  });
});
