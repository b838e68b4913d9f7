import { asNodeError } from "../../domain/datasets/as-node-error.ts";
import {
  type SoundFormat,
  SOUND_FORMAT_ENTRIES,
  type SoundParameters,
} from "../../contracts/sound-formats.ts";
import type { FileRef } from "../../lib/file-ref.ts";
import type { AudioBlock } from "../../media/audio-block.ts";
import { openSound, type SoundInfo, type SoundReader } from "../../media/container/open-sound.ts";
import { createSoundWriter, type WrittenSound } from "../../media/container/sound-writer.ts";
import { convertSound } from "../../media/dsp/convert-sound.ts";
import {
  type OverloadAttempt,
  type WithoutOverload,
  writeWithoutOverload,
} from "../../media/dsp/overload.ts";
import { resolveFormat } from "../../media/format/resolve-format.ts";
import type { TaskFiles } from "../shared/node-context.ts";
import { SOUND_CODECS, SOUND_ENCODERS } from "./sound-codecs.ts";

/** A file that was written, and what is in it. */
export interface StoredSound {
  readonly file: FileRef;
  readonly written: WrittenSound;
}

/** An input that is open, with the number of frames that a player presents. */
export interface OpenInput {
  readonly port: string;
  readonly reader: SoundReader;
  readonly info: SoundInfo;
  /** In the input's own rate. */
  readonly frames: number;
}

/**
 * The sounds that one call of a tool reads and writes. Inputs are read by ranges, results are written in parts; what is
 * open is closed when the call ends, on every path.
 */
export class SoundFiles {
  readonly #files: TaskFiles;
  readonly signal: AbortSignal;
  readonly #open: SoundReader[] = [];

  private constructor(files: TaskFiles, signal: AbortSignal) {
    this.#files = files;
    this.signal = signal;
  }

  /** Runs `work`. Errors of the store become NodeErrors. */
  static async use<T>(
    { files, signal }: { readonly files: TaskFiles; readonly signal: AbortSignal },
    work: (sounds: SoundFiles) => Promise<T>,
  ): Promise<T> {
    const sounds = new SoundFiles(files, signal);
    try {
      return await work(sounds);
    } catch (error) {
      throw asNodeError(error);
    } finally {
      for (const reader of sounds.#open) {
        reader.close();
      }
    }
  }

  async open(file: FileRef): Promise<SoundReader> {
    const reader = await openSound(await this.#files.open(file), SOUND_CODECS);
    this.#open.push(reader);
    return reader;
  }

  /** Opens inputs of a port, in order. Where a header does not have the length, the sound is decoded to count. */
  async inputs(port: string, files: readonly FileRef[]): Promise<readonly OpenInput[]> {
    const opened: OpenInput[] = [];
    for (const file of files) {
      const reader = await this.open(file);
      const { info } = reader;
      opened.push({ port, reader, info, frames: info.frames ?? (await this.#count(reader)) });
    }
    return opened;
  }

  async #count(reader: SoundReader): Promise<number> {
    let frames = 0;
    for await (const block of reader.blocks(this.signal)) {
      frames += block[0]?.length ?? 0;
    }
    return frames;
  }

  /** The samples of an input in the rate and the channels of a format. */
  convert({ reader, info }: Pick<OpenInput, "reader" | "info">, format: SoundFormat) {
    return convertSound(reader.blocks(this.signal), info, format);
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
    const { signal } = this;
    const file = this.#files.beginMedia(
      `${name}.${format.format}`,
      SOUND_FORMAT_ENTRIES[format.format].contentType,
    );
    const writer = createSoundWriter(format, file, SOUND_ENCODERS, framesMax);
    return {
      async write(block) {
        signal.throwIfAborted();
        await writer.write(block);
      },
      async end() {
        const written = await writer.end();
        return { file: await file.end(), written };
      },
      abort: () => file.abort(),
    };
  }

  /** Writes a sum, turned down as a whole where its peak would exceed full scale. */
  async writeSum(
    format: SoundFormat,
    sum: () => AsyncIterable<AudioBlock>,
    framesMax: number,
  ): Promise<WithoutOverload<StoredSound>> {
    return await writeWithoutOverload(sum, () => this.begin("audio", format, framesMax));
  }
}

/** The form of a result of these inputs. */
export function formatFor(
  { format, bitrate_kbps, bit_depth, sample_rate, channels }: SoundParameters,
  inputs: readonly OpenInput[],
): SoundFormat {
  return resolveFormat(
    { format, bitrate_kbps, bit_depth, sample_rate, channels },
    inputs.map(({ info }) => info),
  );
}

/** Frames of an input once it has the rate of a format. */
export function framesIn({ frames, info }: OpenInput, { sampleRate }: SoundFormat): number {
  return Math.round((frames * sampleRate) / info.sampleRate);
}
