/** `video/extract_audio`, `video/mux_audio` and `video/concat` in real runs: their files are read here, packet by packet. */
import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import type { SubmitBody } from "../../scripts/run-workflow.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import type { Trace } from "../../src/contracts/runs/trace.ts";
import { copiedTrack } from "../../src/media/container/movie-writer.ts";
import { requireSoundTrack, requireVideoTrack } from "../../src/media/container/open-media.ts";
import { wavHeader } from "../../src/providers/sample/sound/wav-writer.ts";
import { editedBox, parseBoxes } from "../support/media/box-file.ts";
import { listPackets, openBytes, writtenMovie } from "../support/media/copied-movie.ts";
import { presentedSound } from "../support/media/presented-sound.ts";
import { node, publishDefinition, runPublished, wire } from "../support/node/run-definition.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";

let service: SharedService;
const uploaded = new Map<string, string>();
const files = new Map<string, Uint8Array>();

const RATE = 48_000;

/** A tone of amplitude 0.9 in mono. */
function tone(seconds: number): Uint8Array {
  const samples = Int16Array.from({ length: RATE * seconds }, (_none, i) =>
    Math.round(29_490 * Math.sin((2 * Math.PI * 440 * i) / RATE)),
  );
  return Buffer.concat([
    wavHeader("pcm16", RATE, 1, samples.length),
    new Uint8Array(samples.buffer),
  ]);
}

const golden = async (name: string) =>
  new Uint8Array(await readFile(new URL(`../golden/media/${name}`, import.meta.url).pathname));

beforeAll(async () => {
  service = await sharedService();
  for (const name of [
    "h264-aac.mp4",
    "h264.mp4",
    "vp8-opus.webm",
    "mp3.mov",
    "pcm-s24.mov",
    "vorbis.webm",
    "aac.m4a",
    "stereo.opus",
  ]) {
    files.set(name, await golden(name));
  }
  files.set("tone.wav", tone(0.25));
  files.set("cut.mp4", (await golden("h264-aac.mp4")).subarray(0, 8_000));
  files.set(
    "cut-flac.mp4",
    editedBox(await golden("flac.mp4"), "moov/trak/edts/elst", (elst) => {
      elst.writeUInt32BE(elst.readUInt32BE(8) - 100, 8);
      return elst;
    }),
  );
  const pictures = await video(source("h264-aac.mp4"));
  files.set("silent.mp4", await writtenMovie("mp4", [copiedTrack(pictures)]));
  for (const [name, bytes] of files) {
    uploaded.set(name, await uploadAsset(service.client, name, bytes));
  }
});

/** Runs one node; `inputs`: the port and the file of each input. */
async function run(
  type: string,
  parameters: object,
  inputs: readonly (readonly [port: string, file: string])[],
) {
  const out = type === "video/extract_audio" ? "audio" : "video";
  const kindOf = (port: string) => (port === "audio" ? "audio" : "video");
  const workflow = await publishDefinition(service, {
    nodes: [
      ...inputs.map(([port], index) => node(`in_${index}`, `input/${kindOf(port)}`)),
      node("made", type, parameters),
      node("out", `output/${out}`, { key: "out" }),
    ],
    connections: [
      ...inputs.map(([port], index) => wire(`in_${index}.${kindOf(port)}`, `made.${port}`)),
      wire(`made.${out}`, `out.${out}`),
    ],
  });
  const given: NonNullable<SubmitBody["inputs"]> = Object.fromEntries(
    inputs.map(([, name], index) => [`in_${index}`, { asset_path: uploaded.get(name) ?? "" }]),
  );
  const made = await runPublished(service, workflow, given);
  const trace = await service.client.call<Trace>(
    "GET",
    `/api/v1/executions/${made.execution.id}/trace`,
  );
  return {
    ...made,
    work: trace.nodes.find(({ node_id: id }) => id === "made")?.media_processing,
  };
}

const source = (name: string) => files.get(name) ?? new Uint8Array();
const video = async (bytes: Uint8Array) => requireVideoTrack(await openBytes(bytes));
const sound = async (bytes: Uint8Array) => requireSoundTrack(await openBytes(bytes));
const md5s = async (track: Promise<Parameters<typeof listPackets>[0]>) =>
  (await listPackets(await track)).map(({ md5 }) => md5);

describe("video/extract_audio", () => {
  it.each([
    ["h264-aac.mp4", "m4a"],
    ["mp3.mov", "mp3"],
    ["vorbis.webm", "ogg"],
    ["vp8-opus.webm", "ogg"],
  ])("copies the packets of %s into %s, free of charge", async (name, format) => {
    const made = await run("video/extract_audio", {}, [["video", name]]);
    expect(made.execution).toMatchObject({ status: "completed", credits_used: 0 });
    const file = await made.file("out");
    expect(file.name).toBe(`audio.${format}`);
    expect(await md5s(sound(file.bytes))).toEqual(await md5s(sound(source(name))));
    const [from, to] = [await presentedSound(source(name)), await presentedSound(file.bytes)];
    expect(to.frames).toBe(from.frames);
    expect(made.work).toMatchObject({
      source_bytes: source(name).byteLength,
      output_bytes: file.bytes.byteLength,
      caption_count: null,
      faststart: null,
    });
  });

  it("copies samples of PCM, and encodes FLAC of which a part is presented again, both exactly", async () => {
    for (const [name, file] of [
      ["pcm-s24.mov", "audio.wav"],
      ["cut-flac.mp4", "audio.flac"],
    ] as const) {
      const made = await run("video/extract_audio", {}, [["video", name]]);
      const { name: stored, bytes } = await made.file("out");
      expect(stored).toBe(file);
      const [from, to] = [await presentedSound(source(name)), await presentedSound(bytes)];
      expect(to.frames).toBe(from.frames);
      expect(to.bitDepth).toBe(from.bitDepth);
    }
  });

  it("writes other formats with the usual parameters, which source does not take", async () => {
    const made = await run(
      "video/extract_audio",
      { format: "wav", sample_rate: 16_000, channels: 1 },
      [["video", "h264-aac.mp4"]],
    );
    const { frames, ...info } = await presentedSound((await made.file("out")).bytes);
    expect(info).toMatchObject({ codec: "pcm_s16", sampleRate: 16_000, channels: 1 });
    const from = await presentedSound(source("h264-aac.mp4"));
    expect(frames).toBe(Math.round((from.frames * 16_000) / from.sampleRate));
    await expect(
      run("video/extract_audio", { sample_rate: 16_000 }, [["video", "h264-aac.mp4"]]),
    ).rejects.toThrow("INVALID_PARAMETER");
  });

  it("refuses a video without sound, and one that is cut off, and stores nothing", async () => {
    for (const [name, code] of [
      ["h264.mp4", "AUDIO_TRACK_MISSING"],
      ["cut.mp4", "MEDIA_TRUNCATED"],
    ] as const) {
      const made = await run("video/extract_audio", {}, [["video", name]]);
      expect(made.execution).toMatchObject({ status: "failed", error_code: code });
    }
  });
});

describe("video/mux_audio", () => {
  it("copies pictures and sound where both fit", async () => {
    for (const [film, added] of [
      ["h264.mp4", "aac.m4a"],
      ["vp8-opus.webm", "stereo.opus"],
    ] as const) {
      const made = await run("video/mux_audio", {}, [
        ["video", film],
        ["audio", added],
      ]);
      expect(made.execution).toMatchObject({ status: "completed", credits_used: 0.01 });
      const { name, bytes } = await made.file("out");
      expect(name).toBe(`video.${film.split(".").at(-1)}`);
      expect(await listPackets(await video(bytes))).toEqual(
        await listPackets(await video(source(film))),
      );
      const kept = await md5s(sound(bytes));
      expect(kept.length).toBeGreaterThan(5);
      // The packets around the end of a sound that is too short are encoded again.
      const copied = kept.length - (name.endsWith("webm") ? 14 : 9);
      expect((await md5s(sound(source(added)))).slice(0, copied)).toEqual(kept.slice(0, copied));
      expect(made.work?.faststart).toBe(name.endsWith("webm") ? null : true);
      if (name.endsWith("mp4")) {
        expect(parseBoxes(bytes).map(({ type }) => type)).toEqual(["ftyp", "moov", "mdat"]);
      }
    }
  });

  it.each([
    ["h264-aac.mp4", "aac"],
    ["vp8-opus.webm", "opus"],
  ])("adds a sound to %s, as long as its pictures, in one track of %s", async (name, codec) => {
    const made = await run(
      "video/mux_audio",
      { mode: "mix", loop: true, offset_seconds: 0.05, audio_gain_db: 12 },
      [
        ["video", name],
        ["audio", "tone.wav"],
      ],
    );
    const { bytes } = await made.file("out");
    const { tracks } = await openBytes(bytes);
    expect(tracks.map(({ kind }) => kind).toSorted()).toEqual(["sound", "video"]);
    expect(await md5s(video(bytes))).toEqual(await md5s(video(source(name))));
    expect((await sound(bytes)).codec).toBe(codec);
    const { frames, sampleRate } = await presentedSound(bytes);
    const pictures = await listPackets(await video(source(name)));
    const { timeScale } = await video(source(name));
    const step = (pictures[1]?.dts ?? 0) - (pictures[0]?.dts ?? 0);
    const end = Math.max(...pictures.map(({ pts }) => pts)) + step;
    const { edits } = await video(source(name));
    const seconds = (end - (edits[0]?.start ?? 0)) / timeScale;
    expect(Math.abs(frames / sampleRate - seconds)).toBeLessThan(0.003);
  });

  it("gives a silent video the new sound in the mode mix too, and silence after it", async () => {
    const made = await run("video/mux_audio", { mode: "mix" }, [
      ["video", "h264.mp4"],
      ["audio", "aac.m4a"],
    ]);
    const { bytes } = await made.file("out");
    const kept = await md5s(sound(bytes));
    const given = await md5s(sound(source("aac.m4a")));
    expect(kept.slice(0, given.length - 9)).toEqual(given.slice(0, -9));
    const { edits, timeScale } = await video(bytes);
    const seconds = edits.reduce((sum, { duration }) => sum + (duration ?? 0), 0) / timeScale;
    const [own, before] = [await presentedSound(bytes), await presentedSound(source("aac.m4a"))];
    expect(own.frames).toBe(Math.round(seconds * own.sampleRate));
    expect(own.frames).toBeGreaterThan(before.frames);
  });
});

describe("video/concat", () => {
  it.each(["h264-aac.mp4", "vp8-opus.webm"])(
    "joins %s with itself, free of charge",
    async (name) => {
      const made = await run("video/concat", {}, [
        ["clips", name],
        ["clips", name],
      ]);
      expect(made.execution).toMatchObject({ status: "completed", credits_used: 0 });
      const { bytes } = await made.file("out");
      const one = await md5s(video(source(name)));
      expect(await md5s(video(bytes))).toEqual([...one, ...one]);
      expect(made.work?.faststart).toBe(name.endsWith("webm") ? null : true);
      const { edits, timeScale } = await video(bytes);
      const { frames, sampleRate } = await presentedSound(bytes);
      if (name.endsWith("mp4")) {
        const shown = edits.reduce((sum, { duration }) => sum + (duration ?? 0), 0) / timeScale;
        expect(frames).toBe(Math.round(shown * sampleRate));
      } else {
        const last = (await listPackets(await video(bytes))).at(-1);
        expect(frames / sampleRate).toBeGreaterThan((last?.pts ?? 0) / timeScale);
      }
    },
  );

  it("fills clips without sound with silence, and refuses clips of another kind by name", async () => {
    const made = await run("video/concat", {}, [["clips", "h264.mp4"]]);
    const { tracks } = await openBytes((await made.file("out")).bytes);
    expect(tracks.map(({ kind }) => kind)).toEqual(["video"]);
    const filled = await run("video/concat", {}, [
      ["clips", "silent.mp4"],
      ["clips", "h264-aac.mp4"],
    ]);
    const sizes: number[] = [];
    for await (const { data } of (await sound((await filled.file("out")).bytes)).packets()) {
      sizes.push(data.byteLength);
    }
    // Silence takes a few bytes of AAC. The last packet of the first half sees the second one.
    const half = Math.floor(sizes.length / 2) - 2;
    expect(Math.max(...sizes.slice(0, half))).toBeLessThan(40);
    expect(Math.max(...sizes.slice(half))).toBeGreaterThan(100);
    const refused = await run("video/concat", {}, [
      ["clips", "h264-aac.mp4"],
      ["clips", "vp8-opus.webm"],
    ]);
    expect(refused.execution).toMatchObject({
      status: "failed",
      error_code: "CONCAT_INCOMPATIBLE",
      error_message: expect.stringContaining("Clip 2 has another container") as unknown,
    });
  });
});
