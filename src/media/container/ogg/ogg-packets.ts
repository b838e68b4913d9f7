import type { ByteWindow } from "../byte-window.ts";
import { PACKET_BYTES_MAX } from "../media-caps.ts";
import { unreadableMedia } from "../media-error.ts";
import { chainedOgg, type OggPage, oggPages } from "./ogg-pages.ts";

export interface OggPacket {
  readonly data: Uint8Array;
  /** Position on the packet's page if it is the last one that ends there. */
  readonly granule: number | null;
  /** It lies on the page that ends the stream, as the last packet. */
  readonly isLast: boolean;
  readonly isDamaged: boolean;
  /** Pages missing since the packet before. */
  readonly lostPages: number;
  /** Where the page lies on which it ends. */
  readonly pageAt: number;
}

/** Pages that may be missing in one place. */
const LOST_MAX = 100_000;

/**
 * The packets of one stream. Throws NodeError `MEDIA_UNREADABLE` if another stream follows its end: the length of chained
 * streams is unknown.
 */
export async function* oggPackets(window: ByteWindow, serial: number): AsyncGenerator<OggPacket> {
  const assembler = new PacketAssembler();
  let hasOther = false;
  for await (const page of oggPages(window)) {
    if (page.isFirst && hasOther && !page.isDamaged) {
      throw chainedOgg();
    }
    hasOther ||= !page.isFirst;
    if (page.serial === serial) {
      yield* assembler.add(page);
    }
  }
}

/** Joins the segments of pages to packets. */
class PacketAssembler {
  /** Number of the next page. */
  #expected: number | undefined;
  /** The begin of a packet that ends on a later page. */
  #parts: Uint8Array[] = [];
  #partsDamaged = false;
  #lostPages = 0;

  *add(page: OggPage): Generator<OggPacket> {
    if (page.isDamaged && page.sequence !== this.#expected) {
      // Its number may be as wrong as its content.
      return;
    }
    this.#countLost(page);
    const { segments, data } = page;
    const lastEnd = segments.findLastIndex((size) => size < 255);
    // The rest of a packet whose begin is missing.
    let isSkipped = page.isContinued && this.#parts.length === 0;
    let from = 0;
    let to = 0;
    for (const [index, size] of segments.entries()) {
      to += size;
      if (size === 255) {
        continue;
      }
      if (!isSkipped) {
        yield this.#packet(page, data.subarray(from, to), index === lastEnd);
      }
      isSkipped = false;
      [this.#parts, this.#partsDamaged] = [[], false];
      from = to;
    }
    if (lastEnd !== segments.length - 1 && !isSkipped) {
      this.#hold(page, data.slice(from));
    }
  }

  #packet(page: OggPage, end: Uint8Array, isLastHere: boolean): OggPacket {
    const lostPages = this.#lostPages;
    this.#lostPages = 0;
    return {
      data: this.#parts.length === 0 ? end : joined([...this.#parts, end]),
      granule: isLastHere ? page.granule : null,
      isLast: isLastHere && page.isLast,
      isDamaged: this.#partsDamaged || page.isDamaged,
      lostPages,
      pageAt: page.at,
    };
  }

  #countLost(page: OggPage): void {
    const missing = this.#expected === undefined ? 0 : (page.sequence - this.#expected) >>> 0;
    // A number that runs backwards counts as one that is missing.
    this.#lostPages += missing > LOST_MAX ? 1 : missing;
    const isBroken = !page.isContinued && this.#parts.length > 0;
    this.#lostPages += isBroken && missing === 0 ? 1 : 0;
    if (missing > 0 || isBroken) {
      [this.#parts, this.#partsDamaged] = [[], false];
    }
    this.#expected = (page.sequence + 1) >>> 0;
  }

  #hold(page: OggPage, part: Uint8Array): void {
    this.#parts.push(part);
    this.#partsDamaged ||= page.isDamaged;
    if (this.#parts.reduce((sum, { length }) => sum + length, 0) > PACKET_BYTES_MAX) {
      throw unreadableMedia("has a packet of more than 32 MiB. Encode it again.");
    }
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The first page of each stream of a file; all of them come before other pages. */
export async function firstOggPages(window: ByteWindow, count: number): Promise<OggPage[]> {
  const pages: OggPage[] = [];
  for await (const page of oggPages(window)) {
    if (!page.isFirst) {
      break;
    }
    if (pages.length === count) {
      throw unreadableMedia(`has more than ${count} streams. Remove the others.`);
    }
    pages.push({ ...page, data: page.data.slice() });
  }
  return pages;
}
