import type {
  Edit,
  MediaPacket,
  PacketHead,
  PictureTrack,
  SoundTrack,
  TrackDescription,
} from "./media-track.ts";

/** How the packets of a track are coded. */
export interface MovieCoding {
  /** "h264", "aac", "pcm_s16" …; "tx3g" and "webvtt" for text. */
  readonly codec: string;
  /** As in `MediaTrack`. */
  readonly config: Uint8Array;
  readonly sound: SoundTrack | null;
  readonly picture: PictureTrack | null;
  /**
   * How the source describes the track. A container of the same family keeps it to the byte; otherwise the description is
   * made from the other fields.
   */
  readonly description: TrackDescription | null;
}

/** One track of a movie that is written. Its packets are written as they are, in the order in which they come. */
export interface MovieTrack extends MovieCoding {
  readonly kind: "video" | "sound" | "text";
  /** Ticks in a second, of all times of the track. */
  readonly timeScale: number;
  /** Three letters of ISO 639-2. */
  readonly language: string;
  /** A player selects the track without being asked: "enabled" in MP4 and MOV, FlagDefault in WebM. */
  readonly isDefault: boolean;
  /**
   * What is presented of the track, in its own ticks; empty for all of it, with tick 0 at the start of the movie. A `duration`
   * of null reaches to the end of the last packet. Only MP4, MOV and M4A have edits: times in a WebM are those
   * at which the packets are presented, and sound is trimmed by `sound.trim.skip` and by `discardFrames` of its packets.
   */
  readonly edits: readonly Edit[];
  /**
   * Heads of exactly the packets that `packets` returns, for MP4, MOV and M4A, whose tables stand before the data. Without it
   * the packets are made while the movie is written, and `packetsMax` reserves room for their tables.
   */
  readonly heads?: (() => AsyncIterable<PacketHead> | Iterable<PacketHead>) | undefined;
  /** At most so many packets come. Needed where `heads` is absent; ignored by WebM. */
  readonly packetsMax?: number | undefined;
  /**
   * In decoding order; `dts` never falls and the first one is 0 or more. Called once. In MP4, MOV and M4A a packet lasts up to
   * the `dts` of the next one, and the last one for its own `duration`. `data` is used before the next packet is requested.
   */
  packets(): AsyncIterable<MediaPacket>;
}

/** A movie that is complete in the sink, which must still be ended. */
export interface WrittenMovie {
  readonly sizeBytes: number;
  /** The tables stand before the data; null for WebM. */
  readonly faststart: boolean | null;
}
