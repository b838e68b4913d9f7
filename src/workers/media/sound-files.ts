import convolve from "../../media/dsp/convolve.wasm";
import { asNodeError } from "../../domain/datasets/as-node-error.ts";
import {
  type SoundFormat,
  SOUND_FORMAT_ENTRIES,
  type SoundParameters,
} from "../../contracts/media/sound-formats.ts";
import type { ByteSource } from "../../lib/files/byte-source.ts";
import type { FileRef } from "../../lib/files/file-ref.ts";
import { MemorySource } from "../../lib/files/memory-source.ts";
import type { AudioBlock } from "../../media/audio-block.ts";
import type { MediaSink } from "../../media/container/media-sink.ts";
import { openSound, type SoundInfo, type SoundReader } from "../../media/container/open-sound.ts";
import { createSoundWriter, type WrittenSound } from "../../media/container/sound-writer.ts";
import { BlockCutter } from "../../media/cutting/cut-blocks.ts";
import { convertSound } from "../../media/dsp/convert-sound.ts";
import {
  type OverloadAttempt,
  type WithoutOverload,
  writeWithoutOverload,
} from "../../media/dsp/overload.ts";
import { resolveFormat } from "../../media/format/resolve-format.ts";
import type { TaskFiles } from "../shared/node-context.ts";
import { ReadAhead } from "./read-ahead.ts";
import { SOUND_CODECS, SOUND_ENCODERS } from "./sound-codecs.ts";
import { WorkTurns } from "./work-turns.ts";

/** A file that was written, and what is in it. */
export interface StoredSound {
  readonly file: FileRef;
  readonly written: WrittenSound;
}

/** An input, with the number of frames that a player presents. */
export interface SoundInput {
  readonly port: string;
  readonly file: FileRef;
  readonly info: SoundInfo;
  /** In the input's own rate. */
  readonly frames: number;
  /** Packets that became silence when it was last decoded to its end. */
  decodeErrors: number;
}

/** A pass over an input. */
export interface SoundPass {
  readonly blocks: AsyncGenerator<AudioBlock>;
  /** Throws NodeError `MEDIA_UNREADABLE` if too much of what was decoded so far failed. */
  check(): void;
  close(): void;
}

/** Sizes of the ranges in which inputs are read: a node with several may have a handful of them open. */
const RANGE_BYTES = 1024 * 1024;
const SMALL_RANGE_BYTES = 256 * 1024;
/** For the header of one of several WAVs: their samples are read later, and not a second time for it. */
const HEADER_RANGE_BYTES = 16 * 1024;
/** Of several files, one of at most so many bytes is one range when its samples are read. */
const WHOLE_RANGE_BYTES = 512 * 1024;
/** Several files of at most so many bytes together are read once, and stay in memory. */
const KEPT_BYTES_MAX = 4 * 1024 * 1024;

/**
 * The sounds that one call of a tool reads and writes. Inputs are read by ranges, and are open only while they are
 * decoded, because each holds its ranges, its tables and a decoder; results are written in parts.
 */
export class SoundFiles {
  readonly #files: TaskFiles;
  readonly signal: AbortSignal;
  readonly #turns: WorkTurns;
  /** Opened once each, because an input is read more than once and to open one may be a request. */
  readonly #sources = new Map<FileRef, Promise<ByteSource>>();
  #rangeBytes = RANGE_BYTES;
  #ahead: ReadAhead | undefined;

  private constructor(files: TaskFiles, signal: AbortSignal) {
    this.#files = files;
    this.signal = signal;
    this.#turns = new WorkTurns(signal);
  }

  /** Runs `work`. Errors of the store become NodeErrors. */
  static async use<T>(
    { files, signal }: { readonly files: TaskFiles; readonly signal: AbortSignal },
    work: (sounds: SoundFiles) => Promise<T>,
  ): Promise<T> {
    try {
      return await work(new SoundFiles(files, signal));
    } catch (error) {
      throw asNodeError(error);
    }
  }

  /** The bytes of a file, by ranges. */
  async source(file: FileRef): Promise<ByteSource> {
    const source = this.#sources.get(file) ?? this.#files.open(file);
    this.#sources.set(file, source);
    return await source;
  }

  /** A copy of a small file that is an R2 object by itself, so that its key may be part of a value. */
  async storeAsObject(file: FileRef): Promise<FileRef> {
    const bytes = await this.#files.read(file);
    return await this.#files.writeObject(file.name, file.contentType, bytes);
  }

  async #open(
    file: FileRef,
    maxSeconds?: number,
    blockBytes = this.#rangeBytes,
  ): Promise<SoundReader> {
    const source = await (this.#ahead?.take(file) ?? this.source(file));
    return await openSound(source, SOUND_CODECS, {
      blockBytes,
      ...(maxSeconds !== undefined && { maxSeconds }),
    });
  }

  /** Reads the header of a sound of at most so many seconds. */
  async inspect(file: FileRef, maxSeconds: number): Promise<SoundInfo> {
    const reader = await this.#open(file, maxSeconds);
    reader.close();
    return reader.info;
  }

  /** Reads the headers of the inputs of a port. Where a header does not have the length, the sound is decoded to count. */
  async inputs(port: string, files: readonly FileRef[]): Promise<readonly SoundInput[]> {
    const isSeveral = files.length > 1;
    if (isSeveral) {
      this.#rangeBytes = SMALL_RANGE_BYTES;
      this.#ahead = this.#headersAhead(files);
    }
    const inputs: SoundInput[] = [];
    for (const file of files) {
      const reader = await this.#open(file, undefined, isSeveral ? headerBytes(file) : undefined);
      try {
        const { info } = reader;
        let frames = info.frames ?? 0;
        if (info.frames === null) {
          for await (const block of this.#decoded(reader)) {
            frames += block[0]?.length ?? 0;
          }
        }
        inputs.push({ port, file, info, frames, decodeErrors: 0 });
      } finally {
        reader.close();
      }
    }
    if (isSeveral) {
      this.readInOrder(inputs);
    }
    return inputs;
  }

  /** Says in which order the samples of inputs will be read, so that files are requested before they are needed. */
  readInOrder(inputs: readonly SoundInput[]): void {
    this.#ahead = new ReadAhead(
      inputs.map(({ file }) => file),
      (file) => this.source(file),
      samplesBytes,
    );
  }

  #headersAhead(files: readonly FileRef[]): ReadAhead {
    const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    if (bytes > KEPT_BYTES_MAX) {
      return new ReadAhead(files, (file) => this.source(file), headerBytes);
    }
    const keep = async (file: FileRef) => {
      const source = await this.source(file);
      if (source.sizeBytes > file.sizeBytes) {
        // Larger than its reference says, by which the files are kept.
        return source;
      }
      const kept = new MemorySource(await source.read(0, source.sizeBytes), source.etag);
      this.#sources.set(file, Promise.resolve(kept));
      return kept;
    };
    return new ReadAhead(files, keep, ({ sizeBytes }) => sizeBytes);
  }

  /** An input of which only the header is read; `frames` is 0 where that does not have it. */
  async header(port: string, file: FileRef): Promise<SoundInput> {
    this.#rangeBytes = SMALL_RANGE_BYTES;
    const reader = await this.#open(file);
    const { info } = reader;
    reader.close();
    return { port, file, info, frames: info.frames ?? 0, decodeErrors: 0 };
  }

  /** The one input of a port, also as a list. */
  async input(port: string, file: FileRef): Promise<readonly [SoundInput]> {
    const [input] = await this.inputs(port, [file]);
    if (input === undefined) {
      throw new Error("An input was read and is not there.");
    }
    return [input];
  }

  async *#decoded(reader: SoundReader): AsyncGenerator<AudioBlock> {
    for await (const block of reader.blocks(this.signal)) {
      await this.#turns.add(block[0]?.length ?? 0);
      yield block;
    }
  }

  /** The samples of an input, from the beginning each time. */
  async *blocks(input: SoundInput): AsyncGenerator<AudioBlock> {
    const rangeBytes = this.#ahead === undefined ? undefined : samplesBytes(input.file);
    const reader = await this.#open(input.file, undefined, rangeBytes);
    try {
      yield* this.#decoded(reader);
      input.decodeErrors = reader.decodeErrors;
    } finally {
      reader.close();
    }
  }

  /** The frames of a part of an input, or as many of them as it has. What was decoded for them is checked. */
  async *part(input: SoundInput, from: number, to: number): AsyncGenerator<AudioBlock> {
    const pass = await this.beginPass(input);
    const cutter = new BlockCutter(pass.blocks);
    try {
      yield* cutter.take(from, to);
      pass.check();
    } finally {
      await cutter.close();
      pass.close();
    }
  }

  /** Begins to decode an input. The pass may end before the input does. */
  async beginPass(input: SoundInput): Promise<SoundPass> {
    const reader = await this.#open(input.file);
    return {
      blocks: this.#decoded(reader),
      check: () => {
        reader.checkDecoded();
      },
      close: () => {
        reader.close();
      },
    };
  }

  /** The same in the rate and the channels of a format. */
  convert(input: SoundInput, format: SoundFormat): AsyncGenerator<AudioBlock> {
    return this.converted(this.blocks(input), input, format);
  }

  /** The same for a part of an input. */
  converted(
    blocks: AsyncIterable<AudioBlock>,
    { info }: SoundInput,
    format: SoundFormat,
  ): AsyncGenerator<AudioBlock> {
    return convertSound(convolve, blocks, info, format);
  }

  /** Writes a sound of at most `framesMax` frames; `name` has no extension. */
  async write(
    name: string,
    format: SoundFormat,
    blocks: AsyncIterable<AudioBlock>,
    framesMax?: number,
  ): Promise<StoredSound> {
    const writing = this.begin(name, format, framesMax);
    try {
      for await (const block of blocks) {
        await writing.write(block);
      }
      return await writing.end();
    } catch (error) {
      await writing.abort();
      throw error;
    }
  }

  /** Begins such a file. Nothing of it is stored before `end`, nor after `abort`. */
  begin(name: string, format: SoundFormat, framesMax?: number): OverloadAttempt<StoredSound> {
    const turns = this.#turns;
    const file = this.#files.beginMedia(
      `${name}.${format.format}`,
      SOUND_FORMAT_ENTRIES[format.format].contentType,
    );
    const writer = createSoundWriter(format, file, SOUND_ENCODERS, framesMax);
    return {
      async write(block) {
        await turns.add(block[0]?.length ?? 0);
        await writer.write(block);
      },
      async end() {
        const written = await writer.end();
        return { file: await file.end(), written };
      },
      abort: () => file.abort(),
    };
  }

  /** Stores a file that `fill` writes into; `name` has its extension. Nothing of it is stored if this throws. */
  async store(
    name: string,
    contentType: string,
    fill: (sink: MediaSink) => Promise<unknown>,
  ): Promise<FileRef> {
    const file = this.#files.beginMedia(name, contentType);
    try {
      await fill(file);
      return await file.end();
    } catch (error) {
      await file.abort();
      throw error;
    }
  }

  /** Writes a sum, turned down as a whole where its peak would exceed full scale. */
  async writeSum(
    format: SoundFormat,
    sum: () => AsyncIterable<AudioBlock>,
    framesMax: number,
  ): Promise<WithoutOverload<StoredSound>> {
    return await writeWithoutOverload(SOUND_ENCODERS.samples, sum, () =>
      this.begin("audio", format, framesMax),
    );
  }
}

/** Bytes of a range in which the header of one of several sounds is read. */
function headerBytes({ contentType }: FileRef): number {
  return contentType === SOUND_FORMAT_ENTRIES.wav.contentType
    ? HEADER_RANGE_BYTES
    : SMALL_RANGE_BYTES;
}

/** The same for its samples. */
function samplesBytes({ sizeBytes }: FileRef): number {
  return sizeBytes <= WHOLE_RANGE_BYTES ? WHOLE_RANGE_BYTES : SMALL_RANGE_BYTES;
}

/** The form of a result of these inputs. */
export function formatFor(
  { format, bitrate_kbps, bit_depth, sample_rate, channels }: SoundParameters,
  inputs: readonly SoundInput[],
): SoundFormat {
  return resolveFormat(
    { format, bitrate_kbps, bit_depth, sample_rate, channels },
    inputs.map(({ info }) => info),
  );
}

/** Frames of an input once it has the rate of a format. */
export function framesIn({ frames, info }: SoundInput, { sampleRate }: SoundFormat): number {
  return Math.round((frames * sampleRate) / info.sampleRate);
}
