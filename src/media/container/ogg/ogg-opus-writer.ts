import type { EncodedSound, PacketEncoder } from "../../codec/codec.ts";
import type { MediaSink } from "../media-sink.ts";
import type { PacketWriter } from "../packet-writer.ts";
import { vorbisComment } from "../vorbis-comment.ts";
import { SEGMENTS_MAX, segmentsOf, writeOggPage } from "./ogg-page.ts";

/** One stream in a file, whose number therefore means nothing; a constant makes equal sounds equal files. */
const SERIAL = 1;
/** Frames of a page: a second, as RFC 7845 (6) recommends at most. */
const PAGE_FRAMES = 48_000;

/**
 * Writes Opus in Ogg (RFC 7845). OpusHead has the pre-skip, and the position of the last page states the end, so that a
 * player presents exactly the frames that were written.
 */
export class OggOpusWriter implements PacketWriter {
  readonly #sink: MediaSink;
  readonly #encoder: PacketEncoder;
  /** Of the page that is being filled; the last one is written at the end. */
  #packets: EncodedSound[] = [];
  #segments = 0;
  #pageFrames = 0;
  /** Position at the start of that page. */
  #granule = 0;
  #sequence = 0;

  constructor(sink: MediaSink, encoder: PacketEncoder) {
    this.#sink = sink;
    this.#encoder = encoder;
  }

  async add(packet: EncodedSound): Promise<void> {
    if (this.#sequence === 0) {
      await this.#writeHead();
    }
    const segments = segmentsOf(packet.data.byteLength);
    if (
      this.#segments + segments > SEGMENTS_MAX ||
      this.#pageFrames + packet.frames > PAGE_FRAMES
    ) {
      await this.#writePage(this.#granule + this.#pageFrames, false);
    }
    this.#packets.push(packet);
    this.#segments += segments;
    this.#pageFrames += packet.frames;
  }

  async end(frames: number): Promise<void> {
    const end = this.#encoder.priming + frames;
    const beyond = this.#granule + this.#pageFrames - end;
    if (beyond < 0 || beyond >= (this.#packets.at(-1)?.frames ?? 0)) {
      throw new Error("The Opus encoder did not give as many frames as it was given.");
    }
    await this.#writePage(end, true);
  }

  async #writeHead(): Promise<void> {
    const magic = new TextEncoder().encode("OpusTags");
    const comment = vorbisComment();
    const tags = new Uint8Array(magic.byteLength + comment.byteLength);
    tags.set(magic);
    tags.set(comment, magic.byteLength);
    for (const data of [this.#encoder.config, tags]) {
      this.#packets = [{ data, frames: 0 }];
      await this.#writePage(0, false);
    }
  }

  async #writePage(granule: number, isLast: boolean): Promise<void> {
    const page = writeOggPage({
      packets: this.#packets.map(({ data }) => data),
      granule,
      sequence: this.#sequence,
      serial: SERIAL,
      isFirst: this.#sequence === 0,
      isLast,
    });
    this.#sequence++;
    this.#granule = granule;
    this.#packets = [];
    this.#segments = 0;
    this.#pageFrames = 0;
    await this.#sink.append(page);
  }
}
