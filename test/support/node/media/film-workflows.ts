/** One workflow for each node that works on films, and for the two that cut and place sounds. */
import type { ApiClient } from "../../../../scripts/api-client.ts";
import { publish } from "../../../../scripts/provision.ts";
import { type SubmitBody, submitRun } from "../../../../scripts/run-workflow.ts";
import { type MediaDefinition, node, wire } from "../run-definition.ts";

/** Paths of uploaded files. */
export interface FilmAssets {
  /** An MP4 with sound. */
  readonly film: string;
  /** A film of which a picture is shown. In a WebM, every packet is read up to its time. */
  readonly shown: string;
  readonly wav: string;
  readonly m4a: string;
  /** A WebM whose header does not state its duration. */
  readonly untimed: string;
}

export interface FilmNode {
  /** Its node is `made`. */
  readonly definition: MediaDefinition;
  readonly inputs: (assets: FilmAssets) => NonNullable<SubmitBody["inputs"]>;
  /** Files that it makes as objects of their own: small ones share one. */
  readonly files: number;
  readonly credits: number;
  /** Its files have several parts, so that some are stored before its end. */
  readonly isLarge: boolean;
}

const asset = (path: string) => ({ asset_path: path });

/** A node with the film as its only input, and one output. */
function onFilm(
  type: string,
  parameters: object,
  [port, kind]: readonly [port: string, kind: string],
  of: Pick<FilmNode, "credits" | "isLarge"> & {
    readonly files?: number;
    readonly source?: keyof FilmAssets;
  },
): FilmNode {
  const { source = "film", files = 1, ...rest } = of;
  return {
    definition: {
      nodes: [
        node("in", "input/video"),
        node("made", type, parameters),
        node("out", `output/${kind}`, { key: "out" }),
      ],
      connections: [wire("in.video", "made.video"), wire(`made.${port}`, `out.${kind}`)],
    },
    inputs: (assets) => ({ in: asset(assets[source]) }),
    files,
    ...rest,
  };
}

const CUE = "00:00:01,000 --> 00:00:59,000\nA line of subtitles.\n";
const WHOLE = [{ start: "0.5", end: "99:00:00" }];

const json = (value: unknown) => ({ value: JSON.stringify(value) });

/** A dub of one line of a second: its documents, by the ports of `utility/dubbing_manifest`. */
const DUB = {
  cues: [{ cue_id: "one", start: 0, end: 1 }],
  timeline_manifest: {
    schema: "svc.audio-timeline/v1",
    duration_seconds: 1,
    samples: 8_000,
    sample_rate: 8_000,
    channels: 1,
    duration_source: "saved",
    overlap_policy: "fail",
    missing_cue_policy: "fail",
    skipped_items: 0,
    overload_gain_db: 0,
    cues: [
      {
        index: 0,
        cue_id: "one",
        speaker: null,
        start_seconds: 0,
        end_seconds: 1,
        start_sample: 0,
        samples: 8_000,
        source_samples: 8_000,
        state: "placed",
        overlaps: [],
      },
    ],
    gaps: [],
  },
  evidence: [{ cue_id: "one", voice: "mid" }],
};

export const FILM_NODES: Readonly<Record<string, FilmNode>> = {
  "video/split": onFilm("video/split", { segments: WHOLE }, ["segment_0", "video"], {
    credits: 0,
    isLarge: true,
  }),
  "video/extract_audio": onFilm("video/extract_audio", {}, ["audio", "audio"], {
    credits: 0,
    isLarge: false,
  }),
  "video/thumbnail": onFilm(
    "video/thumbnail",
    { at: 3_600, mode: "keyframe" },
    ["image", "image"],
    {
      credits: 0,
      isLarge: false,
      files: 0,
      source: "shown",
    },
  ),
  "video/concat": {
    definition: {
      nodes: [
        node("in", "input/video"),
        node("made", "video/concat"),
        node("out", "output/video", { key: "out" }),
      ],
      connections: [
        wire("in.video", "made.clips"),
        wire("in.video", "made.clips"),
        wire("made.video", "out.video"),
      ],
    },
    inputs: ({ film }) => ({ in: asset(film) }),
    files: 1,
    credits: 0,
    isLarge: true,
  },
  "video/mux_audio": {
    definition: {
      nodes: [
        node("in", "input/video"),
        node("sound", "input/audio"),
        node("made", "video/mux_audio"),
        node("out", "output/video", { key: "out" }),
      ],
      connections: [
        wire("in.video", "made.video"),
        wire("sound.audio", "made.audio"),
        wire("made.video", "out.video"),
      ],
    },
    inputs: ({ film, m4a }) => ({ in: asset(film), sound: asset(m4a) }),
    files: 1,
    credits: 0.01,
    isLarge: true,
  },
  "video/add_subtitles": {
    definition: {
      nodes: [
        node("in", "input/video"),
        node("text", "input/text"),
        node("made", "video/add_subtitles"),
        node("out", "output/video", { key: "out" }),
        node("side", "output/document", { key: "side" }),
      ],
      connections: [
        wire("in.video", "made.video"),
        wire("text.text", "made.subtitles"),
        wire("made.video", "out.video"),
        wire("made.subtitles", "side.document"),
      ],
    },
    inputs: ({ film }) => ({ in: asset(film), text: { value: JSON.stringify(`1\n${CUE}`) } }),
    files: 1,
    credits: 0,
    isLarge: true,
  },
  "audio/split": {
    definition: {
      nodes: [
        node("in", "input/audio"),
        node("made", "audio/split", { segments: WHOLE }),
        node("out", "output/audio", { key: "out" }),
      ],
      connections: [wire("in.audio", "made.audio"), wire("made.segment_0", "out.audio")],
    },
    inputs: ({ wav }) => ({ in: asset(wav) }),
    files: 1,
    credits: 0,
    isLarge: true,
  },
  "utility/dubbing_manifest": {
    definition: {
      nodes: [
        ...Object.keys(DUB).map((port) => node(port, "input/json_value")),
        node("dub", "input/audio"),
        node("film", "input/video"),
        node("made", "utility/dubbing_manifest", { on_fail: "report" }),
        node("out", "output/json", { key: "out" }),
      ],
      connections: [
        ...Object.keys(DUB).map((port) => wire(`${port}.json`, `made.${port}`)),
        wire("dub.audio", "made.dubbed_audio"),
        wire("film.video", "made.final_video"),
        wire("made.manifest", "out.json"),
      ],
    },
    inputs: ({ wav, untimed }) => ({
      ...Object.fromEntries(Object.entries(DUB).map(([port, value]) => [port, json(value)])),
      dub: asset(wav),
      film: asset(untimed),
    }),
    files: 0,
    credits: 0,
    isLarge: false,
  },
  "aggregate/audio_timeline": {
    definition: {
      nodes: [
        node("rows", "input/json", {
          jsonConfig: {
            properties: ["id", "start", "end", "clip"].map((path) => ({
              path,
              outputPort: path,
              outputType: path === "clip" ? "url" : path === "id" ? "text" : "number",
            })),
          },
        }),
        node("clip", "utility/media_from_url", { media_type: "audio" }),
        node("made", "aggregate/audio_timeline", { overlap_policy: "mix" }),
        node("out", "output/audio", { key: "out" }),
      ],
      connections: [
        wire("rows.clip", "clip.url"),
        wire("clip.media", "made.clips"),
        wire("rows.id", "made.cue_id"),
        wire("rows.start", "made.start"),
        wire("rows.end", "made.end"),
        wire("made.audio", "out.audio"),
      ],
    },
    inputs: ({ wav }) => ({
      rows: {
        value: JSON.stringify(
          [0, 5].map((start) => ({
            id: `c${start}`,
            start,
            end: start + 600,
            clip: `storage://${wav}`,
          })),
        ),
      },
    }),
    files: 1,
    credits: 0.01,
    isLarge: true,
  },
};

export async function publishFilmNode(
  client: ApiClient,
  { definition }: FilmNode,
): Promise<string> {
  return await publish(client, { name: "Film", definition } as never);
}

export async function submitFilmNode(
  client: ApiClient,
  workflow: string,
  { inputs }: FilmNode,
  assets: FilmAssets,
): Promise<string> {
  return await submitRun(client, { workflow, inputs: inputs(assets) });
}
