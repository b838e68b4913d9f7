/** Sounds that `audio/convert` writes, decoded by Chromium: each has its length, its channels and its level. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { waitForRun } from "../../scripts/run-workflow.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import { longWav } from "../support/node/media/long-sounds.ts";
import {
  publishSoundNode,
  SOUND_NODES,
  submitSoundNode,
} from "../support/node/media/sound-workflows.ts";
import { openBrowser } from "../support/node/open-browser.ts";
import { readOutputs } from "../support/node/read-outputs.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";

const SECONDS = 3;
const RATE = 48_000;

let service: SharedService;
let browser: Browser;
let page: Page;
let asset: string;

beforeAll(async () => {
  [service, browser] = await Promise.all([sharedService(), openBrowser()]);
  page = await browser.newPage();
  asset = await uploadAsset(service.client, "noise.wav", Buffer.concat([...longWav(SECONDS)]));
});

afterAll(() => browser?.close());

/** What the browser decodes: its frames, its channels and its RMS. The scripts of a page are texts: they run elsewhere. */
async function decoded(bytes: Uint8Array) {
  const base64 = JSON.stringify(Buffer.from(bytes).toString("base64"));
  return await page.evaluate<{ frames: number; channels: number; rms: number }>(`(async () => {
    const bytes = Uint8Array.from(atob(${base64}), (one) => one.charCodeAt(0));
    const context = new OfflineAudioContext(2, 1, ${RATE});
    const sound = await context.decodeAudioData(bytes.buffer);
    const samples = sound.getChannelData(0);
    const energy = samples.reduce((sum, sample) => sum + sample * sample, 0);
    return {
      frames: sound.length,
      channels: sound.numberOfChannels,
      rms: Math.sqrt(energy / samples.length),
    };
  })()`);
}

async function converted(format: string): Promise<Uint8Array> {
  const { client } = service;
  const node = { ...SOUND_NODES["convert"]!, parameters: { format } };
  const workflow = await publishSoundNode(client, node);
  const id = await submitSoundNode(client, workflow, node, asset);
  expect(await waitForRun(client, id)).toMatchObject({ status: "completed" });
  const { result } = await readOutputs(client, id);
  const response = await fetch(result.by_key["audio"]?.url ?? "");
  return new Uint8Array(await response.arrayBuffer());
}

/** Chromium leaves out so many frames of the end of Ogg Opus, also of files that opusenc and ffmpeg have written. */
const OPUS_PRE_SKIP = 312;

// This build of Chromium has no decoder of AAC. Lossy formats leave out some of the noise above 16 kHz.
it.each([
  ["wav", 0, 0.001],
  ["flac", 0, 0.001],
  ["mp3", 0, 0.2],
  ["ogg", OPUS_PRE_SKIP, 0.6],
] as const)("%s is decoded whole", async (format, fewer, quieterDb) => {
  const source = await decoded(Buffer.concat([...longWav(SECONDS)]));
  const sound = await decoded(await converted(format));
  expect(sound.frames).toBe(SECONDS * RATE - fewer);
  expect(sound.channels).toBe(2);
  expect(Math.abs(20 * Math.log10(sound.rms / source.rms))).toBeLessThan(quieterDb);
});

it("a file that is cut off is not decoded whole", async () => {
  const whole = await converted("flac");
  const part = await decoded(whole.subarray(0, whole.length / 2)).catch(() => undefined);
  expect(part?.frames ?? 0).toBeLessThan(SECONDS * RATE);
});
