import type { DecodedSound } from "../../../contracts/models/model-calls.ts";

/** Bytes that cannot be read as a WAV; the message continues "The sound …". */
export class UnreadableSound extends Error {}

export interface Sound {
  readonly sampleRate: number;
  readonly channels: number;
  /** Number of samples of each channel. */
  readonly frames: number;
  /**
   * Interleaved samples from -1 to 1 in whole frames; each block is valid until the next is
   * requested. Throws UnreadableSound if the file ends early.
   */
  blocks(): AsyncIterable<Float32Array>;
  /** Ends the source, which may hold memory elsewhere until it was read to its end. To be called by who opened the sound. */
  close(): Promise<void>;
}

type Encoding = "pcm16" | "pcm24" | "pcm32" | "float32";

const SAMPLE_BYTES = { pcm16: 2, pcm24: 3, pcm32: 4, float32: 4 } as const;
const CHANNELS_MAX = 8;
/** Chunks before the samples: larger ones are skipped while they are read. */
const EXTENSIBLE = 0xfffe;
const FORMAT_BYTES_MAX = 64;
const BLOCK_FRAMES = 8_192;

/**
 * Opens a WAV (RIFF) of 16, 24 or 32-bit PCM or 32-bit float. Holds one block. Throws
 * UnreadableSound.
 */
export async function openWav(source: AsyncIterable<Uint8Array>): Promise<Sound> {
  const reader = new ByteReader(source);
  const riff = await reader.take(12);
  if (text(riff, 0) !== "RIFF" || text(riff, 8) !== "WAVE") {
    throw new UnreadableSound("is not a WAV file");
  }
  let format: ReturnType<typeof readFormat> | undefined;
  for (;;) {
    const head = await reader.take(8);
    const size = viewOf(head).getUint32(4, true);
    const name = text(head, 0);
    if (name === "fmt ") {
      if (size < 16 || size > FORMAT_BYTES_MAX) {
        throw new UnreadableSound("has a format chunk of a wrong size");
      }
      format = readFormat(await reader.take(size + (size % 2)));
    } else if (name === "data") {
      if (format === undefined) {
        throw new UnreadableSound("has samples before their format");
      }
      return soundOf(reader, format, size);
    } else {
      await reader.skip(size + (size % 2));
    }
  }
}

/** The samples of a sound that was decoded elsewhere: 32-bit float, interleaved. */
export function openSamples({ samples, ...shape }: DecodedSound): Sound {
  const format = { ...shape, encoding: "float32" } as const;
  return soundOf(
    new ByteReader(samples),
    format,
    shape.frames * shape.channels * SAMPLE_BYTES.float32,
  );
}

function soundOf(
  reader: ByteReader,
  {
    encoding,
    sampleRate,
    channels,
  }: Omit<ReturnType<typeof readFormat>, "encoding"> & { readonly encoding: Encoding },
  size: number,
): Sound {
  const frameBytes = SAMPLE_BYTES[encoding] * channels;
  const frames = Math.floor(size / frameBytes);
  return {
    sampleRate,
    channels,
    frames,
    async *blocks() {
      for (let at = 0; at < frames; at += BLOCK_FRAMES) {
        const count = Math.min(BLOCK_FRAMES, frames - at);
        yield decode(await reader.take(count * frameBytes), encoding);
      }
    },
    close: () => reader.close(),
  };
}

function readFormat(bytes: Uint8Array) {
  const view = viewOf(bytes);
  const coded = view.getUint16(0, true);
  const tag = coded === EXTENSIBLE && bytes.length >= 26 ? view.getUint16(24, true) : coded;
  const channels = view.getUint16(2, true);
  const sampleRate = view.getUint32(4, true);
  const bits = view.getUint16(14, true);
  const encoding = encodingOf(tag, bits);
  if (encoding === undefined) {
    throw new UnreadableSound(`has samples of an unsupported kind (format ${tag}, ${bits} bits)`);
  }
  if (channels < 1 || channels > CHANNELS_MAX || sampleRate < 1_000 || sampleRate > 384_000) {
    throw new UnreadableSound(`has ${channels} channels at ${sampleRate} Hz`);
  }
  return { encoding, channels, sampleRate };
}

function encodingOf(tag: number, bits: number): Encoding | undefined {
  if (tag === 3) {
    return bits === 32 ? "float32" : undefined;
  }
  return tag === 1 ? ({ 16: "pcm16", 24: "pcm24", 32: "pcm32" } as const)[bits] : undefined;
}

function decode(bytes: Uint8Array, encoding: Encoding): Float32Array {
  const step = SAMPLE_BYTES[encoding];
  const view = viewOf(bytes);
  const samples = new Float32Array(bytes.length / step);
  for (let i = 0; i < samples.length; i++) {
    samples[i] = sampleAt(view, i * step, encoding);
  }
  return samples;
}

function sampleAt(view: DataView, at: number, encoding: Encoding): number {
  switch (encoding) {
    case "pcm16":
      return view.getInt16(at, true) / 2 ** 15;
    case "pcm24":
      return (view.getInt16(at + 1, true) * 256 + view.getUint8(at)) / 2 ** 23;
    case "pcm32":
      return view.getInt32(at, true) / 2 ** 31;
    case "float32": {
      const value = view.getFloat32(at, true);
      return Number.isFinite(value) ? value : 0;
    }
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function text(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}

/** Exact numbers of bytes from pieces of any size. */
class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #piece: Uint8Array = new Uint8Array(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(count);
    for (let filled = 0; filled < count;) {
      const part = (await this.#more()).subarray(0, count - filled);
      bytes.set(part, filled);
      filled += part.length;
      this.#piece = this.#piece.subarray(part.length);
    }
    return bytes;
  }

  async skip(count: number): Promise<void> {
    for (let left = count; left > 0;) {
      const length = Math.min(left, (await this.#more()).length);
      this.#piece = this.#piece.subarray(length);
      left -= length;
    }
  }

  async close(): Promise<void> {
    // A source that is not read any more has no failure to tell of.
    await this.#source.return?.().catch(() => undefined);
  }

  async #more(): Promise<Uint8Array> {
    while (this.#piece.length === 0) {
      const { done, value } = await this.#source.next();
      if (done === true) {
        throw new UnreadableSound("ends before its samples do");
      }
      this.#piece = value;
    }
    return this.#piece;
  }
}
