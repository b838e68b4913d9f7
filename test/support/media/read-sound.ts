import type { ByteSource } from "../../../src/lib/files/byte-source.ts";
import { MemorySource } from "../../../src/lib/files/memory-source.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";
import type { SoundCodecs } from "../../../src/media/codec/sound-codecs.ts";
import {
  openSound,
  type OpenSoundOptions,
  type SoundInfo,
} from "../../../src/media/container/open-sound.ts";

export interface ReadSound {
  readonly info: SoundInfo;
  readonly frames: number;
  /** The samples of each channel. */
  readonly planes: readonly Float32Array[];
  readonly decodeErrors: number;
}

/** Counts how a source is read. */
export class MeteredSource implements ByteSource {
  readonly sizeBytes: number;
  readonly etag = "metered";
  reads = 0;
  bytes = 0;
  readonly #source: ByteSource;

  constructor(source: ByteSource) {
    this.#source = source;
    this.sizeBytes = source.sizeBytes;
  }

  async read(from: number, to: number): Promise<Uint8Array> {
    this.reads++;
    this.bytes += to - from;
    return await this.#source.read(from, to);
  }

  stream(): Promise<ReadableStream<Uint8Array>> {
    throw new Error("Sound is read by ranges.");
  }
}

/** Reads a sound to its end. */
export async function readSound(
  file: Uint8Array | ByteSource,
  codecs: SoundCodecs,
  options?: OpenSoundOptions,
): Promise<ReadSound> {
  const source = file instanceof Uint8Array ? new MemorySource(file, "etag") : file;
  const reader = await openSound(source, codecs, options);
  const blocks: Float32Array[][] = [];
  let frames = 0;
  for await (const block of reader.blocks()) {
    blocks.push(block.map((plane) => plane.slice()));
    frames += block[0]?.length ?? 0;
  }
  const planes = Array.from({ length: reader.info.channels }, () => new Float32Array(frames));
  let at = 0;
  for (const block of blocks) {
    for (const [channel, plane] of block.entries()) {
      planes[channel]?.set(plane, at);
    }
    at += block[0]?.length ?? 0;
  }
  reader.close();
  return { info: reader.info, frames, planes, decodeErrors: reader.decodeErrors };
}

/** "read" or the code with which reading to the end fails. Other errors are thrown. */
export async function outcomeOf(
  file: Uint8Array | ByteSource,
  codecs: SoundCodecs,
  options?: OpenSoundOptions,
): Promise<string> {
  try {
    await readSound(file, codecs, options);
    return "read";
  } catch (error) {
    if (error instanceof NodeError) {
      return error.code;
    }
    throw error;
  }
}
