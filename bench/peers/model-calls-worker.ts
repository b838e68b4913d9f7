/**
 * Calls of models by the service's adapters, and the same calls by the providers' own clients, in one isolate: the request
 * names who calls, what is called, and how often one after another. Responds with the bytes of the answers.
 */
import { createFalClient } from "@fal-ai/client";
import OpenAI from "openai";
import Replicate from "replicate";
import type {
  ImageRequest,
  MadePicture,
  ReferencedModel,
  TextRequest,
} from "../../src/contracts/models/model-calls.ts";
import pixels from "../../src/images/pixels/pixels.wasm";
import type { ModelCallsOrder } from "../model-calls-order.ts";
import { fal } from "../../src/providers/fal/fal.ts";
import { generateText } from "../../src/providers/openai-compatible/chat.ts";
import { makeImage } from "../../src/providers/openai-compatible/images.ts";
import { openaiCompatible } from "../../src/providers/openai-compatible/openai-compatible.ts";
import { providerIo } from "../../src/providers/provider-io.ts";
import type { Provider, ProviderIo } from "../../src/providers/provider.ts";
import { replicate } from "../../src/providers/replicate/replicate.ts";

type Call = (baseUrl: string) => Promise<number>;

const KEY = "sk-bench";
const PROMPT = "Describe a kite.";
const TEXT: TextRequest = {
  system: "Be brief.",
  prompt: PROMPT,
  images: [],
  turns: [],
  maxOutputTokens: 1_024,
  temperature: null,
  seed: null,
  jsonSchema: null,
  parameters: {},
};
const IMAGE: ImageRequest = {
  capability: "text_to_image",
  prompt: PROMPT,
  negativePrompt: null,
  images: [],
  size: { width: 1_024, height: 1_024 },
  seed: 7,
  variant: 0,
  preset: null,
  effect: null,
  parameters: {},
};

function modelOf(remoteModel: string): ReferencedModel {
  return {
    model: "bench",
    provider: "bench",
    remote_model: remoteModel,
    capabilities: ["text_to_image", "text_generation"],
    supports_vision: false,
    cost_unit: "per_request",
    credit_cost_milli_credits: 1,
    input_milli_credits_per_1k: null,
    output_milli_credits_per_1k: null,
    controls: [],
    voices: [],
    sizes: [],
    max_input_images: 1,
    timeout_ms: 60_000,
    hides: [],
    max_tokens_field: "max_tokens",
    json_mode: "json_schema",
    parameters: [],
  };
}

let calls = 0;

function ioOf(provider: Provider, baseUrl: string): ProviderIo {
  const env = {
    ENVIRONMENT: "local",
    PROVIDERS_ALLOW_LOOPBACK: new URL(baseUrl).host,
    EGRESS_ALLOW_LOOPBACK: "",
  } as const;
  calls += 1;
  return providerIo(
    env,
    provider,
    { baseUrl, apiKey: KEY, headers: {} },
    {
      key: `el-${calls}`,
      attempt: 1,
      signal: new AbortController().signal,
      timeoutMs: 60_000,
      openPicture: () => Promise.reject(new Error("no pictures here")),
      pixels,
    },
  );
}

async function sizeOf({ bytes }: MadePicture): Promise<number> {
  let size = 0;
  for await (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) {
    size += piece.length;
  }
  return size;
}

/** A job as tasks carry it out, without the waits between the polls. */
async function pictureJob(provider: Provider, remoteModel: string, baseUrl: string) {
  const { jobs } = provider;
  const call = jobs?.calls.text_to_image;
  if (jobs === undefined || call === undefined) {
    throw new Error("no such job");
  }
  const io = ioOf(provider, baseUrl);
  const input = await call.inputOf(modelOf(remoteModel), IMAGE, io);
  const job = await jobs.submit({ remoteModel }, input, io);
  for (;;) {
    // oxlint-disable no-await-in-loop -- polls follow each other
    const output = await jobs.poll(job, io);
    if (output !== undefined) {
      return await sizeOf(await call.read(output, { remoteModel }, io));
    }
    // oxlint-enable no-await-in-loop
  }
}

async function download(address: string): Promise<number> {
  const response = await fetch(address);
  return (await response.arrayBuffer()).byteLength;
}

const FLUX = "black-forest-labs/flux-schnell";
const FAL_FLUX = "fal-ai/flux/schnell";
const openai = (baseURL: string) => new OpenAI({ apiKey: KEY, baseURL, maxRetries: 0 });
const MESSAGES = [
  { role: "system" as const, content: "Be brief." },
  { role: "user" as const, content: PROMPT },
];

const CALLS: Record<ModelCallsOrder["what"], Record<ModelCallsOrder["who"], Call>> = {
  text: {
    ours: async (baseUrl) => {
      const io = ioOf(openaiCompatible, baseUrl);
      return (await generateText(modelOf("gpt-4.1-mini"), TEXT, io, undefined)).text.length;
    },
    theirs: async (baseUrl) => {
      const { choices } = await openai(baseUrl).chat.completions.create({
        model: "gpt-4.1-mini",
        messages: MESSAGES,
        max_tokens: 1_024,
      });
      return choices[0]?.message.content?.length ?? 0;
    },
  },
  "streamed text": {
    ours: async (baseUrl) => {
      let size = 0;
      await generateText(
        modelOf("gpt-4.1-mini"),
        TEXT,
        ioOf(openaiCompatible, baseUrl),
        (piece) => {
          size += piece.length;
        },
      );
      return size;
    },
    theirs: async (baseUrl) => {
      const stream = await openai(baseUrl).chat.completions.create({
        model: "gpt-4.1-mini",
        messages: MESSAGES,
        max_tokens: 1_024,
        stream: true,
        stream_options: { include_usage: true },
      });
      let text = "";
      for await (const { choices } of stream) {
        text += choices[0]?.delta.content ?? "";
      }
      return text.length;
    },
  },
  picture: {
    ours: async (baseUrl) =>
      await sizeOf(await makeImage(modelOf("gpt-image-1"), IMAGE, ioOf(openaiCompatible, baseUrl))),
    theirs: async (baseUrl) => {
      const { data } = await openai(baseUrl).images.generate({
        model: "gpt-image-1",
        prompt: PROMPT,
        n: 1,
        size: "1024x1024",
      });
      return Buffer.from(data?.[0]?.b64_json ?? "", "base64").length;
    },
  },
  replicate: {
    ours: (baseUrl) => pictureJob(replicate, FLUX, baseUrl),
    theirs: async (baseUrl) => {
      const client = new Replicate({ auth: KEY, baseUrl, useFileOutput: false });
      const made = await client.predictions.create({
        model: FLUX,
        input: { prompt: PROMPT, aspect_ratio: "1:1", num_outputs: 1, seed: 7 },
      });
      const { output } = await client.wait(made, { interval: 1 });
      return await download((output as readonly string[])[0] ?? "");
    },
  },
  fal: {
    ours: (baseUrl) => pictureJob(fal, FAL_FLUX, baseUrl),
    theirs: async (baseUrl) => {
      const client = createFalClient({
        credentials: KEY,
        retry: { maxRetries: 0 },
        // It knows no other address than fal's.
        fetch: (address, init) => {
          const { href } = new URL(address instanceof Request ? address.url : address);
          return fetch(href.replace("https://queue.fal.run", baseUrl), init);
        },
      });
      const { data } = await client.subscribe(FAL_FLUX, {
        input: { prompt: PROMPT, image_size: IMAGE.size, num_images: 1, seed: 7 },
        pollInterval: 1,
      });
      return await download(data.images[0]?.url ?? "");
    },
  },
};

export default {
  async fetch(request) {
    const { who, what, count, baseUrl } = await request.json<ModelCallsOrder>();
    let bytes = 0;
    for (let at = 0; at < count; at += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one call after the other
      bytes += await CALLS[what][who](baseUrl);
    }
    return Response.json({ bytes });
  },
} satisfies ExportedHandler;
