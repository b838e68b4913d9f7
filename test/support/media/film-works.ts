/** Films, and everything that nodes do with one. */
import type { FileRef } from "../../../src/lib/files/file-ref.ts";
import type { VideoTools } from "../../../src/nodes/define-video-tools.ts";
import { codecFixture } from "./codec-fixtures.ts";
import { mediaFixture } from "./read-codecs.ts";

export const FILMS: Readonly<Record<string, () => Uint8Array<ArrayBuffer>>> = {
  "h264-aac.mp4": () => mediaFixture("h264-aac.mp4"),
  "h264-open-gop.mov": () => codecFixture("h264-open-gop.mov"),
  "hevc-b-frames.mp4": () => codecFixture("hevc-b-frames.mp4"),
  "av1.mp4": () => codecFixture("av1.mp4"),
  "vp8-opus.webm": () => mediaFixture("vp8-opus.webm"),
  "vp9.webm": () => codecFixture("vp9.webm"),
};
export type FilmWork = (tools: VideoTools, film: FileRef) => Promise<readonly FileRef[]>;

/** Every tool for videos, with the files that it makes. */
export const FILM_WORKS: readonly FilmWork[] = [
  (tools, film) =>
    tools.split(
      film,
      [
        { start: 0.1, end: 0.3 },
        { start: 0, end: 100 },
      ],
      "exact",
    ),
  (tools, film) => tools.split(film, [{ start: 0.1, end: 0.3 }], "keyframe"),
  async (tools, film) => [
    await tools.thumbnail(film, 0.2, {
      format: "jpg",
      quality: 80,
      mode: "exact",
      width: undefined,
    }),
  ],
  async (tools, film) => [await tools.concat([film, film])],
  async (tools, film) => [
    await tools.muxAudio(film, film, {
      mode: "replace",
      audio_gain_db: 0,
      video_gain_db: 0,
      offset_seconds: 0,
      loop: false,
    }),
  ],
  async (tools, film) => [await tools.extractAudio(film, { format: "source" })],
  async (tools, film) => {
    const cues = [{ start: 0, end: 1, text: "a" }];
    const made = await tools.addSubtitles(
      film,
      { kind: "cues", cues },
      { language: "und", default: true, sidecar_format: "srt", offset_seconds: 0 },
    );
    return [made.video];
  },
];
