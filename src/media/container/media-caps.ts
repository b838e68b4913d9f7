import { unreadableMedia } from "./media-error.ts";

/** Caps that a file meets before a parser allocates memory (docs/contract/media.md). */
export const TRACKS_MAX = 16;
export const PACKETS_MAX = 2_000_000;
export const HEADER_BYTES_MAX = 32 * 1024 * 1024;
export const DEPTH_MAX = 16;
export const PIXELS_MAX = 16_777_216;
/** A packet is held whole; an uncompressed picture of the largest size has 25 MB. */
export const PACKET_BYTES_MAX = 32 * 1024 * 1024;

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
