import { mp3FrameSamples } from "../codec/mp3-frame.ts";
import { frameCounter } from "../codec/packet-frames.ts";
import { presentedParts } from "../container/decode-track.ts";
import { parseFlacFrame } from "../container/flac/flac-frame.ts";
import { FlacWriter } from "../container/flac/flac-writer.ts";
import { readStreamInfo } from "../container/flac/stream-info.ts";
import { LimitedSink } from "../container/limited-sink.ts";
import { emptyMedia } from "../container/media-error.ts";
import type { MediaSink } from "../container/media-sink.ts";
import type { MediaTrack } from "../container/media-track.ts";
import { copiedTrack, writeMovie } from "../container/movie-writer.ts";
import { Mp3Writer } from "../container/mp3/mp3-writer.ts";
import { OggOpusWriter } from "../container/ogg/ogg-opus-writer.ts";
import { OggPacketWriter } from "../container/ogg/ogg-packet-writer.ts";
import { splitVorbisConfig } from "../container/ogg/vorbis-modes.ts";
import { tooLargeSound } from "../container/sound-writer.ts";
import { vorbisComment } from "../container/vorbis-comment.ts";
import { isPcmCodec, PCM_BYTES } from "../container/wav/pcm.ts";
import { PcmCopyWriter } from "../container/wav/pcm-copy-writer.ts";
import { editsOf, opusPackets, withPreSkip } from "./copied-sound.ts";

/** The file that holds the packets of a codec without a video. */
const FORMATS = {
  aac: "m4a",
  alac: "m4a",
  mp3: "mp3",
  opus: "ogg",
  vorbis: "ogg",
  flac: "flac",
} as const;
export type CopiedFormat = (typeof FORMATS)[keyof typeof FORMATS] | "wav";

/** A way to copy a track into a file of its own. */
export interface SoundCopy {
  readonly format: CopiedFormat;
  write(sink: MediaSink, signal: AbortSignal): Promise<void>;
}

/**
 * How the packets of a track of sound are copied. Undefined for FLAC of which a part is presented, because its frames are numbered from
 * the beginning and its header has a checksum of all samples: it is encoded again, which changes no sample.
 */
export async function soundCopy(track: MediaTrack): Promise<SoundCopy | undefined> {
  await track.prepare();
  const { codec } = track;
  if (codec !== null && isPcmCodec(codec)) {
    return { format: "wav", write: (sink, signal) => copyPcm(track, limited(sink), signal) };
  }
  switch (codec) {
    case "aac":
    case "alac":
      return {
        format: FORMATS[codec],
        write: async (sink, signal) => {
          await writeMovie("m4a", [copiedTrack(track, { edits: editsOf(track) })], sink, signal);
        },
      };
    case "mp3":
      return { format: "mp3", write: (sink, signal) => copyMp3(track, limited(sink), signal) };
    case "opus":
      return { format: "ogg", write: (sink, signal) => copyOpus(track, limited(sink), signal) };
    case "vorbis":
      return { format: "ogg", write: (sink, signal) => copyVorbis(track, limited(sink), signal) };
    case "flac":
      return (await isWholeFlac(track))
        ? { format: "flac", write: (sink, signal) => copyFlac(track, limited(sink), signal) }
        : undefined;
    default:
      return undefined;
  }
}

function limited(sink: MediaSink): MediaSink {
  return new LimitedSink(sink, tooLargeSound);
}

/** First frame and number of frames that are presented; what lies between parts, and pauses, are not left out. */
function span(track: MediaTrack): { readonly skip: number; readonly end: number } {
  const rate = track.sound?.sampleRate ?? track.timeScale;
  const parts = presentedParts(track, rate / track.timeScale).filter(({ start }) => start !== null);
  let [skip, end] = [Number.POSITIVE_INFINITY, 0];
  for (const { start, frames } of parts) {
    skip = Math.min(skip, start ?? 0);
    end = Math.max(end, frames === null ? Number.POSITIVE_INFINITY : (start ?? 0) + frames);
  }
  return parts.length === 0 ? { skip: 0, end: 0 } : { skip, end };
}

/** Frames after the end that a decoder needs to give the last ones. */
const MP3_AFTER = 529 + 1_152;
/** Least and most that the tag of LAME can state, with the delay of the decoder. */
const MP3_SKIP_MIN = 529;
const MP3_SKIP_MAX = 529 + 4_095;

async function copyMp3(track: MediaTrack, sink: MediaSink, signal: AbortSignal): Promise<void> {
  const isTrimmed = editsOf(track).length > 0;
  const { skip, end } = span(track);
  // The last one of a track may have a shorter duration than its samples.
  const frames = mp3FrameSamples(track.sound?.sampleRate ?? track.timeScale);
  let writer: Mp3Writer | undefined;
  let [at, written, start] = [0, 0, 0];
  for await (const { data } of track.packets()) {
    signal.throwIfAborted();
    // Whole packets before what the tag can state, without those that a decoder needs first.
    if (skip - at > MP3_SKIP_MAX) {
      at += frames;
      start = at;
      continue;
    }
    if (at >= end + MP3_AFTER) {
      break;
    }
    if (isTrimmed && skip - start >= MP3_SKIP_MIN) {
      writer ??= new Mp3Writer(sink, { priming: skip - start });
      await writer.add({ data, frames });
    } else {
      await sink.append(data);
    }
    at += frames;
    written++;
  }
  if (written === 0) {
    throw emptyMedia("sound");
  }
  await writer?.end(Math.min(end, at) - skip);
}

/** A decoder of Opus has settled after 80 ms (RFC 7845, section 4.6). */
const OPUS_PREROLL = 3_840;

async function copyOpus(track: MediaTrack, sink: MediaSink, signal: AbortSignal): Promise<void> {
  const { skip, end } = span(track);
  let writer: OggOpusWriter | undefined;
  let [start, last] = [0, 0];
  for await (const { data, pts, duration, discardFrames = 0 } of opusPackets(track, end)) {
    signal.throwIfAborted();
    if (pts + duration <= skip - OPUS_PREROLL) {
      start = pts + duration;
      continue;
    }
    const head = withPreSkip(track.config, Math.max(0, skip - start)) ?? track.config;
    writer ??= new OggOpusWriter(sink, { config: head, priming: 0 });
    await writer.add({ data, frames: duration });
    last = pts + duration - discardFrames - start;
  }
  if (writer === undefined) {
    throw emptyMedia("sound");
  }
  await writer.end(last);
}

/** Frames of a page; the first one must be within it if frames at the beginning are cut. */
const VORBIS_PAGE_FRAMES = 44_100;

async function copyVorbis(track: MediaTrack, sink: MediaSink, signal: AbortSignal): Promise<void> {
  const { skip, end } = span(track);
  const [identification, , setup] = splitVorbisConfig(track.config);
  if (identification === undefined || setup === undefined) {
    throw new Error("Vorbis has three headers.");
  }
  const frames = frameCounter("vorbis", track.config, 0);
  const writer = new OggPacketWriter(
    sink,
    [[identification], [vorbisComments(), setup]],
    VORBIS_PAGE_FRAMES,
    -skip,
  );
  let [at, count, cut] = [0, 0, 0];
  for await (const { data, discardFrames = 0 } of track.packets()) {
    signal.throwIfAborted();
    if (at >= end) {
      break;
    }
    const added = frames(data);
    await writer.add(data, added);
    at += added;
    cut = discardFrames;
    count++;
  }
  if (count === 0) {
    throw emptyMedia("sound");
  }
  await writer.end(Math.min(end, at - cut) - skip);
}

function vorbisComments(): Uint8Array {
  const comment = vorbisComment();
  const packet = new Uint8Array(7 + comment.byteLength + 1);
  packet.set([3, ...new TextEncoder().encode("vorbis")]);
  packet.set(comment, 7);
  // The framing bit.
  packet[packet.byteLength - 1] = 1;
  return packet;
}

async function isWholeFlac(track: MediaTrack): Promise<boolean> {
  const { skip, end } = span(track);
  const { frames, sampleRate } = readStreamInfo(track.config);
  const stated = frames ?? Math.round(((track.duration ?? 0) * sampleRate) / track.timeScale);
  const parts = presentedParts(track, sampleRate / track.timeScale);
  if (skip !== 0 || end < stated || parts.length !== 1) {
    return false;
  }
  let [count, first] = [0, -1];
  for await (const { duration } of track.heads?.() ?? []) {
    count += duration;
  }
  for await (const { data } of track.packets()) {
    first = parseFlacFrame(data, 0)?.number ?? -1;
    break;
  }
  return first === 0 && Math.round((count * sampleRate) / track.timeScale) === stated;
}

async function copyFlac(track: MediaTrack, sink: MediaSink, signal: AbortSignal): Promise<void> {
  const writer = new FlacWriter(sink, { config: track.config });
  let count = 0;
  for await (const { data, duration } of track.packets()) {
    signal.throwIfAborted();
    await writer.add({ data, frames: duration });
    count++;
  }
  if (count === 0) {
    throw emptyMedia("sound");
  }
  await writer.end();
}

async function copyPcm(track: MediaTrack, sink: MediaSink, signal: AbortSignal): Promise<void> {
  const { pcm, sound, timeScale } = track;
  if (pcm === null || pcm === undefined || sound === null) {
    throw new Error("PCM has a layout.");
  }
  const frameBytes = PCM_BYTES[pcm.codec] * pcm.channels;
  const ratio = sound.sampleRate / timeScale;
  const writer = new PcmCopyWriter(sink, pcm, sound.sampleRate);
  for (const { start, frames } of presentedParts(track, ratio)) {
    if (start === null) {
      // oxlint-disable-next-line no-await-in-loop -- part after part
      await writer.writeSilence(frames ?? 0);
      continue;
    }
    const end = start + (frames ?? Number.POSITIVE_INFINITY);
    for await (const { data, dts } of track.packets({ from: Math.floor(start / ratio) })) {
      signal.throwIfAborted();
      const at = Math.round(dts * ratio);
      if (at >= end) {
        break;
      }
      const from = Math.max(0, start - at) * frameBytes;
      const to = Math.min(data.byteLength, (end - at) * frameBytes);
      if (to > from) {
        await writer.write(data.subarray(from, to));
      }
    }
  }
  if (writer.frames === 0) {
    throw emptyMedia("sound");
  }
  await writer.end();
}
