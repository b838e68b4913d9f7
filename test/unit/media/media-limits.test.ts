/** Each limit of sound and video is met exactly: what has the limit is accepted, and what has one more is refused. */
import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { checkDefinition } from "../../../src/domain/workflows/definition/check-definition.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";
import type { ByteSource } from "../../../src/lib/files/byte-source.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import { asJson, ExactNumber } from "../../../src/lib/json/exact-json.ts";
import { MEDIA_LIMITS } from "../../../src/lib/limits/media-limits.ts";
import { LimitedSink } from "../../../src/media/container/limited-sink.ts";
import { openMedia, requireVideoTrack } from "../../../src/media/container/open-media.ts";
import { openSound } from "../../../src/media/container/open-sound.ts";
import { tooLargeSound } from "../../../src/media/container/sound-writer.ts";
import {
  decodeSubtitles,
  parseSubtitleJson,
} from "../../../src/media/subtitles/parse-subtitles.ts";
import { consecutiveSamples } from "../../../src/media/subtitles/place-cues.ts";
import { orderCues } from "../../../src/media/timeline/place-cues.ts";
import { aggregateAudioTimeline } from "../../../src/nodes/aggregate/audio-timeline.ts";
import { NodeInputs, type RunValue } from "../../../src/nodes/define-ports.ts";
import { NODE_TYPES } from "../../../src/nodes/registry.ts";
import { openMovie } from "../../../src/workers/media/open-movie.ts";
import type { TaskFiles } from "../../../src/workers/shared/node-context.ts";
import { box, editedBox, parseBoxes, table, writeBoxes } from "../../support/media/box-file.ts";
import { element, text, uint } from "../../support/media/ebml-file.ts";
import { DECODERS, mediaFixture } from "../../support/media/read-codecs.ts";
import { SparseSource } from "../../support/media/sparse-source.ts";
import { wavFile } from "../../support/media/wav-file.ts";

type MediaLimit = keyof typeof MEDIA_LIMITS;

interface Trial {
  /** The code with which one more is refused. */
  readonly code: string;
  /** 1 unless less is refused. */
  readonly direction?: -1;
  /** Makes and reads what has this many of the limited things. */
  meet(amount: number): unknown;
}

const STBL = "moov/trak/mdia/minf/stbl";
const SOUND = mediaFixture("aac.m4a");
const HEAD_BYTES = 8;

const wav = (fields: Parameters<typeof wavFile>[0]) => {
  const bytes = wavFile(fields);
  return openSound(new SparseSource(bytes.length, [0, bytes]), DECODERS);
};

/** An MP4 of one chunk with `count` samples of `bytes` bytes. */
function samplesOf(count: number, bytes: number): ByteSource {
  const changes: readonly (readonly [string, (at: number) => Buffer | undefined])[] = [
    ["moov/trak/edts", () => undefined],
    [`${STBL}/stts`, () => table(1, count, 1)],
    [`${STBL}/stsz`, () => table(bytes, count)],
    [`${STBL}/stsc`, () => table(1, 1, count, 1)],
    [`${STBL}/stco`, (at) => table(1, at)],
  ];
  const head = (at: number) => {
    const file = changes.reduce<Uint8Array>(
      (made, [path, content]) => editedBox(made, path, () => content(at)),
      SOUND,
    );
    return writeBoxes(parseBoxes(file).filter(({ type }) => type === "ftyp" || type === "moov"));
  };
  const { length } = head(0);
  const mdat = Buffer.alloc(HEAD_BYTES);
  mdat.writeUInt32BE(HEAD_BYTES + count * bytes);
  mdat.write("mdat", 4, "latin1");
  const start = Buffer.concat([head(length + HEAD_BYTES), mdat]);
  return new SparseSource(start.length + count * bytes, [0, start]);
}

/** Opens a file, and checks the tables of its first track. */
async function prepared(source: ByteSource): Promise<void> {
  const { tracks } = await openMedia(source);
  await tracks[0]?.prepare();
}

/** The MP4 with its movie followed by something else. */
function withMovie(change: (inside: Buffer) => readonly Uint8Array[]): ByteSource {
  const boxes = parseBoxes(SOUND);
  const inside = writeBoxes((boxes.find(({ type }) => type === "moov")?.content ?? []) as never);
  const rest = boxes.filter(({ type }) => type !== "moov");
  const bytes = Buffer.concat([writeBoxes(rest), box("moov", Buffer.concat([...change(inside)]))]);
  return new SparseSource(bytes.length, [0, bytes]);
}

/** A video whose edit list begins with so long a pause that it lasts `milliseconds`. */
function longMovie(milliseconds: number): Uint8Array {
  const file = mediaFixture("h264.mp4");
  // The edits count in ticks of the movie, of which a second has 1,000 here.
  const header = Buffer.from(file).indexOf("mvhd", 0, "latin1");
  expect(Buffer.from(file).readUInt32BE(header + 16)).toBe(1_000);
  return editedBox(file, "moov/trak/edts/elst", () =>
    table(2, milliseconds - 100, -1, 0x1_0000, 100, 0, 0x1_0000),
  );
}

/** Only what `openMovie` takes of a task's files. */
const filesOf = (bytes: Uint8Array) =>
  ({
    open: () => Promise.resolve(new SparseSource(bytes.length, [0, bytes])),
  }) as unknown as TaskFiles;

const fileOf = (bytes: Uint8Array) =>
  new FileRef({
    path: "f",
    contentType: "video/mp4",
    sizeBytes: bytes.length,
    name: "f.mp4",
  } as never);

function pictures(pixels: number): ByteSource {
  const track = element(0xae, [
    uint(0xd7, 1),
    uint(0x83, 1),
    text(0x86, "V_VP8"),
    element(0xe0, [uint(0xb0, pixels), uint(0xba, 1)]),
  ]);
  const bytes = Buffer.concat([
    element(0x1a45dfa3, [text(0x4282, "webm")]),
    element(0x18538067, [element(0x1549a966, [uint(0x2ad7b1, 1e6)]), element(0x1654ae6b, track)]),
  ]);
  return new SparseSource(bytes.length, [0, bytes]);
}

/** Throws the first issue of a definition as an error with its code. */
function publish(nodes: readonly object[], connections: readonly object[]): void {
  const [issue] = checkDefinition(asJson({ nodes, connections })).errors;
  if (issue !== undefined) {
    throw new NodeError(issue.code as never, issue.message);
  }
}

function joined(type: string, port: string, count: number): void {
  const kind = type.slice(0, 5);
  const ids = Array.from({ length: count }, (_, i) => `in${i}`);
  publish(
    [
      ...ids.map((id) => ({ id, type: `input/${kind}` })),
      { id: "join", type },
      { id: "out", type: `output/${kind}` },
    ],
    [
      ...ids.map((id) => ({ from: { node: id, port: kind }, to: { node: "join", port } })),
      { from: { node: "join", port: kind }, to: { node: "out", port: kind } },
    ],
  );
}

const TRIALS: Readonly<Record<Exclude<MediaLimit, "media_task">, Trial>> = {
  media_file: {
    code: "FILE_TOO_LARGE",
    meet: (size) => openSound(new SparseSource(size, [0, wavFile()]), DECODERS),
  },
  media_output: {
    code: "FILE_TOO_LARGE",
    meet: (size) => {
      const sink = { sizeBytes: size - 1, append: () => Promise.resolve(), patch: () => undefined };
      return new LimitedSink(sink, tooLargeSound).append(new Uint8Array(1));
    },
  },
  media_duration: {
    code: "MEDIA_TOO_LONG",
    meet: (milliseconds) => {
      const bytes = longMovie(milliseconds);
      return openMovie(filesOf(bytes), fileOf(bytes));
    },
  },
  decoded_duration: {
    code: "MEDIA_TOO_LONG",
    meet: (milliseconds) => {
      const frames = milliseconds * 8;
      const head = wavFile({
        samples: new Uint8Array(0),
        rate: 8_000,
        channels: 1,
        bits: 8,
        dataSize: frames,
      });
      return openSound(new SparseSource(head.length + frames, [0, head]), DECODERS);
    },
  },
  sound_rate_lowest: {
    code: "MEDIA_PARAMETERS_UNSUPPORTED",
    direction: -1,
    meet: (rate) => wav({ rate }),
  },
  sound_rate_highest: { code: "MEDIA_PARAMETERS_UNSUPPORTED", meet: (rate) => wav({ rate }) },
  sound_channels: {
    code: "MEDIA_PARAMETERS_UNSUPPORTED",
    meet: (channels) => wav({ channels, samples: new Uint8Array(channels * 200) }),
  },
  video_pixels: {
    code: "MEDIA_PARAMETERS_UNSUPPORTED",
    meet: async (pixels) => requireVideoTrack(await openMedia(pictures(pixels))),
  },
  media_tracks: {
    code: "MEDIA_UNREADABLE",
    meet: (count) =>
      openMedia(
        withMovie((inside) => {
          const trak = parseBoxes(inside).filter(({ type }) => type === "trak");
          return [inside, ...Array.from({ length: count - 1 }, () => writeBoxes(trak))];
        }),
      ),
  },
  media_packets: { code: "MEDIA_UNREADABLE", meet: (count) => prepared(samplesOf(count, 1)) },
  media_packet: { code: "MEDIA_UNREADABLE", meet: (bytes) => prepared(samplesOf(1, bytes)) },
  media_header: {
    code: "MEDIA_UNREADABLE",
    meet: (bytes) => {
      // An ID3 tag counts with the ten bytes of its head; its size has seven bits in each byte.
      const tag = Buffer.from("49443304000000000000", "hex");
      for (let i = 0; i < 4; i++) {
        tag[9 - i] = ((bytes - tag.length) >> (7 * i)) & 127;
      }
      const sound = mediaFixture("adts.aac");
      return openSound(new SparseSource(bytes + sound.length, [0, tag], [bytes, sound]), DECODERS);
    },
  },
  media_depth: {
    code: "MEDIA_UNREADABLE",
    meet: (depth) => {
      let nested: Buffer = Buffer.alloc(0);
      for (let level = 1; level < depth; level++) {
        nested = box("udta", nested);
      }
      return openMedia(withMovie((inside) => [inside, nested]));
    },
  },
  joined_clips: {
    code: "CONNECTION_COUNT",
    meet: (count) => {
      joined("audio/mix", "tracks", count);
      joined("audio/concat", "clips", count);
      joined("video/concat", "clips", count);
    },
  },
  timeline_cues: { code: "TIMELINE_CUE_INVALID", meet: timelineOf },
  cue_text: {
    code: "TIMELINE_CUE_INVALID",
    meet: (length) => {
      const rules = { missingCuePolicy: "warn", durationSeconds: null } as const;
      const cue = { index: 0, start: 0, end: 1, hasClip: true };
      orderCues([{ ...cue, cueId: "ä".repeat(length), speaker: null }], rules);
      orderCues([{ ...cue, cueId: "a", speaker: "ä".repeat(length) }], rules);
    },
  },
  segments: {
    code: "invalid_dynamic_config",
    meet: (count) => {
      const segments = Array.from({ length: count }, () => ({ start: "0", end: "1" }));
      for (const kind of ["audio", "video"]) {
        publish(
          [
            { id: "in", type: `input/${kind}` },
            { id: "cut", type: `${kind}/split`, parameters: { segments } },
            { id: "out", type: `output/${kind}` },
          ],
          [
            { from: { node: "in", port: kind }, to: { node: "cut", port: kind } },
            { from: { node: "cut", port: "segment_0" }, to: { node: "out", port: kind } },
          ],
        );
      }
    },
  },
  subtitle_cues: {
    code: "SUBTITLES_INVALID",
    meet: (count) =>
      parseSubtitleJson(
        asJson(Array.from({ length: count }, () => ({ start: 0, end: 1, text: "a" }))),
      ),
  },
  subtitle_cue: {
    code: "SUBTITLES_INVALID",
    meet: (bytes) =>
      parseSubtitleJson(asJson([{ start: 0, end: 1, text: `ä${"a".repeat(bytes - 2)}` }])),
  },
  subtitle_bytes: {
    code: "SUBTITLES_INVALID",
    meet: (bytes) => decodeSubtitles(new Uint8Array(bytes).fill(32)),
  },
  subtitle_sample: {
    code: "SUBTITLES_INVALID",
    // Each text counts with the line end that follows it.
    meet: (bytes) => [
      ...consecutiveSamples([{ startMs: 0, endMs: 1, text: "a".repeat(bytes - 1) }]),
    ],
  },
  subtitle_track: {
    code: "SUBTITLES_INVALID",
    meet: (bytes) => {
      const each = 2 ** 15;
      const cues = Array.from({ length: Math.ceil(bytes / each) }, (_, i) => ({
        startMs: i,
        endMs: i + 1,
        text: "a".repeat(Math.min(each, bytes - i * each) - 1),
      }));
      return [...consecutiveSamples(cues)];
    },
  },
};

/** The task of a timeline with this many elements, up to the tool that places them. */
async function timelineOf(count: number): Promise<void> {
  const inputs = new NodeInputs(
    new Map<string, RunValue>([
      ["cue_id", "a"],
      ["start", new ExactNumber("0")],
    ]),
  );
  const elements = {
    place: 0,
    failed: 0,
    async *[Symbol.asyncIterator]() {
      for (let i = 0; i < count; i++) {
        yield await Promise.resolve(inputs);
      }
    },
  };
  let placed = 0;
  const audio = {
    placeClips: (clips: readonly unknown[]) => {
      placed = clips.length;
      return Promise.resolve({ audio: null, timeline: null, check: null });
    },
  };
  // Only the tool that is called; what it returns is passed on.
  const context = { audio } as never;
  const request = aggregateAudioTimeline.params.parse({});
  await aggregateAudioTimeline.combine?.(context, elements, new NodeInputs(new Map()), request);
  expect(placed).toBe(count);
}

async function outcomeOf(trial: Trial, amount: number): Promise<string> {
  try {
    await trial.meet(amount);
    return "accepted";
  } catch (error) {
    if (error instanceof NodeError) {
      return error.code;
    }
    throw error;
  }
}

describe("a limit of sound and video", () => {
  test.each(Object.entries(TRIALS))("%s is met exactly", async (name, trial) => {
    const { value } = MEDIA_LIMITS[name as keyof typeof TRIALS];
    expect(await outcomeOf(trial, value)).toBe("accepted");
    expect(await outcomeOf(trial, value + (trial.direction ?? 1))).toBe(trial.code);
  });

  test("of time is that of every task of sound and video", () => {
    const limits = NODE_TYPES.flatMap((node) => {
      const isMedia = /^(?:audio|video)\/|^aggregate\/audio|^utility\/dubbing/.test(node.type);
      return isMedia && "timeLimitMs" in node ? [[node.type, node.timeLimitMs]] : [];
    });
    expect(limits.length).toBeGreaterThanOrEqual(17);
    expect(limits.filter(([, ms]) => ms !== MEDIA_LIMITS.media_task.value)).toEqual([]);
  });
});
