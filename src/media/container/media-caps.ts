import { LIMITS } from "../../lib/limits/limits-table.ts";
import { unreadableMedia } from "./media-error.ts";

/** Caps that a file meets before a parser allocates memory (docs/contract/media.md). */
export const TRACKS_MAX = LIMITS.media_tracks.value;
export const PACKETS_MAX = LIMITS.media_packets.value;
const HEADER_BYTES_MAX = LIMITS.media_header.value;
export const DEPTH_MAX = LIMITS.media_depth.value;
export const PIXELS_MAX = LIMITS.video_pixels.value;
export const PACKET_BYTES_MAX = LIMITS.media_packet.value;

/** Counts the bytes of a header. Throws NodeError `MEDIA_UNREADABLE` beyond the limit. */
export class HeaderBudget {
  #bytes = 0;

  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > HEADER_BYTES_MAX) {
      throw unreadableMedia("has a header of more than 32 MiB. Remove its pictures and notes.");
    }
  }
}

/** Counts packets. Throws NodeError `MEDIA_UNREADABLE` beyond the limit. */
export class PacketBudget {
  #count = 0;

  add(packets: number): void {
    this.#count += packets;
    if (this.#count > PACKETS_MAX) {
      throw unreadableMedia("has more than 2,000,000 packets in one track. Split it.");
    }
  }
}
