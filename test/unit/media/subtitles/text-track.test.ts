/** Tracks of subtitles, read back by other parsers than those of the service. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import type { PictureTrack } from "../../../../src/media/container/media-track.ts";
import { copiedTrack, writeMovie } from "../../../../src/media/container/movie-writer.ts";
import { openMedia } from "../../../../src/media/container/open-media.ts";
import { placeCues } from "../../../../src/media/subtitles/place-cues.ts";
import type { SubtitleCue } from "../../../../src/media/subtitles/subtitle-cue.ts";
import { textTrack } from "../../../../src/media/subtitles/text-track.ts";
import { MemorySink } from "../../../support/media/memory-sink.ts";
import {
  HAS_FFMPEG,
  HAS_MP4BOX,
  judge,
  listedByMp4box,
} from "../../../support/media/native-sound.ts";
import { readWebmSubtitles } from "../../../support/media/webm-text.ts";
import { readTimedTexts } from "../../../support/media/quicktime-text.ts";

const golden = (name: string) =>
  readFileSync(new URL(`../../../golden/media/${name}`, import.meta.url).pathname);

/** Two cues that overlap, a pause, one with two lines, one that begins at once. */
const CUES: readonly SubtitleCue[] = [
  { startMs: 41, endMs: 300, text: "Früh & spät" },
  { startMs: 200, endMs: 420, text: "über\nzwei <Zeilen>" },
  { startMs: 600, endMs: 601, text: "日本語" },
  { startMs: 601, endMs: 900, text: "last" },
];
const SAMPLES = [
  { startMs: 0, endMs: 41, text: "" },
  { startMs: 41, endMs: 200, text: "Früh & spät" },
  { startMs: 200, endMs: 300, text: "Früh & spät\nüber\nzwei <Zeilen>" },
  { startMs: 300, endMs: 420, text: "über\nzwei <Zeilen>" },
  { startMs: 420, endMs: 600, text: "" },
  { startMs: 600, endMs: 601, text: "日本語" },
  { startMs: 601, endMs: 900, text: "last" },
  { startMs: 900, endMs: 950, text: "" },
];
/** Where the video ends. */
const DURATION_MS = 950;

/** A factor in a matrix. */
const at16 = (factor: number) => Math.round(factor * 0x1_0000) / 0x1_0000;

interface Options {
  readonly isDefault?: boolean;
  readonly language?: string;
  readonly picture?: Partial<PictureTrack>;
  readonly durationMs?: number;
}

/** The movie with its first tracks of video and sound, and these cues. */
async function subtitled(
  bytes: Uint8Array,
  container: "mp4" | "mov" | "webm",
  cues: readonly SubtitleCue[],
  { isDefault = true, language = "deu", picture = {}, durationMs = DURATION_MS }: Options = {},
) {
  const { tracks } = await openMedia(new MemorySource(bytes, ""));
  const copied = (["video", "sound"] as const).flatMap((kind) => {
    const found = tracks.find((track) => track.kind === kind);
    return found === undefined ? [] : [copiedTrack(found)];
  });
  const shown = tracks.find(({ kind }) => kind === "video")?.picture;
  if (shown == null) {
    throw new Error("The movie has no video.");
  }
  const options = {
    isDefault,
    language,
    picture: { ...shown, ...picture },
    durationMs,
  };
  const sink = new MemorySink();
  await writeMovie(container, [...copied, textTrack(container, cues, options)], sink);
  return sink.bytes();
}

describe.each(["mp4", "mov"] as const)("a %s with subtitles", (container) => {
  it("has one track of tx3g, in which overlapping cues become consecutive samples", async () => {
    const [text, ...others] = readTimedTexts(
      await subtitled(golden("h264-aac.mp4"), container, CUES),
    );
    expect(others).toEqual([]);
    expect(text).toEqual({
      entry: "tx3g",
      language: "deu",
      isEnabled: true,
      // Of 64 × 48 pixels.
      size: [427, 320],
      scale: [0.15, 0.15].map(at16),
      textBox: [0, 0, 320, 427],
      justification: [1, -1],
      fontSize: 16,
      color: 0xffff_ffff,
      samples: SAMPLES,
    });
  });

  it("has them disabled where they are not the default", async () => {
    const file = await subtitled(golden("h264-aac.mp4"), container, CUES, { isDefault: false });
    expect(readTimedTexts(file).map(({ isEnabled }) => isEnabled)).toEqual([false]);
  });

  it("replaces the subtitles that it had, and keeps its packets", async () => {
    const source = golden("h264-aac.mp4");
    const first = await subtitled(source, container, CUES, { language: "fra" });
    const second = await subtitled(first, container, CUES.slice(3), { language: "eng" });
    expect(readTimedTexts(second).map(({ language }) => language)).toEqual(["eng"]);
    expect(await packetsOf(second)).toEqual(await packetsOf(source));
  });

  it.skipIf(!HAS_MP4BOX)("is read by MP4Box as it was meant", async () => {
    const folder = mkdtempSync(join(tmpdir(), "subtitles-"));
    try {
      for (const isDefault of [true, false]) {
        const path = join(folder, `video.${container}`);
        writeFileSync(
          path,
          await subtitled(golden("h264-aac.mp4"), container, CUES, { isDefault }),
        );
        const tracks = listedByMp4box(path);
        expect(tracks.map(({ type }) => type)).toEqual(["vide:avc1", "soun:mp4a", "sbtl:tx3g"]);
        expect(tracks[2]).toMatchObject({ samples: SAMPLES.length, language: "deu" });
        expect(/Track flags: .*Enabled/.test(tracks[2]!.text)).toBe(isDefault);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.skipIf(!HAS_FFMPEG)("is read by ffmpeg as it was meant, without a word", async () => {
    const folder = mkdtempSync(join(tmpdir(), "subtitles-"));
    try {
      for (const isDefault of [true, false]) {
        const path = join(folder, `video.${container}`);
        writeFileSync(
          path,
          await subtitled(golden("h264-aac.mp4"), container, CUES, { isDefault }),
        );
        const { streams } = probed(path);
        expect(streams.map(({ codec_name: name }) => name)).toEqual(["h264", "aac", "mov_text"]);
        const text = streams[2];
        expect(text?.tags["language"]).toBe("deu");
        expect(text?.disposition["default"]).toBe(isDefault ? 1 : 0);
        const quiet = ["-v", "error", "-xerror", "-i", path];
        expect(extracted(path)).toBe(
          SAMPLES.filter(({ text: shown }) => shown !== "")
            .map(
              ({ startMs, endMs, text: shown }, index) =>
                `${index + 1}\n00:00:00,${String(startMs).padStart(3, "0")} --> 00:00:00,${endMs}\n${shown}\n\n`,
            )
            .join(""),
        );
        judge("ffmpeg", ...quiet, "-f", "null", "-");
      }
      // The last cue ends before the video, and at the end of the video, which has sound for longer.
      for (const durationMs of [400, 150]) {
        const path = join(folder, `short.${container}`);
        const cues = [{ startMs: 40, endMs: 150, text: "once" }];
        writeFileSync(
          path,
          await subtitled(golden("h264-aac.mp4"), container, cues, { durationMs }),
        );
        expect(extracted(path)).toBe("1\n00:00:00,040 --> 00:00:00,150\nonce\n\n");
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

interface Probed {
  readonly streams: readonly {
    readonly codec_name: string;
    readonly tags: Readonly<Record<string, string>>;
    readonly disposition: Readonly<Record<string, number>>;
  }[];
}

/** What ffmpeg extracts from the subtitles of a file. Its encoder of SRT ends lines inside a cue with CR LF. */
function extracted(path: string): string {
  const quiet = ["-v", "error", "-xerror", "-i", path];
  return judge("ffmpeg", ...quiet, "-map", "0:s", "-f", "srt", "-")
    .toString()
    .replaceAll("\r\n", "\n");
}

function probed(path: string): Probed {
  const asked = ["-v", "error", "-show_streams", "-of", "json", path];
  return JSON.parse(judge("ffprobe", ...asked).toString()) as Probed;
}

/** Bytes and times of all packets of video and sound. */
async function packetsOf(bytes: Uint8Array) {
  const { tracks } = await openMedia(new MemorySource(bytes, ""));
  const listed: { kind: string; pts: number; data: string }[] = [];
  for (const track of tracks) {
    if (track.kind === "video" || track.kind === "sound") {
      for await (const { pts, data } of track.packets()) {
        listed.push({ kind: track.kind, pts, data: Buffer.from(data).toString("base64") });
      }
    }
  }
  return listed;
}

it("texts are as large as the video is shown: turned, and with square pixels", async () => {
  const turned = { width: 720, height: 576, pixelAspect: [16, 15], rotation: 90 } as const;
  const file = await subtitled(golden("h264-aac.mp4"), "mp4", CUES, { picture: turned });
  expect(readTimedTexts(file)).toMatchObject([
    { size: [240, 320], textBox: [0, 0, 320, 240], scale: [2.4, 2.4].map(at16) },
  ]);
});

describe("a WebM with subtitles", () => {
  const cues = placeCues([...CUES, { startMs: 650, endMs: 2_000, text: "a\n\nb" }], {
    offsetMs: 0,
    durationMs: DURATION_MS,
  });
  const shown = [
    { startMs: 41, endMs: 300, text: "Früh &amp; spät" },
    { startMs: 200, endMs: 420, text: "über\nzwei &lt;Zeilen&gt;" },
    { startMs: 600, endMs: 601, text: "日本語" },
    { startMs: 601, endMs: 900, text: "last" },
    { startMs: 650, endMs: 950, text: "a\nb" },
  ];

  it("has a block for each cue, which may overlap, with escaped text and without blank lines", async () => {
    for (const isDefault of [true, false]) {
      const file = await subtitled(golden("vp8-opus.webm"), "webm", cues, { isDefault });
      expect(readWebmSubtitles(file)).toEqual([
        { codec: "S_TEXT/WEBVTT", language: "deu", isDefault, cues: shown },
      ]);
      expect(await packetsOf(file)).toEqual(await packetsOf(golden("vp8-opus.webm")));
    }
  });

  it.skipIf(!HAS_FFMPEG)("is read by ffmpeg as it was meant, too", async () => {
    const folder = mkdtempSync(join(tmpdir(), "subtitles-"));
    try {
      const path = join(folder, "video.webm");
      writeFileSync(path, await subtitled(golden("vp8-opus.webm"), "webm", cues));
      // FFmpeg 5 has no name for S_TEXT/WEBVTT, later releases have one; all of them read the packets.
      expect(probed(path).streams[2]).toMatchObject({
        codec_type: "subtitle",
        tags: { language: "deu" },
        disposition: { default: 1 },
      });
      const quiet = ["-v", "error", "-xerror", "-i", path];
      const texts = judge("ffmpeg", ...quiet, "-map", "0:2", "-c", "copy", "-f", "data", "-");
      expect(texts.toString()).toBe(shown.map(({ text }) => text).join(""));
      const entries = ["-show_entries", "packet=pts_time,duration_time", "-of", "csv=p=0"];
      const times = judge("ffprobe", "-v", "error", "-select_streams", "2", ...entries, path);
      expect(
        times
          .toString()
          .trim()
          .split("\n")
          .map((line) => line.split(",").map(Number)),
      ).toEqual(shown.map(({ startMs, endMs }) => [startMs / 1_000, (endMs - startMs) / 1_000]));
      judge("ffmpeg", ...quiet, "-f", "null", "-");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
