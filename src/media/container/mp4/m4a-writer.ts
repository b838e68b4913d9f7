import { NodeError } from "../../../lib/errors/node-error.ts";
import type { SoundShape } from "../../audio-block.ts";
import type { EncodedSound, PacketEncoder } from "../../codec/codec.ts";
import { GrowingNumbers } from "../growing-numbers.ts";
import { type MediaSink, PATCHED_BYTES_MAX } from "../media-sink.ts";
import type { PacketWriter } from "../packet-writer.ts";
import { m4aFileType, m4aHeader, type M4aTrack } from "./m4a-header.ts";
import { box, boxHead } from "./write-box.ts";

/** Packets of this size in all are kept before the size of `moov` is guessed: about two minutes of stereo. */
const HELD_BYTES_MAX = 2 * 1024 * 1024;
/** Longest sound that a node makes; the guess where no bound is known. */
const UNKNOWN_SECONDS = 3_600;
/** About a second of sound. */
const CHUNK_PACKETS = 48;
const BOX_HEAD_BYTES = 8;
/** A last chunk that is shorter than the others is described apart. */
const SECOND_RUN_BYTES = 12;

/**
 * Writes M4A with `moov` before the sound, without a second copy of it: a small file is kept until its end; of others a
 * part of the beginning is left free, and `moov` is written there at the end. What remains of it is a box `free`.
 */
export class M4aWriter implements PacketWriter {
  readonly #sink: MediaSink;
  readonly #encoder: PacketEncoder;
  readonly #shape: SoundShape;
  readonly #packetsMax: number;
  readonly #sizes = new GrowingNumbers();
  #held: Uint8Array[] = [];
  #dataBytes = 0;
  /** Bytes that are free for `moov`; undefined while packets are kept. */
  #reserved: number | undefined;

  constructor(
    sink: MediaSink,
    encoder: PacketEncoder,
    shape: SoundShape,
    framesMax: number | undefined,
  ) {
    this.#sink = sink;
    this.#encoder = encoder;
    this.#shape = shape;
    const frames = framesMax ?? UNKNOWN_SECONDS * shape.sampleRate;
    // The packet before the first sample, the one that it ends in, and one that an encoder may add.
    this.#packetsMax = Math.ceil((frames + encoder.priming) / encoder.frameSize) + 2;
  }

  async add({ data }: EncodedSound): Promise<void> {
    this.#sizes.push(data.byteLength);
    this.#dataBytes += data.byteLength;
    if (this.#reserved !== undefined) {
      this.#check();
      await this.#sink.append(data);
      return;
    }
    this.#held.push(data);
    if (this.#dataBytes > HELD_BYTES_MAX) {
      await this.#reserve();
    }
  }

  async end(frames: number): Promise<void> {
    const type = m4aFileType();
    const size = m4aHeader(this.#track(frames, 0)).byteLength;
    if (this.#reserved === undefined) {
      const dataAt = type.byteLength + size + BOX_HEAD_BYTES;
      await this.#sink.append(type);
      await this.#sink.append(m4aHeader(this.#track(frames, dataAt)));
      await this.#sink.append(boxHead("mdat", BOX_HEAD_BYTES + this.#dataBytes));
      await this.#appendHeld();
      return;
    }
    const free = this.#reserved - size;
    const dataAt = type.byteLength + this.#reserved + BOX_HEAD_BYTES;
    this.#sink.patch(type.byteLength, m4aHeader(this.#track(frames, dataAt)));
    this.#sink.patch(type.byteLength + size, boxHead("free", free));
    this.#sink.patch(dataAt - BOX_HEAD_BYTES, boxHead("mdat", BOX_HEAD_BYTES + this.#dataBytes));
  }

  async #reserve(): Promise<void> {
    this.#check();
    const type = m4aFileType();
    const largest = { ...this.#track(0, 0), sizes: new Uint32Array(this.#packetsMax) };
    // Fewer packets can need a second run, and the box `free` has at least its head.
    this.#reserved = m4aHeader(largest).byteLength + SECOND_RUN_BYTES + BOX_HEAD_BYTES;
    if (type.byteLength + this.#reserved + BOX_HEAD_BYTES > PATCHED_BYTES_MAX) {
      throw tooLong();
    }
    await this.#sink.append(type);
    await this.#sink.append(box("free", new Uint8Array(this.#reserved - BOX_HEAD_BYTES)));
    await this.#sink.append(boxHead("mdat", BOX_HEAD_BYTES));
    await this.#appendHeld();
  }

  async #appendHeld(): Promise<void> {
    const held = this.#held;
    this.#held = [];
    for (const data of held) {
      await this.#sink.append(data);
    }
  }

  #check(): void {
    if (this.#sizes.count > this.#packetsMax) {
      throw tooLong();
    }
  }

  #track(frames: number, dataAt: number): M4aTrack {
    const { priming, frameSize, config } = this.#encoder;
    return {
      sampleRate: this.#shape.sampleRate,
      channels: this.#shape.channels,
      config,
      packetFrames: frameSize,
      sizes: this.#sizes.all(),
      chunkPackets: CHUNK_PACKETS,
      dataAt,
      priming,
      frames,
    };
  }
}

function tooLong(): NodeError {
  return new NodeError(
    "MEDIA_TOO_LONG",
    `The sound is longer than the header of an M4A has room for: ${UNKNOWN_SECONDS} s where the length of an input is not known. Write another format, or split the sound.`,
  );
}
