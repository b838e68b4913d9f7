import type { EncodedSound, PacketEncoder } from "../../codec/codec.ts";
import type { MediaSink } from "../media-sink.ts";
import type { PacketWriter } from "../packet-writer.ts";
import { vorbisComment } from "../vorbis-comment.ts";

const STREAM_INFO = 0;
const VORBIS_COMMENT = 4;
const LAST_BLOCK = 0x80;
/** After the four letters and the head of the block. */
const STREAM_INFO_AT = 8;

/** Writes native FLAC. STREAMINFO gets its number of frames, sizes and MD5 at the end. */
export class FlacWriter implements PacketWriter {
  readonly #sink: MediaSink;
  readonly #encoder: Pick<PacketEncoder, "config">;
  #hasHead = false;

  constructor(sink: MediaSink, encoder: Pick<PacketEncoder, "config">) {
    this.#sink = sink;
    this.#encoder = encoder;
  }

  async add({ data }: EncodedSound): Promise<void> {
    if (!this.#hasHead) {
      this.#hasHead = true;
      await this.#sink.append(this.#head());
    }
    await this.#sink.append(data);
  }

  end(): Promise<void> {
    this.#sink.patch(STREAM_INFO_AT, this.#encoder.config);
    return Promise.resolve();
  }

  #head(): Uint8Array {
    const info = this.#encoder.config;
    const comment = vorbisComment();
    const head = new Uint8Array(STREAM_INFO_AT + info.byteLength + 4 + comment.byteLength);
    head.set(new TextEncoder().encode("fLaC"));
    head.set([STREAM_INFO, 0, 0, info.byteLength], 4);
    head.set(info, STREAM_INFO_AT);
    const second = STREAM_INFO_AT + info.byteLength;
    head.set([VORBIS_COMMENT | LAST_BLOCK, 0, 0, comment.byteLength], second);
    head.set(comment, second + 4);
    return head;
  }
}
