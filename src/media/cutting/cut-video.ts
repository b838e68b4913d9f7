import { NodeError } from "../../lib/errors/node-error.ts";
import type { MediaPacket, MediaTrack, PacketHead } from "../container/media-track.ts";
import type { MovieTrack } from "../container/movie-track.ts";
import { copiedTrack } from "../container/movie-writer.ts";
import type { PresentedPart } from "../container/decode-track.ts";
import { isShown } from "../pictures/decode-picture.ts";
import { presentedTicks } from "../pictures/presented-pictures.ts";
import { type CutPart, cutParts, mediaSpan } from "./cut-parts.ts";
import { headsOf } from "./packet-heads.ts";
import { outOfRange, type TimedSegment } from "./segment-ranges.ts";

/** `exact` shows the pictures of the segment alone, `keyframe` begins at the key picture at or before it. */
export type CutMode = "exact" | "keyframe";

/** A picture as the plan of a cut needs it. */
type PictureHead = Pick<PacketHead, "dts" | "pts" | "duration" | "isKey"> & {
  readonly isShown: boolean;
};

interface KeyPacket {
  readonly index: number;
  readonly dts: number;
  readonly pts: number;
}

/** Which packets of a track a part of a video has, and what of them is presented. */
export interface VideoCut {
  /** In ticks of the presentation: the first picture that is shown, and the end of the last one. */
  readonly from: number;
  readonly to: number;
  /** The same in ticks of the media, part by part. */
  readonly parts: readonly CutPart[];
  /** The packet at which the copy begins, and the position of the last one in decoding order. */
  readonly key: KeyPacket;
  readonly last: number;
  /** The first picture is a key picture, so that nothing before it is copied. */
  readonly isAtKey: boolean;
}

/** Half a tick on either side of a bound counts as on it. */
const ON_BOUND = 0.5;

/**
 * Decides what a segment copies: pictures with start ≤ time < end, from the key packet on that they are predicted from, up to the last one in
 * decoding order. `seconds`: length of the presentation. Throws NodeError `SEGMENT_OUT_OF_RANGE` for a segment that begins behind the last
 * picture, `MEDIA_EMPTY` for one without a picture.
 */
export async function planVideoCut(
  track: MediaTrack,
  seconds: number,
  { start, end }: TimedSegment,
  mode: CutMode,
  index = 0,
): Promise<VideoCut> {
  const { timeScale } = track;
  const presented = presentedTicks(track);
  const [lower, upper] = [start * timeScale - ON_BOUND, end * timeScale - ON_BOUND];
  const keyLimit = start * timeScale + ON_BOUND;
  let from = Number.POSITIVE_INFINITY;
  let before = Number.NEGATIVE_INFINITY;
  let next = Number.POSITIVE_INFINITY;
  for await (const { head, key } of decodable(track)) {
    for (const time of timesOf(presented, head.pts)) {
      from = time >= lower && key !== undefined ? Math.min(from, time) : from;
      before = head.isKey && time <= keyLimit ? Math.max(before, time) : before;
      next = time >= upper ? Math.min(next, time) : next;
    }
  }
  if (start >= seconds || from === Number.POSITIVE_INFINITY) {
    throw outOfRange(index, start, seconds, "video");
  }
  if (next <= from) {
    throw new NodeError(
      "MEDIA_EMPTY",
      `Segment ${index} from ${start} to ${end} s has no picture. Make it longer.`,
    );
  }
  const first = mode === "keyframe" && before !== Number.NEGATIVE_INFINITY ? before : from;
  const to = next === Number.POSITIVE_INFINITY ? Math.round(seconds * timeScale) : next;
  return await packetsOfCut(track, presented, { from: first, to: Math.max(to, first + 1) });
}

/** The packets of the pictures from one tick of the presentation up to another. */
async function packetsOfCut(
  track: MediaTrack,
  presented: readonly PresentedPart[],
  { from, to }: { readonly from: number; readonly to: number },
): Promise<VideoCut> {
  let begin: KeyPacket | undefined;
  let [last, position] = [0, -1];
  let isAtKey = false;
  for await (const { head, key } of decodable(track)) {
    position++;
    const times = timesOf(presented, head.pts).filter((time) => time >= from && time < to);
    if (key === undefined || times.length === 0) {
      continue;
    }
    begin = begin === undefined || key.index < begin.index ? key : begin;
    last = position;
    isAtKey ||= head.isKey && times.includes(from);
  }
  if (begin === undefined) {
    throw new Error("A cut has no picture, and its plan has one.");
  }
  return { from, to, parts: cutParts(presented, from, to), key: begin, last, isAtKey };
}

/** Pictures in decoding order, each with the key packet from which it is decoded; undefined where there is none. */
async function* decodable(
  track: MediaTrack,
): AsyncGenerator<{ readonly head: PictureHead; readonly key: KeyPacket | undefined }> {
  let keys: KeyPacket[] = [];
  let index = 0;
  for await (const head of pictureHeads(track)) {
    const { dts, pts } = head;
    if (head.isKey) {
      keys = [...keys.slice(-1), { index, dts, pts }];
    }
    // Pictures before the key picture that they follow are predicted from the group before.
    const key = head.isShown ? keys.findLast((one) => one.pts <= pts) : undefined;
    yield { head, key };
    index++;
  }
}

async function* pictureHeads(track: MediaTrack): AsyncGenerator<PictureHead> {
  if (track.heads !== undefined) {
    for await (const head of track.heads()) {
      yield { ...head, isShown: true };
    }
    return;
  }
  for await (const { data, ...head } of track.packets()) {
    yield { ...head, isShown: isShown(track.codec, data) };
  }
}

/** When a picture is presented; more than once if edits repeat it. */
function timesOf(presented: readonly PresentedPart[], pts: number): readonly number[] {
  const times: number[] = [];
  let at = 0;
  for (const { start, frames } of presented) {
    const length = frames ?? Number.POSITIVE_INFINITY;
    if (start !== null && pts >= start && pts < start + length) {
      times.push(at + pts - start);
    }
    at += length;
  }
  return times;
}

/**
 * The track of a part of a video. In `exact` mode an edit list hides the lead-in and the reference pictures behind the end; in `keyframe`
 * mode, and in WebM (`isWithoutEdits`), the times of the packets begin at 0. Pictures that cannot be decoded without an earlier group are left out.
 */
export function copiedVideo(track: MediaTrack, cut: VideoCut, isWithoutEdits: boolean): MovieTrack {
  const { key, last, parts } = cut;
  const end = mediaSpan(parts)?.to ?? 0;
  /** A WebM states no durations, of which a track needs that of its last picture. */
  const lasting = <P extends PacketHead | MediaPacket>(packet: P): P =>
    packet.duration > 0 ? packet : { ...packet, duration: Math.max(1, end - packet.pts) };
  async function* wanted<P extends PacketHead | MediaPacket>(
    packets: AsyncIterable<P>,
  ): AsyncGenerator<P> {
    let index = -1;
    for await (const packet of packets) {
      if (index === -1 && !(packet.isKey && packet.dts === key.dts)) {
        continue;
      }
      index = index === -1 ? key.index : index + 1;
      if (index > last) {
        return;
      }
      if (index === key.index || packet.pts >= key.pts) {
        yield isWithoutEdits
          ? { ...packet, dts: packet.dts - key.dts, pts: packet.pts - key.pts }
          : lasting(packet);
      }
    }
  }
  const range = { from: key.dts };
  return copiedTrack(track, {
    edits: isWithoutEdits ? [] : parts.map(({ start, frames }) => ({ start, duration: frames })),
    heads: () => wanted(track.heads?.(range) ?? headsOf(track.packets(range))),
    packets: () => wanted(track.packets(range)),
  });
}
