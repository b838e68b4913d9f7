import type { PresentedPart } from "../container/decode-track.ts";
import type { MediaTrack, PacketHead } from "../container/media-track.ts";

/** The parts of a track of video that are presented, in ticks: its edit list, or all of it. */
export function presentedTicks({ edits }: Pick<MediaTrack, "edits">): readonly PresentedPart[] {
  return edits.length === 0
    ? [{ start: 0, frames: null }]
    : edits.map(({ start, duration }) => ({ start, frames: duration }));
}

/**
 * The tick of the media that is presented at a tick of the presentation. In a pause it is the last one before it, or where there is
 * none the first one after it; past the end it is the last one.
 */
export function mediaTickAt(parts: readonly PresentedPart[], tick: number): number {
  let at = 0;
  let shown: number | undefined;
  for (const { start, frames } of parts) {
    const end = frames === null ? Number.POSITIVE_INFINITY : at + frames;
    if (start !== null) {
      if (tick < end) {
        return tick < at ? (shown ?? start) : start + tick - at;
      }
      shown = start + (frames ?? 1) - 1;
    } else if (tick < end && shown !== undefined) {
      return shown;
    }
    at = end;
  }
  return shown ?? 0;
}

/** A picture of a track by its packet. */
export interface FoundPicture {
  /** Position of its packet in decoding order. */
  readonly index: number;
  readonly pts: number;
  /** The packet from which it is decoded: a key packet that is presented no later. */
  readonly key: { readonly index: number; readonly dts: number };
}

/**
 * Finds pictures while the packets of a track go by in decoding order. Pictures that are decoded after a key packet and
 * presented before it are predicted from the key packet before that one, as in open groups; those that have none cannot be decoded and do
 * not count.
 */
export class PictureFinder {
  readonly #tick: number;
  readonly #onlyKeys: boolean;
  #index = 0;
  /** The last key packets, the latest last. */
  #keys: { readonly index: number; readonly dts: number; readonly pts: number }[] = [];
  #last: FoundPicture | undefined;
  #first: FoundPicture | undefined;

  /** Searches for the last picture at or before a tick of the media. */
  constructor(tick: number, onlyKeys: boolean) {
    this.#tick = tick;
    this.#onlyKeys = onlyKeys;
  }

  add({ dts, pts, isKey }: Pick<PacketHead, "dts" | "pts" | "isKey">, isShown = true): void {
    const index = this.#index++;
    if (isKey) {
      this.#keys = [...this.#keys.slice(-1), { index, dts, pts }];
    }
    const key = this.#keys.findLast((one) => one.pts <= pts);
    if (key === undefined || !isShown || (this.#onlyKeys && !isKey)) {
      return;
    }
    const found = { index, pts, key };
    if (pts <= this.#tick && (this.#last === undefined || pts >= this.#last.pts)) {
      this.#last = found;
    }
    if (this.#first === undefined || pts < this.#first.pts) {
      this.#first = found;
    }
  }

  /** The picture, or the first one where all are later; undefined in a track without one. */
  get found(): FoundPicture | undefined {
    return this.#last ?? this.#first;
  }
}
