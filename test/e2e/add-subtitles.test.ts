/** `video/add_subtitles` in real runs: the files are read by parsers of the tests, and the trace adds up. */
import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import type { SubmitBody } from "../../scripts/run-workflow.ts";
import type { Trace } from "../../src/contracts/runs/trace.ts";
import { readTimedTexts } from "../support/media/quicktime-text.ts";
import { readWebmSubtitles } from "../support/media/webm-text.ts";
import { node, publishDefinition, runPublished, wire } from "../support/node/run-definition.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";

let service: SharedService;
const uploaded = new Map<string, string>();
const sizes = new Map<string, number>();

const SRT =
  "\uFEFF1\r\n0:00:00.1 --> 0:00:00,35\r\n<b>One</b>\r\ntwo\r\n\r\n00:00:00,300 --> 00:00:09,000\r\n{\\an8}Three\r\n";
const golden = (name: string) =>
  readFile(new URL(`../golden/media/${name}`, import.meta.url).pathname);

beforeAll(async () => {
  service = await sharedService();
  const files: Readonly<Record<string, Uint8Array>> = {
    "video.mp4": await golden("h264-aac.mp4"),
    "sound.mp4": await golden("flac.mp4"),
    "video.webm": await golden("vp8-opus.webm"),
    "cues.srt": Buffer.from(SRT),
    "broken.vtt": Buffer.from(
      "WEBVTT\n\n00:00.100 --> 00:00.200\nGood\n\n00:00.500 --> 00:00.400\nBad\n",
    ),
  };
  for (const [name, bytes] of Object.entries(files)) {
    uploaded.set(name, await uploadAsset(service.client, name, bytes));
    sizes.set(name, bytes.byteLength);
  }
});

/** The node with its inputs and outputs; every input may be absent but the video. */
function definition(parameters: object, ports: readonly string[]) {
  const types = { cues: "json_value", subtitles: "text", subtitles_file: "document" } as const;
  const outputs = { ...types, cues: "json" };
  const inputs = (Object.keys(types) as (keyof typeof types)[]).filter((port) =>
    ports.includes(port),
  );
  return {
    nodes: [
      node("video", "input/video"),
      ...inputs.map((port) => node(port, `input/${types[port]}`, { required: false })),
      node("add", "video/add_subtitles", parameters),
      node("out_video", "output/video", { key: "video" }),
      node("out_subtitles", "output/document", { key: "subtitles" }),
    ],
    connections: [
      wire("video.video", "add.video"),
      ...inputs.map((port) => wire(`${port}.${outputs[port]}`, `add.${port}`)),
      wire("add.video", "out_video.video"),
      wire("add.subtitles", "out_subtitles.document"),
    ],
  };
}

type Given = NonNullable<SubmitBody["inputs"]>;
const json = (value: unknown) => ({ value: JSON.stringify(value) });
const file = (name: string) => ({ asset_path: uploaded.get(name) ?? "" });

async function run(video: string, parameters: object, ports: readonly string[], given: Given) {
  const workflow = await publishDefinition(service, definition(parameters, ports));
  const made = await runPublished(service, workflow, { video: file(video), ...given });
  const trace = await service.client.call<Trace>(
    "GET",
    `/api/v1/executions/${made.execution.id}/trace`,
  );
  return {
    ...made,
    trace,
    traced: (id: string) => trace.nodes.find(({ node_id: name }) => name === id),
  };
}

describe("video/add_subtitles", () => {
  it("puts cues into an MP4, writes them as SRT, and says in the trace what it did, free of charge", async () => {
    const made = await run("video.mp4", { language: "eng" }, ["cues"], {
      cues: json([
        { start: 0.15, end: "00:00:00.25", text: "later\r\ntwo lines", speaker: "Ann" },
        { start: 0, end: 0.2, text: "first <i>cue</i>" },
        { start: 0.3, end: 0.35, text: " " },
        { start: 500, end: 600, text: "after the end" },
      ]),
    });
    expect(made.execution).toMatchObject({ status: "completed", credits_used: 0 });
    const [video, sidecar] = [await made.file("video"), await made.file("subtitles")];
    expect([video.name, sidecar.name]).toEqual(["video.mp4", "subtitles.srt"]);
    expect(readTimedTexts(video.bytes)).toMatchObject([
      {
        entry: "tx3g",
        language: "eng",
        isEnabled: true,
        samples: [
          { startMs: 0, endMs: 150, text: "first cue" },
          { startMs: 150, endMs: 200, text: "first cue\nlater\ntwo lines" },
          { startMs: 200, endMs: 250, text: "later\ntwo lines" },
          { startMs: 250, endMs: 400, text: "" },
        ],
      },
    ]);
    expect(sidecar.bytes.toString()).toBe(
      "1\n00:00:00,000 --> 00:00:00,200\nfirst cue\n\n2\n00:00:00,150 --> 00:00:00,250\nlater\ntwo lines\n",
    );
    expect(made.traced("add")?.media_processing).toEqual({
      source_bytes: sizes.get("video.mp4"),
      output_bytes: video.bytes.byteLength + sidecar.bytes.byteLength,
      elapsed_ms: expect.any(Number),
      caption_count: 2,
      faststart: true,
    });
    expect(made.trace.nodes.filter((one) => "media_processing" in one)).toHaveLength(1);
    expect(JSON.stringify(made.trace)).not.toContain("first cue");
  });

  it("reads an SRT file for a WebM, and cuts cues at the end of the video", async () => {
    const made = await run(
      "video.webm",
      { default: false, sidecar_format: "vtt" },
      ["subtitles_file"],
      {
        subtitles_file: file("cues.srt"),
      },
    );
    const [video, sidecar] = [await made.file("video"), await made.file("subtitles")];
    expect([video.name, sidecar.name]).toEqual(["video.webm", "subtitles.vtt"]);
    const [track] = readWebmSubtitles(video.bytes);
    expect(track).toMatchObject({ codec: "S_TEXT/WEBVTT", language: "und", isDefault: false });
    expect(track?.cues.map(({ text }) => text)).toEqual(["One\ntwo", "Three"]);
    expect(track?.cues[1]?.endMs).toBe(407);
    const end = `00:00:0${((track?.cues[1]?.endMs ?? 0) / 1_000).toFixed(3)}`;
    expect(sidecar.bytes.toString()).toBe(
      `WEBVTT\n\n00:00:00.100 --> 00:00:00.350\nOne\ntwo\n\n00:00:00.300 --> ${end}\nThree\n`,
    );
    expect(made.traced("add")?.media_processing).toMatchObject({
      source_bytes: (sizes.get("video.webm") ?? 0) + (sizes.get("cues.srt") ?? 0),
      caption_count: 2,
      faststart: null,
    });
  });

  it("replaces a track in a second node, moves cues by the offset, and adds up over its elements", async () => {
    const workflow = await publishDefinition(service, {
      nodes: [
        node("video", "input/video"),
        node("lists", "input/json"),
        node("first", "video/add_subtitles", { language: "fra" }),
        node("old", "input/text"),
        node("add", "video/add_subtitles", { offset_seconds: -0.25 }),
        node("out_video", "output/video", { key: "video" }),
        node("out_subtitles", "output/document", { key: "subtitles" }),
      ],
      connections: [
        wire("video.video", "first.video"),
        wire("old.text", "first.subtitles"),
        wire("lists.item", "add.cues"),
        wire("first.video", "add.video"),
        wire("add.video", "out_video.video"),
        wire("add.subtitles", "out_subtitles.document"),
      ],
    });
    const cue = (start: number) => ({ start, end: start + 0.2, text: `at ${start}` });
    const made = await runPublished(service, workflow, {
      video: file("video.mp4"),
      old: json("WEBVTT\n\nNOTE none\n\nid\n00:00.000 --> 00:00.900 align:start\nold &amp; gone\n"),
      lists: json([[cue(0.3), cue(0.1)], [cue(0.5)], []]),
    });
    expect(made.execution).toMatchObject({ status: "completed" });
    const { items } = (
      await service.client.call<{
        result: { by_key: Record<string, { items: { url: string }[] }> };
      }>("GET", `/api/v1/executions/${made.execution.id}/result`)
    ).result.by_key["video"] ?? { items: [] };
    const videos = await Promise.all(
      items.map(async ({ url }) => Buffer.from(await (await fetch(url)).arrayBuffer())),
    );
    expect(videos.map((bytes) => readTimedTexts(bytes).map(({ samples }) => samples))).toEqual([
      [
        [
          { startMs: 0, endMs: 50, text: "at 0.1" },
          { startMs: 50, endMs: 250, text: "at 0.3" },
          { startMs: 250, endMs: 400, text: "" },
        ],
      ],
      [
        [
          { startMs: 0, endMs: 250, text: "" },
          { startMs: 250, endMs: 400, text: "at 0.5" },
          { startMs: 400, endMs: 400, text: "" },
        ],
      ],
      // Without a cue there is no track.
      [],
    ]);
    const trace = await service.client.call<Trace>(
      "GET",
      `/api/v1/executions/${made.execution.id}/trace`,
    );
    const work = (id: string) => trace.nodes.find((one) => one.node_id === id)?.media_processing;
    expect(work("first")).toMatchObject({ source_bytes: sizes.get("video.mp4"), caption_count: 1 });
    // Its three elements read the video of the first node, which stored a document of 47 bytes beside it.
    const sidecar = "1\n00:00:00,000 --> 00:00:00,400\nold & gone\n".length;
    expect(work("add")).toMatchObject({
      source_bytes: 3 * ((work("first")?.output_bytes ?? 0) - sidecar),
      caption_count: 3,
      faststart: true,
    });
  });

  it("leaves a video without a track if no input has cues, with an empty document", async () => {
    const made = await run("video.mp4", {}, ["cues", "subtitles", "subtitles_file"], {});
    expect(made.execution).toMatchObject({ status: "completed" });
    expect(readTimedTexts((await made.file("video")).bytes)).toEqual([]);
    expect((await made.file("subtitles")).bytes.byteLength).toBe(0);
    expect(made.traced("add")?.media_processing).toMatchObject({
      caption_count: 0,
      faststart: true,
    });
  });

  it.each([
    [
      "two inputs with subtitles",
      ["cues", "subtitles"],
      () => ({ cues: json([]), subtitles: json("1\n00:00:00,000 --> 00:00:01,000\nA\n") }),
      "Both cues and subtitles have subtitles",
    ],
    [
      "an end before its start",
      ["subtitles_file"],
      () => ({ subtitles_file: file("broken.vtt") }),
      "at cue 2, line 6: The end is not after the start.",
    ],
    [
      "a malformed time",
      ["subtitles"],
      () => ({ subtitles: json("00:00:01,000 --> 99:99:99,000\nA\n") }),
      'at cue 1, line 1: "99:99:99,000" is not a time.',
    ],
    ["no cue", ["subtitles"], () => ({ subtitles: json("") }), "contain no cue"],
    [
      "more than 10,000 cues",
      ["cues"],
      () => ({
        cues: json(Array.from({ length: 10_001 }, () => ({ start: 0, end: 1, text: "a" }))),
      }),
      "at cue 10001: There are more than 10000 cues.",
    ],
    [
      "so many overlapping cues that no sample holds them",
      ["cues"],
      () => ({
        cues: json(
          Array.from({ length: 20 }, () => ({ start: 0, end: 1, text: "a".repeat(4_000) })),
        ),
      }),
      "So many cues are shown at once",
    ],
  ] as const)("fails with SUBTITLES_INVALID for %s", async (_name, ports, given, message) => {
    const made = await run("video.mp4", {}, ports, given());
    expect(made.execution).toMatchObject({ status: "failed", error_code: "SUBTITLES_INVALID" });
    expect(made.execution.error_message).toContain(message);
    const add = made.traced("add");
    expect(add).toMatchObject({ attempt_count: 1, error: { code: "SUBTITLES_INVALID" } });
    expect(add).not.toHaveProperty("media_processing");
  });

  it("fails with VIDEO_TRACK_MISSING for a file with sound only", async () => {
    const made = await run("sound.mp4", {}, ["subtitles"], { subtitles: json("") });
    expect(made.execution).toMatchObject({ status: "failed", error_code: "VIDEO_TRACK_MISSING" });
  });

  it("needs one of the inputs to be connected, and a language of three letters", async () => {
    const refused = await publishDefinition(service, definition({}, [])).catch(String);
    expect(refused).toContain("PORT_NOT_CONNECTED");
    const wrong = await publishDefinition(service, definition({ language: "en" }, ["cues"])).catch(
      String,
    );
    expect(wrong).toContain("INVALID_PARAMETER");
  });
});
