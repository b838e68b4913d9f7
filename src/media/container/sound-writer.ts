import type { SoundFormat } from "../../contracts/media/sound-formats.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import type { AudioBlock, SoundShape } from "../audio-block.ts";
import type { EncodedSound, PacketEncoder } from "../codec/codec.ts";
import type { IntegerDepth } from "../dsp/rounding.ts";
import { FlacWriter } from "./flac/flac-writer.ts";
import { LimitedSink, OUTPUT_BYTES_MAX } from "./limited-sink.ts";
import type { MediaSink } from "./media-sink.ts";
import { M4aWriter } from "./mp4/m4a-writer.ts";
import { Mp3Writer } from "./mp3/mp3-writer.ts";
import { OggOpusWriter } from "./ogg/ogg-opus-writer.ts";
import type { PacketWriter } from "./packet-writer.ts";
import { WavWriter } from "./wav/wav-writer.ts";

/** Makes the encoders that a Worker has; the Worker passes the compiled wasm to them. */
export interface SoundEncoders {
  /** samples.wasm, with which WAV is written. */
  readonly samples: WebAssembly.Module;
  flac(shape: SoundShape, depth: IntegerDepth): PacketEncoder;
  mp3(shape: SoundShape, bitrateKbps: number): PacketEncoder;
  aac(shape: SoundShape, bitrateKbps: number): PacketEncoder;
  opus(shape: SoundShape, bitrateKbps: number): PacketEncoder;
}

/** A complete sound in the sink. */
export interface WrittenSound {
  readonly frames: number;
  readonly sizeBytes: number;
  /** As `SoundInfo.codec` names it. */
  readonly codec: "pcm_s16" | "pcm_s24" | "pcm_f32" | "flac" | "mp3" | "aac" | "opus";
}

/** Writes a sound to a sink. */
export interface SoundWriter {
  /** The block has the rate and the channels of the format. */
  write(block: AudioBlock): Promise<void>;
  /** Completes the file; the sink must still be ended. Throws NodeError `MEDIA_EMPTY` if nothing was written. */
  end(): Promise<WrittenSound>;
  /** Memory of the encoder, without the sink. */
  readonly memoryBytes: number;
}

/**
 * A writer for a format whose properties are all decided (`resolveFormat`). `framesMax` is an upper bound of the frames
 * that will be written, where it is known: an M4A then has no more room for its header than it needs. `write` and `end`
 * throw NodeError `FILE_TOO_LARGE` for a file of more than 2 GiB, and `MEDIA_TOO_LONG` for an M4A with more packets
 * than its header has room for.
 */
export function createSoundWriter(
  format: SoundFormat,
  sink: MediaSink,
  encoders: SoundEncoders,
  framesMax?: number,
): SoundWriter {
  const limited = new LimitedSink(sink, tooLargeSound);
  if (format.format === "wav") {
    return new PcmSoundWriter(new WavWriter(limited, format, encoders.samples), limited, format);
  }
  const encoder = encoderFor(format, encoders);
  return new EncodedSoundWriter(
    encoder,
    packetWriter(format, limited, encoder, framesMax),
    limited,
    CODECS[format.format],
  );
}

const CODECS = { flac: "flac", mp3: "mp3", m4a: "aac", ogg: "opus" } as const;

function encoderFor(format: SoundFormat, encoders: SoundEncoders): PacketEncoder {
  const { bitDepth, bitrateKbps } = format;
  if (format.format === "flac") {
    return encoders.flac(format, bitDepth === 24 ? 24 : 16);
  }
  if (bitrateKbps === null) {
    throw new RangeError(`${format.format} needs a bit rate.`);
  }
  const { format: name } = format;
  return encoders[name === "mp3" ? "mp3" : name === "m4a" ? "aac" : "opus"](format, bitrateKbps);
}

function packetWriter(
  format: SoundFormat,
  sink: MediaSink,
  encoder: PacketEncoder,
  framesMax: number | undefined,
): PacketWriter {
  switch (format.format) {
    case "flac":
      return new FlacWriter(sink, encoder);
    case "mp3":
      return new Mp3Writer(sink, encoder);
    case "m4a":
      return new M4aWriter(sink, encoder, format, framesMax);
    default:
      return new OggOpusWriter(sink, encoder);
  }
}

class PcmSoundWriter implements SoundWriter {
  readonly memoryBytes = 0;
  readonly #writer: WavWriter;
  readonly #sink: MediaSink;
  readonly #format: SoundFormat;

  constructor(writer: WavWriter, sink: MediaSink, format: SoundFormat) {
    this.#writer = writer;
    this.#sink = sink;
    this.#format = format;
  }

  async write(block: AudioBlock): Promise<void> {
    await this.#writer.write(block);
  }

  async end(): Promise<WrittenSound> {
    const frames = present(await this.#writer.end());
    const { bitDepth } = this.#format;
    const codec = bitDepth === 32 ? "pcm_f32" : bitDepth === 24 ? "pcm_s24" : "pcm_s16";
    return { frames, sizeBytes: this.#sink.sizeBytes, codec };
  }
}

class EncodedSoundWriter implements SoundWriter {
  readonly #encoder: PacketEncoder;
  readonly #writer: PacketWriter;
  readonly #sink: MediaSink;
  readonly #codec: WrittenSound["codec"];
  #frames = 0;
  #packetFrames = 0;

  constructor(
    encoder: PacketEncoder,
    writer: PacketWriter,
    sink: MediaSink,
    codec: WrittenSound["codec"],
  ) {
    this.#encoder = encoder;
    this.#writer = writer;
    this.#sink = sink;
    this.#codec = codec;
  }

  get memoryBytes(): number {
    return this.#encoder.memoryBytes;
  }

  async write(block: AudioBlock): Promise<void> {
    this.#frames += block[0]?.length ?? 0;
    for (const packet of this.#encoder.encode(block)) {
      await this.#add(packet);
    }
  }

  async end(): Promise<WrittenSound> {
    const frames = present(this.#frames);
    for (const packet of this.#encoder.end()) {
      // A page of Ogg can end within its last packet, not before it. The frames of layer III need those after them.
      if (this.#codec !== "opus" || this.#packetFrames < this.#encoder.priming + frames) {
        await this.#add(packet);
      }
    }
    await this.#writer.end(frames);
    this.#encoder.close();
    return { frames, sizeBytes: this.#sink.sizeBytes, codec: this.#codec };
  }

  async #add(packet: EncodedSound): Promise<void> {
    this.#packetFrames += packet.frames;
    await this.#writer.add(packet);
  }
}

function present(frames: number): number {
  if (frames === 0) {
    throw new NodeError(
      "MEDIA_EMPTY",
      "The sound that would be written has no sample. Send sounds that have one.",
    );
  }
  return frames;
}

/** The error for a sound of more than 2 GiB. */
export function tooLargeSound(): NodeError {
  return new NodeError(
    "FILE_TOO_LARGE",
    `The sound would have more than ${OUTPUT_BYTES_MAX} bytes. Write a lossy format, fewer channels or a lower rate, or split the sound first.`,
  );
}
