import type { SoundShape } from "../audio-block.ts";
import type { PcmLayout } from "./wav/pcm.ts";

export type ContainerName = "wav" | "mp3" | "flac" | "ogg" | "adts" | "mp4" | "mov" | "webm";

/** One packet of a track. */
export interface MediaPacket {
  /** Valid until the next packet is requested. */
  readonly data: Uint8Array;
  /** Time at which it is presented and at which it is decoded, in ticks of the track; before the edit list. */
  readonly pts: number;
  readonly dts: number;
  /** In ticks; 0 where the container does not state it. */
  readonly duration: number;
  readonly isKey: boolean;
  /** A checksum shows that the bytes are not those that were written. */
  readonly isDamaged?: boolean;
  /** Packets that are missing before this one, and the frames that they had. */
  readonly lost?: { readonly packets: number; readonly frames: number };
  /** Frames at the end of the packet that are not presented (Matroska's DiscardPadding). */
  readonly discardFrames?: number;
}

/** Size and times of a packet whose bytes are not read. */
export type PacketHead = Pick<MediaPacket, "dts" | "pts" | "duration" | "isKey"> & {
  readonly bytes: number;
};

/** One entry of an edit list (ISO/IEC 14496-12, section 8.6.6). */
export interface Edit {
  /** First tick of the track that is presented; null for a pause. */
  readonly start: number | null;
  /** In ticks; null up to the end of the track. */
  readonly duration: number | null;
}

/** The frames of a decoded track that are presented, where the container states them in frames. */
export interface SoundTrim {
  /** Frames at the start that are left out. */
  readonly skip: number;
  /** Frames that follow; null for all of them. */
  readonly frames: number | null;
}

export interface SoundTrack extends SoundShape {
  /** Bits of a sample, of PCM and lossless codecs. */
  readonly bitDepth: number | null;
  /** Null where `edits` apply. */
  readonly trim: SoundTrim | null;
  /** Frames of every packet; 0 if it varies or is unknown. */
  readonly packetFrames: number;
}

export interface PictureTrack {
  /** Coded size in pixels. */
  readonly width: number;
  readonly height: number;
  /** Clockwise, in degrees. */
  readonly rotation: 0 | 90 | 180 | 270;
  readonly pixelAspect: readonly [horizontal: number, vertical: number];
  /** The nine values of the transformation in a `tkhd`, which a copy keeps; empty in other containers. */
  readonly matrix: Uint8Array;
  /** The whole sample entry of an MP4 or MOV, which a copy keeps; empty in other containers. */
  readonly sampleEntry: Uint8Array;
}

/** How a container describes a track besides its codec. A copy into the same container keeps it to the byte. */
export type TrackDescription =
  | {
      /** QuickTime has other entries of sound; those of pictures are the same. */
      readonly container: "mp4" | "mov";
      /** The whole sample entry: codec, colors, pixel aspect, clean aperture. */
      readonly sampleEntry: Uint8Array;
      /** Version of the box `stsd`, which decides how an entry of sound is read. */
      readonly stsdVersion: number;
      /** Width and height at which the track is shown, as the 8 bytes of a `tkhd`, before its transformation. */
      readonly shownSize: Uint8Array;
    }
  | {
      readonly container: "webm";
      /** Content of the TrackEntry. */
      readonly trackEntry: Uint8Array;
    };

export interface PacketRange {
  /** Tick from which packets are wanted. Packets from the last key packet before it on are returned. */
  readonly from?: number;
}

export interface MediaTrack {
  /** The container's own number of the track. */
  readonly id: number;
  readonly kind: "sound" | "video" | "subtitles" | "other";
  /** "aac", "h264", "pcm_s16" …; null for one that is not read. */
  readonly codec: string | null;
  /** The codec as the container names it: four letters or an id, and a profile where that decides. */
  readonly codecId: string;
  /** Ticks in a second. */
  readonly timeScale: number;
  /** Ticks of all packets; null if unknown before the end. */
  readonly duration: number | null;
  /** Number of packets; null if unknown before the end. */
  readonly packetCount: number | null;
  /** Three letters of ISO 639-2. */
  readonly language: string;
  /** Configuration of the decoder: see `DecodedTrack` for sound; avcC, hvcC, vpcC, av1C or the CodecPrivate of a video. */
  readonly config: Uint8Array;
  readonly sound: SoundTrack | null;
  /** How the bytes of PCM are ordered; absent for other codecs. */
  readonly pcm?: PcmLayout | null;
  readonly picture: PictureTrack | null;
  /** Empty: the whole track is presented. */
  readonly edits: readonly Edit[];
  /** Null for containers of one sound. */
  readonly description: TrackDescription | null;
  /**
   * Reads tables that only this track needs and checks them. Throws NodeError `MEDIA_UNREADABLE` or `MEDIA_TRUNCATED`.
   * `packets` calls it too.
   */
  prepare(): Promise<void>;
  /**
   * Sizes and times of what `packets` returns, from tables, without the bytes. Absent where a container has none before its
   * packets.
   */
  heads?(range?: PacketRange): AsyncGenerator<PacketHead>;
  /** The packets in the order of their decoding. May be called again. */
  packets(range?: PacketRange): AsyncGenerator<MediaPacket>;
}

/** A container that was opened: tracks, and packets by ranges of the file. */
export interface OpenMedia {
  readonly container: ContainerName;
  readonly sizeBytes: number;
  readonly tracks: readonly MediaTrack[];
  /**
   * In seconds, as the header states it; null if it does not, and in a file with tracks besides the first ones of video and of
   * sound, because a header states the length of the longest track.
   */
  readonly seconds: number | null;
}
