/** Films of the service in Chromium: `<video>` shows the first picture of a part, for its duration, and the cues of its document. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import { openBrowser } from "../support/node/open-browser.ts";
import { node, publishDefinition, wire } from "../support/node/run-definition.ts";
import { readOutputs } from "../support/node/read-outputs.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/codecs/", import.meta.url).href);
const CUES =
  "WEBVTT\n\n00:00.100 --> 00:00.200\nFirst &amp; second\n\n00:00.150 --> 00:09.000\nLast";

let service: SharedService;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  [service, browser] = await Promise.all([sharedService(), openBrowser()]);
  page = await browser.newPage();
});

afterAll(() => browser?.close());

/** Seconds of a picture of the fixtures. */
const STEP = 0.04;

/** Addresses of a part of a film with subtitles, of their document, and of pictures: the part's first, and those before and after it. */
async function partOf(film: string, start: number, end: number) {
  const workflow = await publishDefinition(service, {
    nodes: [
      node("in", "input/video"),
      node("cues", "input/text"),
      node("cut", "video/split", { segments: [{ start: String(start), end: String(end) }] }),
      node("titled", "video/add_subtitles", { sidecar_format: "vtt" }),
      node("first", "video/thumbnail", { format: "png" }),
      node("before", "video/thumbnail", { format: "png", at: start - STEP }),
      node("after", "video/thumbnail", { format: "png", at: start + STEP }),
      node("film", "output/video", { key: "film" }),
      node("track", "output/document", { key: "track" }),
      node("picture", "output/image", { key: "picture" }),
      node("picture_before", "output/image", { key: "before" }),
      node("picture_after", "output/image", { key: "after" }),
    ],
    connections: [
      wire("in.video", "cut.video"),
      wire("cut.segment_0", "titled.video"),
      wire("cues.text", "titled.subtitles"),
      wire("titled.video", "film.video"),
      wire("titled.subtitles", "track.document"),
      wire("cut.segment_0", "first.video"),
      wire("first.image", "picture.image"),
      wire("in.video", "before.video"),
      wire("before.image", "picture_before.image"),
      wire("in.video", "after.video"),
      wire("after.image", "picture_after.image"),
    ],
  });
  const asset = await uploadAsset(service.client, film, await readFile(FIXTURES + film));
  const inputs = { in: { asset_path: asset }, cues: { value: JSON.stringify(CUES) } };
  const id = await submitRun(service.client, { workflow, inputs });
  expect(await waitForRun(service.client, id)).toMatchObject({ status: "completed" });
  const { result } = await readOutputs(service.client, id);
  return Object.fromEntries(
    ["film", "track", "picture", "before", "after"].map((key) => [
      key,
      result.by_key[key]?.url ?? "",
    ]),
  );
}

interface Played {
  readonly seconds: number;
  readonly endedAt: number;
  readonly size: readonly number[];
  readonly cues: readonly (readonly [number, number, string])[];
  /** Mean differences of the first picture from that of the part, and from those before and after it, in levels of 256. */
  readonly difference: number;
  readonly before: number;
  readonly after: number;
}

/** Plays a film to its end. The scripts of a page are texts: they run elsewhere. */
async function played(urls: Readonly<Record<string, string>>): Promise<Played> {
  return await page.evaluate<Played>(`(async () => {
    const urls = ${JSON.stringify(urls)};
    const video = document.createElement("video");
    video.crossOrigin = "anonymous";
    video.muted = true;
    const track = document.createElement("track");
    track.default = true;
    const met = (target, event) => new Promise((resolve, reject) => {
      target.addEventListener(event, resolve);
      target.addEventListener("error", () => reject(new Error(event + ": " + (video.error?.message ?? "failed"))));
    });
    video.append(track);
    document.body.append(video);
    // Only then can it be drawn.
    const shown = new Promise((resolve) => video.requestVideoFrameCallback(resolve));
    const loaded = met(video, "loadeddata");
    const listed = met(track, "load");
    track.src = urls.track;
    video.src = urls.film;
    track.track.mode = "showing";
    await Promise.all([loaded, listed, shown]);
    const size = [video.videoWidth, video.videoHeight];
    const pixels = (source) => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = size;
      const context = canvas.getContext("2d");
      context.drawImage(source, 0, 0);
      return context.getImageData(0, 0, ...size).data;
    };
    const first = pixels(video);
    const from = async (url) => {
      const image = new Image();
      image.crossOrigin = "anonymous";
      image.src = url;
      await image.decode();
      const data = pixels(image);
      return data.reduce((sum, level, i) => sum + Math.abs(level - first[i]), 0) / data.length;
    };
    const difference = await from(urls.picture);
    const [before, after] = [await from(urls.before), await from(urls.after)];
    const cues = [...track.track.cues].map((cue) => [cue.startTime, cue.endTime, cue.text]);
    const ended = met(video, "ended");
    await video.play();
    await ended;
    return { seconds: video.duration, endedAt: video.currentTime, size, cues, difference, before, after };
  })()`);
}

it.each([
  ["h264-b-frames.mp4", 0.2, 0.6],
  ["vp9.webm", 0.48, 0.8],
  ["vp9.webm", 0.2, 0.6],
])("a part of %s from %s s on is played", async (film, start, end) => {
  const seconds = end - start;
  const found = await played(await partOf(film, start, end));
  expect(found.seconds).toBeCloseTo(seconds, 2);
  expect(found.endedAt).toBeCloseTo(seconds, 2);
  expect(found.size).toEqual([98, 68]);
  expect(found.cues).toEqual([
    [0.1, 0.2, "First &amp; second"],
    [0.15, found.seconds, "Last"],
  ]);
  // The browser computes colors between samples in another way.
  expect(found.difference).toBeLessThan(Math.min(found.before, found.after) * 0.8);
});
