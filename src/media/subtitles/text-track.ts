import type { MediaPacket, PacketHead, PictureTrack } from "../container/media-track.ts";
import type { MovieTrack } from "../container/movie-track.ts";
import type { MovieContainer } from "../container/movie-writer.ts";
import { box, text, u16, u32 } from "../container/mp4/write-box.ts";
import { consecutiveSamples } from "./place-cues.ts";
import type { SubtitleCue } from "./subtitle-cue.ts";
import { cuePayload } from "./write-sidecar.ts";

/** Times of cues are milliseconds. */
const TIME_SCALE = 1_000;
const ENCODER = new TextEncoder();

interface TextTrackOptions {
  /** Three letters of ISO 639-2. */
  readonly language: string;
  /** Whether a player shows the subtitles without being asked. */
  readonly isDefault: boolean;
  /** The video that the texts are shown on. */
  readonly picture: PictureTrack;
  /** Where the video ends, in milliseconds: no cue ends later. */
  readonly durationMs: number;
}

/**
 * The track of subtitles of a movie: `tx3g` (3GPP TS 26.245) in MP4 and MOV, where overlapping cues become consecutive samples, and
 * `S_TEXT/WEBVTT` in WebM. `cues` are those of `placeCues`, at least one. Throws NodeError `SUBTITLES_INVALID` while packets are
 * read if a sample would be too large.
 */
export function textTrack(
  container: MovieContainer,
  cues: readonly SubtitleCue[],
  { language, isDefault, picture, durationMs }: TextTrackOptions,
): MovieTrack {
  const common = {
    kind: "text",
    timeScale: TIME_SCALE,
    language,
    isDefault,
    sound: null,
    picture: null,
    edits: [],
  } as const;
  if (container === "webm") {
    return {
      ...common,
      codec: "webvtt",
      config: new Uint8Array(),
      description: null,
      heads: () => headsOf(webVttPackets(cues)),
      // oxlint-disable-next-line require-await -- the packets are in memory, those of a file are not
      async *packets() {
        yield* webVttPackets(cues);
      },
    };
  }
  const { size, scale } = canvasOf(picture);
  return {
    ...common,
    // Its matrix is the only part that is written.
    picture: { ...picture, matrix: scalingMatrix(scale) },
    codec: "tx3g",
    config: new Uint8Array(),
    description: {
      container: container === "mov" ? "mov" : "mp4",
      sampleEntry: textSampleEntry(size),
      stsdVersion: 0,
      shownSize: u32(size.width * 0x1_0000, size.height * 0x1_0000),
    },
    heads: () => headsOf(timedTextPackets(cues, durationMs)),
    // oxlint-disable-next-line require-await -- as above
    async *packets() {
      yield* timedTextPackets(cues, durationMs);
    },
  };
}

function* headsOf(packets: Iterable<MediaPacket>): Generator<PacketHead> {
  for (const { data, dts, pts, duration, isKey } of packets) {
    yield { dts, pts, duration, isKey, bytes: data.byteLength };
  }
}

/**
 * The last packet has no text and reaches to the end of the video. It may have no duration: readers take the time at which a
 * packet ends from the next one, and show the last one to the end of the movie.
 */
function* timedTextPackets(
  cues: readonly SubtitleCue[],
  durationMs: number,
): Generator<MediaPacket> {
  let end = 0;
  for (const { startMs, endMs, text: shown } of consecutiveSamples(cues)) {
    const bytes = ENCODER.encode(shown);
    const data = new Uint8Array(2 + bytes.byteLength);
    data.set(u16(bytes.byteLength));
    data.set(bytes, 2);
    yield packetOf(startMs, endMs, data);
    end = endMs;
  }
  yield packetOf(end, Math.max(end, durationMs), new Uint8Array(2));
}

function* webVttPackets(cues: readonly SubtitleCue[]): Generator<MediaPacket> {
  for (const { startMs, endMs, text: shown } of cues) {
    yield packetOf(startMs, endMs, ENCODER.encode(cuePayload(shown, "vtt")));
  }
}

function packetOf(startMs: number, endMs: number, data: Uint8Array): MediaPacket {
  return { data, pts: startMs, dts: startMs, duration: endMs - startMs, isKey: true };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Coordinates of text boxes have 16 bits with a sign. */
const SIDE_MAX = 0x7fff;
/**
 * Texts are placed on a canvas of this height, which a matrix scales to the video. So they have the default size of readers that
 * write the style of a text beside it where it is another one, and still a twentieth of the video's height.
 */
const CANVAS_HEIGHT = 320;
const FONT_SIZE = 16;
const FONT_NAME = "Arial";

/** A canvas with the shape of the video as it is shown: with square pixels, and turned. */
function canvasOf({ width, height, pixelAspect, rotation }: PictureTrack): {
  readonly size: Size;
  readonly scale: number;
} {
  const [horizontal, vertical] = pixelAspect;
  const upright = { width: Math.max(1, (width * horizontal) / vertical), height };
  const shown = rotation % 180 === 0 ? upright : { width: upright.height, height: upright.width };
  const scale = shown.height / CANVAS_HEIGHT;
  const canvasWidth = Math.min(SIDE_MAX, Math.max(1, Math.round(shown.width / scale)));
  return { size: { width: canvasWidth, height: CANVAS_HEIGHT }, scale };
}

/** Numbers of 16 and 16 bits, but for the last of each row, which have 2 and 30. */
function scalingMatrix(scale: number): Uint8Array {
  const factor = Math.max(1, Math.round(scale * 0x1_0000));
  return u32(factor, 0, 0, 0, factor, 0, 0, 0, 0x4000_0000);
}

const CENTER = 1;
const BOTTOM = -1;
const FONT = 1;
const WHITE = 0xffff_ffff;
const TRANSPARENT = 0;

/** TextSampleEntry: centered white text at the bottom of the canvas. */
function textSampleEntry({ width, height }: Size): Uint8Array {
  return box(
    "tx3g",
    u16(0, 0, 0, 1),
    // No scrolling, no karaoke.
    u32(0),
    Uint8Array.of(CENTER, BOTTOM & 0xff),
    u32(TRANSPARENT),
    // The default text box: top, left, bottom, right.
    u16(0, 0, height, width),
    // The default style: of all characters, with a font, no face, a size and a color.
    u16(0, 0, FONT),
    Uint8Array.of(0, FONT_SIZE),
    u32(WHITE),
    box("ftab", u16(1, FONT), Uint8Array.of(FONT_NAME.length), text(FONT_NAME)),
  );
}
