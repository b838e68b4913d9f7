/** Nodes that read and cut videos in real runs. */
import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import { readImageHeader } from "../../src/images/header/read-image-header.ts";
import { MemorySource } from "../../src/lib/files/memory-source.ts";
import { copiedTrack } from "../../src/media/container/movie-writer.ts";
import {
  openMedia,
  requireSoundTrack,
  requireVideoTrack,
} from "../../src/media/container/open-media.ts";
import { openBytes, writtenMovie } from "../support/media/copied-movie.ts";
import { signalToNoise } from "../support/media/native-sound.ts";
import { readOutputs } from "../support/node/read-outputs.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

/** Videos that a test has made. */
const made = new Map<string, Uint8Array>();

const fixture = async (name: string): Promise<Uint8Array> =>
  made.get(name) ??
  (await readFile(
    new URL(
      `../${/-aac|opus|vorbis/.test(name) ? "golden/media" : "fixtures/codecs"}/${name}`,
      import.meta.url,
    ).pathname,
  ));

/** VP9, with Vorbis that begins so many seconds after the first picture. */
async function filmWithVorbis(lateSeconds: number): Promise<Uint8Array> {
  const video = requireVideoTrack(await openBytes(await fixture("vp9.webm")));
  const sound = requireSoundTrack(await openBytes(await fixture("vorbis.webm")));
  const late = lateSeconds * sound.timeScale;
  return await writtenMovie("webm", [
    copiedTrack(video),
    copiedTrack(sound, {
      async *packets() {
        for await (const packet of sound.packets()) {
          yield { ...packet, pts: packet.pts + late, dts: packet.dts + late };
        }
      },
    }),
  ]);
}

/** The sound of a film as the service decodes it: one channel at 48 kHz. */
async function samplesOf(name: string): Promise<Float32Array> {
  const wav = { format: "wav", bit_depth: 32, sample_rate: 48_000, channels: 1 };
  const extract = { type: "video/extract_audio", parameters: wav, ports: ["audio"] };
  const { execution, file } = await run(name, [extract], "audio");
  expect(execution).toMatchObject({ status: "completed" });
  const { bytes } = await file("0_audio");
  const at = Buffer.from(bytes).indexOf("data") + 8;
  return new Float32Array(bytes.slice(at).buffer);
}

/** Runs a node on one video; its files by the key of their output. */
async function run(
  file: string,
  nodes: readonly {
    readonly type: string;
    readonly parameters: object;
    readonly ports: readonly string[];
  }[],
  kind: "audio" | "image" | "video",
) {
  const keys = nodes.flatMap(({ ports }, index) => ports.map((port) => `${index}_${port}`));
  const definition = {
    nodes: [
      { id: "in", type: "input/video" },
      ...nodes.map(({ type, parameters }, index) => ({ id: `made_${index}`, type, parameters })),
      ...keys.map((key) => ({ id: `out_${key}`, type: `output/${kind}`, parameters: { key } })),
    ],
    connections: nodes.flatMap(({ ports }, index) => [
      { from: { node: "in", port: "video" }, to: { node: `made_${index}`, port: "video" } },
      ...ports.map((port) => ({
        from: { node: `made_${index}`, port },
        to: { node: `out_${index}_${port}`, port: kind },
      })),
    ]),
  };
  const workflow = await publish(service.client, { name: "Videos", definition } as never);
  const asset = await uploadAsset(service.client, file, await fixture(file));
  const inputs = { in: { asset_path: asset } };
  const id = await submitRun(service.client, { workflow, inputs } as never);
  const execution = await waitForRun(service.client, id);
  const { result } = await readOutputs(service.client, id);
  return {
    execution,
    file: async (key: string) => {
      const url = result.by_key[key]?.url ?? "";
      const response = await fetch(url);
      return {
        name: new URL(url).pathname.split("/").at(-1),
        type: response.headers.get("content-type"),
        bytes: new Uint8Array(await response.arrayBuffer()),
      };
    },
  };
}

describe("video/thumbnail", () => {
  const thumbnail = (parameters: object) => ({
    type: "video/thumbnail",
    parameters,
    ports: ["image"],
  });

  it.each(["h264-b-frames.mp4", "hevc-10-bit.mp4", "vp9.webm", "vp8.webm"])(
    "makes pictures of %s in each format, free of charge",
    async (name) => {
      const { execution, file } = await run(
        name,
        [
          thumbnail({ at: 0.5 }),
          thumbnail({ at: 99, format: "png", mode: "keyframe" }),
          thumbnail({ format: "webp", width: 49, quality: 50 }),
        ],
        "image",
      );
      expect(execution).toMatchObject({ status: "completed", credits_used: 0 });
      const found = [];
      for (const key of ["0_image", "1_image", "2_image"]) {
        const { name: stored, type, bytes } = await file(key);
        const { format, width, height } = readImageHeader(bytes);
        found.push([stored, type, format, width, height]);
      }
      expect(found).toEqual([
        ["thumbnail.jpg", "image/jpeg", "jpeg", 98, 68],
        ["thumbnail.png", "image/png", "png", 98, 68],
        ["thumbnail.webp", "image/webp", "webp", 49, 34],
      ]);
    },
  );
});

describe("video/split", () => {
  const split = (cut: string, ...segments: readonly (readonly [string, string])[]) => ({
    type: "video/split",
    parameters: { cut, segments: segments.map(([start, end]) => ({ start, end })) },
    ports: segments.map((_segment, index) => `segment_${index}`),
  });
  const tracksOf = async (bytes: Uint8Array) => {
    const media = await openMedia(new MemorySource(bytes, "e"));
    return {
      container: media.container,
      tracks: media.tracks.map(({ kind, codec, edits, timeScale }) => ({
        kind,
        codec,
        // In seconds, to a thousandth.
        seconds: edits.map(
          ({ duration }) => Math.round(((duration ?? 0) / timeScale) * 1_000) / 1_000,
        ),
      })),
    };
  };

  it("copies parts of an MP4 with its sound, free of charge", async () => {
    const { execution, file } = await run(
      "h264-aac.mp4",
      [split("exact", ["0.1", "0.3"], ["0", "99"]), split("keyframe", ["0.2", "0.3"])],
      "video",
    );
    expect(execution).toMatchObject({ status: "completed", credits_used: 0 });
    const first = await file("0_segment_0");
    expect([first.name, first.type]).toEqual(["segment_0.mp4", "video/mp4"]);
    const { container, tracks } = await tracksOf(first.bytes);
    expect(container).toBe("mp4");
    expect(tracks.map(({ kind, codec }) => [kind, codec])).toEqual([
      ["video", "h264"],
      ["sound", "aac"],
    ]);
    const [video, sound] = tracks;
    expect(sound?.seconds).toEqual(video?.seconds);
    expect(video?.seconds[0]).toBeCloseTo(0.2, 1);
    const key = await tracksOf((await file("1_segment_0")).bytes);
    expect(key.tracks[0]?.seconds).toEqual([]);
  });

  it.each([
    ["h264-open-gop.mov", "mov", "segment_0.mov", "video/quicktime"],
    ["vp9.webm", "mp4", "segment_0.mp4", "video/mp4"],
  ])("cuts %s between two key frames into %s", async (name, container, stored, type) => {
    const { execution, file } = await run(name, [split("exact", ["0.3", "0.6"])], "video");
    expect(execution).toMatchObject({ status: "completed" });
    const made = await file("0_segment_0");
    expect([made.name, made.type]).toEqual([stored, type]);
    const { container: found, tracks } = await tracksOf(made.bytes);
    expect([found, tracks[0]?.seconds]).toEqual([container, [0.28]]);
  });

  it("encodes Vorbis as Opus where the part becomes an MP4, in its place to the frame", async () => {
    const [start, end, late] = [0.12, 0.52, 0.2];
    made.set("vp9-late.webm", await filmWithVorbis(late));
    const { execution, file } = await run(
      "vp9-late.webm",
      [split("exact", [String(start), String(end)], ["0.56", "0.8"])],
      "video",
    );
    expect(execution).toMatchObject({ status: "completed", credits_used: 0 });
    const part = await file("0_segment_0");
    expect([part.name, part.type]).toEqual(["segment_0.mp4", "video/mp4"]);
    const { tracks } = await tracksOf(part.bytes);
    expect(tracks).toEqual([
      { kind: "video", codec: "vp9", seconds: [end - start] },
      { kind: "sound", codec: "opus", seconds: [end - start] },
    ]);
    made.set("part.mp4", part.bytes);
    const found = await samplesOf("part.mp4");
    const frames = Math.round((end - start) * 48_000);
    expect(found).toHaveLength(frames);
    const quiet = Math.round((late - start) * 48_000);
    const source = new Float32Array(frames);
    source.set((await samplesOf("vp9-late.webm")).subarray(0, frames - quiet), quiet);
    const near = signalToNoise(source, found);
    expect(near).toBeGreaterThan(15);
    for (const by of [-4, 4]) {
      const moved = Float32Array.from(source, (_sample, i) => source[i + by] ?? 0);
      expect(signalToNoise(moved, found)).toBeLessThan(near);
    }
    // The other part is longer than its sound, and is filled with silence.
    made.set("other.mp4", (await file("0_segment_1")).bytes);
    const other = await samplesOf("other.mp4");
    expect(other).toHaveLength(Math.round(0.24 * 48_000));
    expect(Math.max(...other.subarray(-2_000).map(Math.abs))).toBeLessThan(0.01);
  });

  it("keeps WebM where it is cut at a key frame, and refuses VP8 elsewhere", async () => {
    const { execution, file } = await run(
      "vp8-opus.webm",
      [split("exact", ["0", "0.2"]), split("keyframe", ["0.15", "0.3"])],
      "video",
    );
    expect(execution).toMatchObject({ status: "completed" });
    for (const key of ["0_segment_0", "1_segment_0"]) {
      const made = await file(key);
      expect([made.name, made.type]).toEqual(["segment_0.webm", "video/webm"]);
      const { container, tracks } = await tracksOf(made.bytes);
      expect([container, tracks.map(({ codec }) => codec)]).toEqual(["webm", ["vp8", "opus"]]);
    }
    const refused = await run("vp8.webm", [split("exact", ["0.1", "0.3"])], "video");
    expect(refused.execution).toMatchObject({
      status: "failed",
      error_code: "VIDEO_CUT_INEXACT",
    });
  });
});
