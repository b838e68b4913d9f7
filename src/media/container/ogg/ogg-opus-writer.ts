import type { EncodedSound, PacketEncoder } from "../../codec/codec.ts";
import type { MediaSink } from "../media-sink.ts";
import type { PacketWriter } from "../packet-writer.ts";
import { vorbisComment } from "../vorbis-comment.ts";
import { OggPacketWriter } from "./ogg-packet-writer.ts";

/** Frames of a page: a second, as RFC 7845 (6) recommends at most. */
const PAGE_FRAMES = 48_000;

/**
 * Writes Opus in Ogg (RFC 7845). OpusHead has the pre-skip, and the position of the last page states the end, so that a
 * player presents exactly the frames that were written.
 */
export class OggOpusWriter implements PacketWriter {
  readonly #pages: OggPacketWriter;
  readonly #priming: number;

  constructor(sink: MediaSink, { config, priming }: Pick<PacketEncoder, "config" | "priming">) {
    this.#priming = priming;
    this.#pages = new OggPacketWriter(sink, [[config], [opusTags()]], PAGE_FRAMES);
  }

  async add({ data, frames }: EncodedSound): Promise<void> {
    await this.#pages.add(data, frames);
  }

  async end(frames: number): Promise<void> {
    await this.#pages.end(this.#priming + frames);
  }
}

function opusTags(): Uint8Array {
  const magic = new TextEncoder().encode("OpusTags");
  const comment = vorbisComment();
  const tags = new Uint8Array(magic.byteLength + comment.byteLength);
  tags.set(magic);
  tags.set(comment, magic.byteLength);
  return tags;
}
